import { toMilliseconds } from "../duration";
import type { Capability, Policies } from "./policies";
import type { Operation } from "./routes";
import type { SecretsAccess, SecretsTokenOptions } from "./seeds";
import type { SecretsTraits } from "./traits";

/** In the products, every token is allowed to perform these operations below these paths. */
const productGrants: readonly (readonly [beginning: string, operation: Operation])[] = [
  ["auth/token/lookup-self", "GET"],
  ["auth/token/renew-self", "POST"],
  ["auth/token/revoke-self", "POST"],
  ["sys/capabilities-self", "POST"],
  ["sys/health", "GET"],
  ["sys/leases/lookup", "POST"],
  ["sys/leases/renew", "POST"],
  ["sys/wrapping/", "POST"],
];

const capabilities: readonly (readonly [name: string, operation: Operation])[] = [
  ["create", "POST"],
  ["delete", "DELETE"],
  ["list", "LIST"],
  ["read", "GET"],
  ["update", "POST"],
];

const capabilityOf: Readonly<Record<Operation, Capability>> = {
  GET: "read",
  LIST: "list",
  POST: "update",
  PUT: "update",
  DELETE: "delete",
};

/** How a token was created. */
export interface TokenOrigin {
  /** Of the request, below the prefix. */
  readonly path: string;
  readonly meta: Readonly<Record<string, string>> | null;
  readonly orphan: boolean;
  readonly renewable: boolean;
  /** When the last possible renewal ends, in milliseconds since 1970. */
  readonly maxEnd: number;
  /** Seconds. */
  readonly explicitMaxTtl?: number;
  /** Seconds for which each renewal lasts, without an end; 0 or missing for none. */
  readonly period?: number;
  /** Hash of the token with which it ends. */
  readonly parent?: string | undefined;
}

export interface ChildOptions extends Pick<SecretsTokenOptions, "displayName" | "policies" | "ttl"> {
  readonly issuedAt: number;
}

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
  /** The duration of the last renewal that requested one, in seconds. */
  increment = 0;
  /** Until it is issued, that of a token that a test set up. */
  origin: TokenOrigin;

  /**
   * @param issuedAt milliseconds since 1970
   * @param identityPolicies those of its entity
   */
  constructor(
    private readonly options: SecretsTokenOptions,
    private readonly traits: SecretsTraits,
    private readonly enforced: Policies,
    readonly issuedAt: number,
    readonly identityPolicies: readonly string[] = [],
  ) {
    const { displayName = "token", entityId, access = "full", paths, policies, ttl } = options;
    this.displayName = displayName;
    this.entityId = entityId;
    this.policies = policies ?? [access === "full" && paths === undefined ? "root" : "default"];
    this.ttl = ttl === undefined ? 0 : toMilliseconds(ttl) / 1_000;
    this.expiresAt = this.ttl === 0 ? undefined : issuedAt + this.ttl * 1_000;
    const orphan = this.policies.includes("root");
    const path = orphan ? "auth/token/root" : "auth/token/create";
    this.origin = { path, meta: null, orphan, renewable: false, maxEnd: Infinity };
  }

  /** Without a policy that the emulator enforces, a child has the permissions of its parent. */
  child({ issuedAt, ...options }: ChildOptions): SecretsPermissions {
    return new SecretsPermissions(
      { ...this.options, ...options },
      this.traits,
      this.enforced,
      issuedAt,
      this.identityPolicies,
    );
  }

  /**
   * @param path below the prefix, decoded
   * @param isFirst whether a write creates what is there; rules tell it from others
   */
  may(operation: Operation, path: string, isFirst = false): boolean {
    const names = [...this.policies, ...this.identityPolicies];
    const isGranted = productGrants.some(
      ([beginning, granted]) =>
        this.traits.grantsOwnPaths && path.startsWith(beginning) && operation === granted,
    );
    if (this.isEnforced) {
      const needed = operation === "POST" && isFirst ? "create" : capabilityOf[operation];
      const byDefault = isGranted && names.includes("default");
      return byDefault || this.enforced.capabilitiesOn(path, names).has(needed);
    }
    const access = this.accessTo(path);
    const reads = operation === "GET" || operation === "LIST";
    return access === "full" || (access === "read" && reads) || isGranted;
  }

  /** Whether the rules of its policies apply, and not the permissions that a test has set. */
  get isEnforced(): boolean {
    return this.enforced.enforces([...this.policies, ...this.identityPolicies]);
  }

  /** The permissions of a token, with the products' names. */
  capabilitiesOn(path: string): readonly string[] {
    if (this.policies.includes("root")) {
      return ["root"];
    }
    const own = capabilities
      .filter(([name, operation]) => this.may(operation, path, name === "create"))
      .map(([name]) => name);
    return own.length === 0 ? ["deny"] : own;
  }

  private accessTo(path: string): SecretsAccess {
    const [longest] = Object.entries(this.options.paths ?? {})
      .filter(([beginning]) => path.startsWith(beginning))
      .sort(([one], [other]) => other.length - one.length);
    return longest?.[1] ?? this.options.access ?? "full";
  }
}
