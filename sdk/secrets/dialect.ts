import type { Dialect } from "../base/settings";
import { path, type Path } from "../base/path";

/** What differs between the documented secrets service and the products with nearly the same wire. */
export interface SecretsDialect {
  readonly name: Dialect;
  /** The header that carries the token. */
  readonly tokenHeader: string;
  /** The header that names the namespace; the documents name none. */
  readonly namespaceHeader: string;
  /** Other headers of every request. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** Where the scheduler engine is mounted when a program does not say. */
  readonly schedulerMount: string;
  /** What the push-authentication method is called in paths and as its type. */
  readonly pushMethod: string;
  /** What it means, for people, that a service has no path for push methods. */
  readonly withoutPushMethods: string;
  /** The members that name the namespace of a TOTP method; the first that an answer has counts. */
  readonly totpNamespace: readonly string[];
  /** What the kinds of directories are called on the wire. */
  readonly directorySchemas: Readonly<Record<"open" | "ad" | "racf", string>>;
  /**
   * Members of a directory configuration that are no arguments, and fall back to their defaults when a write leaves
   * them out.
   */
  readonly keptInConfiguration: readonly string[];
  /** Arguments of a directory configuration that an answer leaves out when they are not set, and only then. */
  readonly leftOutOfConfiguration: readonly string[];
  /** Whether case does not count in names: of roles and sets, which are kept in lower case, and of aliases. */
  readonly foldsNames: boolean;
  /** The path that ends a lease before its time; `undefined` where the service has none. */
  readonly leaseRevocation: Path | undefined;
  /** Whether the service refuses what its documents do not forbid, and the products do. */
  readonly refusals: "documented" | "of the products";
  /** Whether a configuration of the directory may not name both a length and a policy of passwords, not even one that is empty. */
  readonly lengthExcludesPolicy: boolean;
  /** Whether a first access configuration without a token makes the service take over the scheduler's ACLs. */
  readonly accessWithoutTokenBootstraps: boolean;
}

/** Both dialects. */
export const secretsDialects: Readonly<Record<Dialect, SecretsDialect>> = {
  documented: {
    name: "documented",
    tokenHeader: "X-Secrets-Token",
    namespaceHeader: "X-Secrets-Namespace",
    requestHeaders: {},
    schedulerMount: "scheduler",
    pushMethod: "pushauth",
    withoutPushMethods: "This service does not offer push methods.",
    totpNamespace: ["namespace"],
    directorySchemas: { open: "open", ad: "ad", racf: "racf" },
    keptInConfiguration: [],
    leftOutOfConfiguration: [],
    foldsNames: false,
    leaseRevocation: undefined,
    refusals: "documented",
    lengthExcludesPolicy: true,
    accessWithoutTokenBootstraps: false,
  },
  hashicorp: {
    name: "hashicorp",
    tokenHeader: "X-Vault-Token",
    namespaceHeader: "X-Vault-Namespace",
    // Agents and proxies of the product can be set to pass on nothing without it.
    requestHeaders: { "X-Vault-Request": "true" },
    schedulerMount: "nomad",
    pushMethod: "duo",
    withoutPushMethods:
      "Of the products of the hashicorp dialect only Vault Enterprise offers push methods: neither the community " +
      "edition of Vault nor OpenBao does.",
    totpNamespace: ["namespace_id", "namespace_path"],
    directorySchemas: { open: "openldap", ad: "ad", racf: "racf" },
    keptInConfiguration: ["credential_type"],
    leftOutOfConfiguration: ["length", "passwordPolicy"],
    foldsNames: true,
    leaseRevocation: path`/sys/leases/revoke`,
    refusals: "of the products",
    lengthExcludesPolicy: false,
    accessWithoutTokenBootstraps: true,
  },
};
