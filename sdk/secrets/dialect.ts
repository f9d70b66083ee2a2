import type { Dialect } from "../base/settings";
import { path, type Path } from "../base/path";

/** The differences between the documented secrets service and the products. */
export interface SecretsDialect {
  readonly name: Dialect;
  /** The header that carries the token. */
  readonly tokenHeader: string;
  /** The header that names the namespace; the documentation names none. */
  readonly namespaceHeader: string;
  /** Other headers of every request. */
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** Where the scheduler engine is mounted when a program does not say. */
  readonly schedulerMount: string;
  /** What the push-authentication method is called in paths and as its type. */
  readonly pushMethod: string;
  /** What it means, for people, that a service has no path for push methods. */
  readonly withoutPushMethods: string;
  /** Whether case does not count in names: of roles and sets, which are kept in lower case, and of aliases. */
  readonly foldsNames: boolean;
  /** The path that ends a lease before its time; `undefined` where the service has none. */
  readonly leaseRevocation: Path | undefined;
  /** Whether the service refuses what its documents do not forbid, and the products do. */
  readonly refusals: "documented" | "of the products";
  /** Whether a first access configuration without a token makes the service adopt the scheduler's ACLs. */
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
    withoutPushMethods: "This service does not support push methods.",
    foldsNames: false,
    leaseRevocation: undefined,
    refusals: "documented",
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
      "Push methods require Vault Enterprise: only Vault Enterprise offers push methods, not the community edition of " +
      "Vault or OpenBao.",
    foldsNames: true,
    leaseRevocation: path`/sys/leases/revoke`,
    refusals: "of the products",
    accessWithoutTokenBootstraps: true,
  },
};
