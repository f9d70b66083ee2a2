import type { Mounts } from "../mounts";
import { notImplemented, type Refusal, unknownRoute, unsupportedPath } from "../refusal";

/**
 * Paths of the products that the emulator does not serve, for which a client must not conclude that nothing exists
 * there: the OpenAPI description of OpenBao 2.6.2 (`sys/internal/specs/openapi`), and what only Vault has.
 */
const unserved: Readonly<Record<string, string>> = {
  "": "cubbyhole",
  "auth/token/": "accessors create lookup-accessor renew-accessor revoke-accessor roles tidy",
  "identity/":
    "alias entity/batch-delete entity/merge group group-alias lookup/group mfa/method/okta mfa/method/pingid oidc persona",
  "sys/":
    "activation-flags audit audit-hash capabilities-accessor config control-group decode-token experiments generate-root " +
    "generate-root-token ha-status host-info in-flight-req internal key-status leases leases/count leases/tidy license " +
    "locked-users loggers managed-keys metrics mfa/validate monitor namespaces plugins policies policy pprof quotas raw " +
    "rekey remount replication rotate seal step-down storage sync tools unseal version-history workflows wrapping/pubkey " +
    "wrapping/wrap",
};

const paths = Object.entries(unserved).flatMap(([prefix, rests]) =>
  rests.split(" ").map((rest) => `${prefix}${rest}`),
);

/** Why no endpoint has the path: only the product has it, it belongs to an auth method, or it is unknown. */
export function refusalOf(path: string, mounts: Mounts): Refusal {
  if (/^auth\/(?!token(?:\/|$))/.test(path)) {
    return mounts.conflicting(path) === undefined ? unknownRoute(path) : notImplemented(path);
  }
  // Paths below a lease belong to the lease.
  const isBelow = (own: string): boolean => own !== "sys/leases" && path.startsWith(`${own}/`);
  return paths.some((own) => path === own || isBelow(own)) ? notImplemented(path) : unsupportedPath();
}
