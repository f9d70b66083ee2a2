import { randomUUID } from "node:crypto";
import type { Area } from "../area";
import { jsonResponse } from "../response";
import { reads, writes, type FixedEndpoint, type SecretsRequest } from "./endpoint";
import type { Records } from "./records";
import { badRequest } from "./refusal";
import { dataResponse } from "./responses";

/** The documentation has no endpoints for health, tokens and leases. */
export function createSystemArea(records: Records): Area<FixedEndpoint, object, object> {
  const endpoints = [healthEndpoint(records), ...tokenEndpoints(records), ...leaseEndpoints(records)];
  return { endpoints: records.isHashicorp ? endpoints : [], setup: {}, inspect: () => ({}) };
}

/** The release that the emulator imitates. */
const version = "2.6.2";

/** The response has no envelope. */
function healthEndpoint({ clock }: Records): FixedEndpoint {
  const clusterId = randomUUID();
  return reads("/sys/health", () =>
    jsonResponse(200, {
      initialized: true,
      sealed: false,
      standby: false,
      performance_standby: false,
      replication_performance_mode: "disabled",
      replication_dr_mode: "disabled",
      server_time_utc: Math.floor(clock.now() / 1_000),
      version,
      cluster_name: "emulator",
      cluster_id: clusterId,
    }),
  );
}

function tokenEndpoints({ clock }: Records): FixedEndpoint[] {
  const lookUp = ({ caller }: SecretsRequest) => {
    const { rights, token, tokenHash } = caller;
    const { displayName, entityId, issuedAt, expiresAt, ttl, policies, loginPath } = rights;
    const isRoot = policies.includes("root");
    const hasLoggedIn = loginPath !== undefined;
    return dataResponse({
      accessor: tokenHash.slice(0, 24),
      creation_time: Math.floor(issuedAt / 1_000),
      creation_ttl: ttl,
      display_name: displayName,
      entity_id: entityId ?? "",
      expire_time: null,
      explicit_max_ttl: 0,
      id: token,
      meta: null,
      num_uses: 0,
      orphan: isRoot || hasLoggedIn,
      path: loginPath ?? (isRoot ? "auth/token/root" : "auth/token/create"),
      policies,
      ttl: 0,
      type: "service",
      ...(expiresAt === undefined
        ? {}
        : {
            expire_time: new Date(expiresAt).toISOString(),
            issue_time: new Date(issuedAt).toISOString(),
            renewable: hasLoggedIn,
            ttl: Math.floor((expiresAt - clock.now()) / 1_000),
          }),
    });
  };
  return [reads("/auth/token/lookup-self", lookUp), writes("/auth/token/lookup-self", [], lookUp)];
}

const leasesPath = "/sys/leases";

function leaseEndpoints({ leases, clock }: Records): FixedEndpoint[] {
  const revoke = (request: SecretsRequest) => {
    leases.revoke(idIn(request));
    // The products queue revocations unless `sync` is set; here both happen at once.
    return request.body.boolean("sync") === true ? undefined : { status: 202 };
  };
  const renew = (request: SecretsRequest) => {
    const lease = leases.renew(idIn(request), request.body.duration("increment") ?? 0);
    if (lease === undefined) {
      throw badRequest("lease not found");
    }
    return dataResponse(null, { lease });
  };
  return [
    // The id is in the body or in the path.
    ...["", "/*"].flatMap((end) => [
      writes(`${leasesPath}/revoke${end}`, ["lease_id", "sync"], revoke),
      writes(`${leasesPath}/renew${end}`, ["lease_id", "increment"], renew),
    ]),
    writes(`${leasesPath}/lookup`, ["lease_id"], (request) => {
      const lease = leases.find(idIn(request));
      if (lease === undefined) {
        throw badRequest("invalid lease");
      }
      const { id, issuedAt, expiresAt, renewable } = lease.record;
      return dataResponse({
        expire_time: expiresAt,
        id,
        issue_time: issuedAt,
        last_renewal: lease.lastRenewal ?? null,
        renewable,
        ttl: expiresAt === null ? 0 : Math.floor((Date.parse(expiresAt) - clock.now()) / 1_000),
      });
    }),
  ];
}

function idIn({ body, parameter }: SecretsRequest): string {
  const id = (body.text("lease_id") ?? "") || parameter("*");
  if (id === "") {
    throw badRequest("lease_id must be specified");
  }
  return id;
}
