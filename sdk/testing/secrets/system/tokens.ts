import { dataResponse } from "../responses";
import { reads, writes, type FixedEndpoint, type SecretsRequest } from "../endpoint";
import type { Records } from "../records";

/** What a token can learn about itself. */
export function tokenEndpoints({ clock }: Records): FixedEndpoint[] {
  const lookUp = ({ caller }: SecretsRequest) => {
    const { rights, token, tokenHash, displayName, entityId } = caller;
    const { issuedAt, expiresAt, ttl, policies, loginPath } = rights;
    const isRoot = policies.includes("root");
    return dataResponse({
      accessor: tokenHash.slice(0, 24),
      creation_time: Math.floor(issuedAt / 1_000),
      creation_ttl: ttl,
      display_name: displayName,
      entity_id: entityId ?? "",
      expire_time: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
      explicit_max_ttl: 0,
      id: token,
      ...(expiresAt === undefined ? {} : { issue_time: new Date(issuedAt).toISOString() }),
      meta: null,
      num_uses: 0,
      orphan: isRoot || loginPath !== undefined,
      path: loginPath ?? (isRoot ? "auth/token/root" : "auth/token/create"),
      policies,
      ...(expiresAt === undefined ? {} : { renewable: loginPath !== undefined }),
      ttl: expiresAt === undefined ? 0 : Math.floor((expiresAt - clock.now()) / 1_000),
      type: "service",
    });
  };
  return [reads("/auth/token/lookup-self", lookUp), writes("/auth/token/lookup-self", [], lookUp)];
}
