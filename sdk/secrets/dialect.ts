import type { Dialect } from "../base/settings";
import { path, type Path } from "../base/path";

export interface SecretsDialect {
  readonly name: Dialect;
  readonly tokenHeader: string;
  /** The documentation names no such header. */
  readonly namespaceHeader: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly schedulerMount: string;
  /** In paths, and the method's type. */
  readonly pushMethod: string;
  /** The error if the service has no path for push methods. */
  readonly withoutPushMethods: string;
  /** Names of roles, sets and aliases are case-insensitive; those of roles and sets are kept in lower case. */
  readonly foldsNames: boolean;
  /** `undefined` if the service cannot revoke leases. */
  readonly leaseRevocation: Path | undefined;
  /** The products also reject what the documentation does not forbid. */
  readonly refusals: "documented" | "of the products";
  /** A first access configuration without a token makes the service bootstrap the scheduler's ACLs. */
  readonly accessWithoutTokenBootstraps: boolean;
}

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
    // Agents and proxies of the product can be configured to forward only requests with this header.
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
