import { randomUUID } from "node:crypto";
import type { Area } from "../area";
import { jsonResponse } from "../response";
import type { Tokens } from "../tokens";
import { lists, reads, writes, productArea, type FixedEndpoint, type SecretsRequest } from "./endpoint";
import type { Records } from "./records";
import { badRequest, EngineFailure, numbered } from "./refusal";
import { dataResponse, flatResponse, listResponse } from "./responses";
import type { SecretsPermissions } from "./rights";

/** The documentation has no endpoints for health, capabilities and leases. */
export function createSystemArea(
  records: Records,
  tokens: Tokens<SecretsPermissions>,
): Area<FixedEndpoint, object, object> {
  return productArea(records, [
    ...statusEndpoints(records),
    ...capabilityEndpoints(tokens),
    ...leaseEndpoints(records),
  ]);
}

/** The release that the emulator imitates. */
const version = "2.6.2";

/** The responses have no envelope. */
function statusEndpoints({ clock }: Records): FixedEndpoint[] {
  const cluster = { cluster_name: "emulator", cluster_id: randomUUID() };
  const health = reads("/sys/health", ({ query }: SecretsRequest) =>
    jsonResponse(Number(query.get("activecode") ?? "") || 200, {
      initialized: true,
      sealed: false,
      standby: false,
      replication_performance_mode: "disabled",
      replication_dr_mode: "disabled",
      server_time_utc: Math.floor(clock.now() / 1_000),
      version,
      ...cluster,
    }),
  );
  const sealStatus = {
    type: "shamir",
    initialized: true,
    sealed: false,
    t: 1,
    n: 1,
    progress: 0,
    nonce: "",
    recovery_seal: false,
    version,
    commit_date: "2026-08-18T10:43:05Z",
    migration: false,
    ...cluster,
    storage_type: "inmem",
  };
  return [
    health,
    reads("/sys/seal-status", () => jsonResponse(200, sealStatus)),
    reads("/sys/init", () => jsonResponse(200, { initialized: true })),
    reads("/sys/leader", () => jsonResponse(200, { ha_enabled: false })),
  ];
}

function capabilityEndpoints(tokens: Tokens<SecretsPermissions>): FixedEndpoint[] {
  const capabilities =
    (isOwn: boolean) =>
    ({ body, caller }: SecretsRequest) => {
      const token = body.text("token") ?? "";
      if (!isOwn && token === "") {
        throw new EngineFailure("no token supplied");
      }
      const rights = isOwn ? caller.rights : tokens.find(token)?.rights;
      if (rights === undefined) {
        throw badRequest(numbered("invalid token"));
      }
      const paths = body.list("paths") ?? body.list("path") ?? [];
      const [first] = paths;
      if (first === undefined) {
        throw badRequest("paths must be supplied");
      }
      return flatResponse({
        ...Object.fromEntries(paths.map((path) => [path, rights.capabilitiesOn(path)])),
        ...(paths.length === 1 ? { capabilities: rights.capabilitiesOn(first) } : {}),
      });
    };
  return [
    writes("/sys/capabilities-self", ["path", "paths", "token"], capabilities(true)),
    writes("/sys/capabilities", ["path", "paths", "token"], capabilities(false)),
  ];
}

const leasesPath = "/sys/leases";

function leaseEndpoints({ leases, clock }: Records): FixedEndpoint[] {
  const renew = (request: SecretsRequest) => {
    const renewed = leases.renew(idIn(request), request.body.duration("increment") ?? 0);
    if (renewed === undefined) {
      throw badRequest("lease not found");
    }
    return dataResponse(null, { lease: renewed.record, warnings: renewed.warnings });
  };
  const list = (prefix: string) => {
    const below = prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/`;
    const rests = leases.all().flatMap(({ id }) => (id.startsWith(below) ? [id.slice(below.length)] : []));
    return listResponse([...new Set(rests.map((rest) => rest.replace(/\/.*/, "/")))].sort(), true);
  };
  return [
    // The products queue revocations unless `sync` is set; here they happen at once.
    ...["revoke-prefix", "revoke-force"].map((name) =>
      writes(`${leasesPath}/${name}/*`, ["sync"], ({ parameter }: SecretsRequest) => {
        leases.revokeWhere((_terms, id) => `${id}/`.startsWith(`${parameter("*")}/`));
      }),
    ),
    // The id is in the body or in the path.
    ...["", "/*"].flatMap((end) => [
      writes(`${leasesPath}/revoke${end}`, ["lease_id", "sync"], (request: SecretsRequest) => {
        const sent = idIn(request);
        leases.requireRevocable((_terms, id) => id === sent);
        leases.revoke(sent);
        return undefined;
      }),
      writes(`${leasesPath}/renew${end}`, ["lease_id", "increment"], renew),
      lists(`${leasesPath}/lookup${end}`, ({ parameter }: SecretsRequest) => list(parameter("*"))),
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
        path: id.slice(0, id.lastIndexOf("/")),
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
