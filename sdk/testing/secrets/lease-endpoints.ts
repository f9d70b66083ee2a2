import type { Area } from "../area";
import { lists, writes, productArea, type FixedEndpoint, type SecretsRequest } from "./endpoint";
import type { Records } from "./records";
import { badRequest } from "./refusal";
import { dataResponse, listResponse } from "./responses";

const leasesPath = "/sys/leases";

/** The documentation has no endpoints for leases. */
export function createLeasesArea(records: Records): Area<FixedEndpoint, object, object> {
  const { leases, clock } = records;
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
  return productArea(records, [
    // The products queue revocations unless `sync` is set; here they happen at once.
    ...["revoke-prefix", "revoke-force"].map((name) =>
      writes(`${leasesPath}/${name}/*`, ["sync"], ({ parameter }: SecretsRequest) => {
        leases.revokeWhere((_terms, id) => `${id}/`.startsWith(`${parameter("*")}/`));
      }),
    ),
    // The ID is in the body or in the path.
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
  ]);
}

function idIn({ body, parameter }: SecretsRequest): string {
  const id = (body.text("lease_id") ?? "") || parameter("*");
  if (id === "") {
    throw badRequest("lease_id must be specified");
  }
  return id;
}
