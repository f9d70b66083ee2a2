import { dataResponse } from "../responses";
import { writes, type FixedEndpoint, type SecretsRequest } from "../endpoint";
import type { Records } from "../records";
import { badRequest } from "../refusal";

const path = "/sys/leases";

/** What can be done with a lease besides waiting for its end. */
export function leaseEndpoints({ leases, clock }: Records): FixedEndpoint[] {
  const revoke = (request: SecretsRequest) => {
    leases.revoke(idIn(request));
    // Products put what they do later into a queue, which the emulator need not: both are done here.
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
      writes(`${path}/revoke${end}`, ["lease_id", "sync"], revoke),
      writes(`${path}/renew${end}`, ["lease_id", "increment"], renew),
    ]),
    writes(`${path}/lookup`, ["lease_id"], (request) => {
      const lease = leases.find(idIn(request));
      if (lease === undefined) {
        throw badRequest("invalid lease");
      }
      const { id, issuedAt, expiresAt, renewable } = lease;
      return dataResponse({
        expire_time: expiresAt,
        id,
        issue_time: issuedAt,
        last_renewal: leases.lastRenewal(id) ?? null,
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
