import type { Dialect } from "../base/settings";
import { path } from "../base/path";

export type SecretsDialect = (typeof secretsDialects)[Dialect];

export const secretsDialects = {
  documented: {
    name: "documented",
    tokenHeader: "X-Secrets-Token",
    /** The documentation names no such header. */
    namespaceHeader: "X-Secrets-Namespace",
    requestHeaders: {},
    schedulerMount: "scheduler",
    /** In paths, and the method's type. */
    pushMethod: "pushauth",
    /** The error if the service has no path for push methods. */
    withoutPushMethods: "This service does not support push methods.",
    /** Names of roles, sets and aliases are case-insensitive; those of roles and sets are kept in lower case. */
    foldsNames: false,
    /** `undefined` if the service cannot revoke leases. */
    leaseRevocation: undefined,
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
  },
} as const satisfies Readonly<Record<Dialect, object>>;
