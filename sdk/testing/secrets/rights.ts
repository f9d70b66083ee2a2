import { toMilliseconds } from "../duration";
import type { Operation } from "./routes";
import type { SecretsAccess, SecretsTokenOptions } from "./types";

/** In the products every token may use these operations below these paths. */
const productGrants: readonly (readonly [beginning: string, operation: Operation])[] = [
  ["auth/token/lookup-self", "GET"],
  ["auth/token/renew-self", "POST"],
  ["auth/token/revoke-self", "POST"],
  ["sys/health", "GET"],
  ["sys/leases/lookup", "POST"],
  ["sys/leases/renew", "POST"],
];

export class SecretsPermissions {
  /** Shown in templates and issued credentials. */
  readonly displayName: string;
  /** `undefined` for a token without an entity. */
  readonly entityId: string | undefined;
  readonly policies: readonly string[];
  /** Seconds; 0 for a token that never expires. */
  readonly ttl: number;
  /** Milliseconds since 1970; `undefined` for a token that never expires. */
  expiresAt: number | undefined;
  /** Path of the login, below the prefix; `undefined` for a token that a test set up. */
  loginPath: string | undefined;

  /** @param issuedAt milliseconds since 1970 */
  constructor(
    private readonly options: SecretsTokenOptions,
    private readonly isHashicorp: boolean,
    readonly issuedAt: number,
  ) {
    const { displayName = "token", entityId, access = "full", paths, policies, ttl } = options;
    this.displayName = displayName;
    this.entityId = entityId;
    this.policies = policies ?? [access === "full" && paths === undefined ? "root" : "default"];
    this.ttl = ttl === undefined ? 0 : toMilliseconds(ttl) / 1_000;
    this.expiresAt = this.ttl === 0 ? undefined : issuedAt + this.ttl * 1_000;
  }

  /** @param path below the prefix, decoded */
  may(operation: Operation, path: string): boolean {
    const access = this.accessTo(path);
    const reads = operation === "GET" || operation === "LIST";
    const isGranted = productGrants.some(
      ([beginning, granted]) => this.isHashicorp && path.startsWith(beginning) && operation === granted,
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
