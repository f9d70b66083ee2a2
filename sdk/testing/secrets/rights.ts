import type { TokenOptions } from "../tokens";
import type { Operation } from "./endpoint";

/** All rights, only to read and list, or none. */
export type SecretsAccess = "full" | "read" | "none";

/** Options of an additional token of the secrets service. */
export interface SecretsTokenOptions extends TokenOptions {
  /** Id of the existing entity that the token belongs to. Default: none. */
  readonly entityId?: string;
  /** What templates and issued credentials show. Default `token`. */
  readonly displayName?: string;
  /** Wherever `paths` says nothing. Default `"full"`. */
  readonly access?: SecretsAccess;
  /** By the beginning of the path below `/v1/`, such as `ldap/library/manage/`; the longest that fits wins. */
  readonly paths?: Readonly<Record<string, SecretsAccess>>;
}

/** What one token stands for, and what it may do. */
export class SecretsPermissions {
  readonly displayName: string;
  readonly entityId: string | undefined;

  constructor(private readonly options: SecretsTokenOptions) {
    this.displayName = options.displayName ?? "token";
    this.entityId = options.entityId;
  }

  /** @param path below the prefix, decoded */
  may(operation: Operation, path: string): boolean {
    const access = this.accessTo(path);
    return access === "full" || (access === "read" && operation !== "POST" && operation !== "DELETE");
  }

  private accessTo(path: string): SecretsAccess {
    const [longest] = Object.entries(this.options.paths ?? {})
      .filter(([beginning]) => path.startsWith(beginning))
      .sort(([one], [other]) => other.length - one.length);
    return longest?.[1] ?? this.options.access ?? "full";
  }
}
