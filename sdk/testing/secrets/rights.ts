import { toMilliseconds, type Duration } from "../duration";
import type { TokenOptions } from "../tokens";
import type { Operation } from "./operation";

/** All rights, only to read and list, or none. */
export type SecretsAccess = "full" | "read" | "none";

/** What a token may do below paths that begin in certain ways. */
export type Grants = Readonly<Record<string, readonly Operation[]>>;

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
  /**
   * Names of policies, which only show when somebody looks the token up. Default `root` for a token that may do
   * everything, else `default`.
   */
  readonly policies?: readonly string[];
  /** After this time the token is invalid. Default: never. */
  readonly ttl?: Duration;
}

/** The identity and the permissions of one token. */
export class SecretsPermissions {
  readonly displayName: string;
  readonly entityId: string | undefined;
  readonly policies: readonly string[];
  /** Seconds; 0 for a token that never ends. */
  readonly ttl: number;
  /** Where its owner has logged in, below the prefix; `undefined` for a token that was set up. */
  loginPath: string | undefined;
  private end: number | undefined;

  /**
   * @param grants what every token may do
   * @param issuedAt milliseconds since 1970
   */
  constructor(
    private readonly options: SecretsTokenOptions,
    private readonly grants: Grants,
    readonly issuedAt: number,
  ) {
    const { displayName = "token", entityId, access = "full", paths, policies, ttl } = options;
    this.displayName = displayName;
    this.entityId = entityId;
    this.policies = policies ?? [access === "full" && paths === undefined ? "root" : "default"];
    this.ttl = ttl === undefined ? 0 : toMilliseconds(ttl) / 1_000;
    this.end = this.ttl === 0 ? undefined : issuedAt + this.ttl * 1_000;
  }

  /** Milliseconds since 1970; `undefined` for a token that never ends. */
  get expiresAt(): number | undefined {
    return this.end;
  }

  /** Lets the token live for its time again. @param maxEnd milliseconds since 1970 */
  renew(now: number, maxEnd: number): void {
    this.end = Math.min(now + this.ttl * 1_000, maxEnd);
  }

  /** @param path below the prefix, decoded */
  may(operation: Operation, path: string): boolean {
    const access = this.accessTo(path);
    const reads = operation === "GET" || operation === "LIST";
    const isGranted = Object.entries(this.grants).some(
      ([beginning, operations]) => path.startsWith(beginning) && operations.includes(operation),
    );
    return access === "full" || (access === "read" && reads) || isGranted;
  }

  private accessTo(path: string): SecretsAccess {
    const [longest] = Object.entries(this.options.paths ?? {})
      .filter(([beginning]) => path.startsWith(beginning))
      .sort(([one], [other]) => other.length - one.length);
    return longest?.[1] ?? this.options.access ?? "full";
  }
}
