import { dataResponse } from "../responses";
import { reads, type EngineEndpoint } from "../endpoint";
import { leaseDuration } from "../leases";
import type { MountStates } from "../mount-states";
import type { Records } from "../records";
import { badRequest } from "../refusal";
import type { AccessState } from "./access";
import { assertReachable, type EmulatedScheduler } from "./emulated-scheduler";
import type { LeaseState } from "./lease";
import type { RolesState } from "./roles";

/** The longest name that today's schedulers accept. */
const longestTokenName = 256;

/**
 * Issues tokens of the emulated scheduler: each request makes another one, which its lease's end revokes.
 *
 * @param accessChecked whether that fails unless the access configuration leads to the emulated scheduler
 */
export function credentialsEndpoint(
  { leases, clock, isHashicorp }: Records,
  states: MountStates<AccessState & LeaseState & RolesState>,
  scheduler: EmulatedScheduler,
  accessChecked: boolean,
): EngineEndpoint {
  const prefix = isHashicorp ? "vault" : "secrets";
  return reads("/creds/:name", ({ mount, parameter, caller }) => {
    const { access, lease, roles } = states.of(mount);
    const role = roles.find(parameter("name"));
    if (role === undefined) {
      throw badRequest(`role ${JSON.stringify(parameter("name"))} not found`);
    }
    if (accessChecked) {
      assertReachable(scheduler, access);
    }
    const { name, type, policies, global } = role;
    const nanoseconds = BigInt(Math.round(clock.now())) * 1_000_000n;
    const token = scheduler.tokens.add({
      name: `${prefix}-${name}-${caller.displayName}-${nanoseconds}`.slice(
        0,
        access?.maxTokenNameLength || longestTokenName,
      ),
      type,
      policies,
      global,
    });
    const issued = leases.issue({
      mount,
      path: `creds/${name}`,
      parent: caller.tokenHash,
      duration: leaseDuration(lease ?? { ttl: 0, maxTtl: 0 }, mount),
      maxDuration: lease?.maxTtl,
      ended: () => scheduler.tokens.revoke(token.accessorId),
    });
    const data = { accessor_id: token.accessorId, secret_id: token.secretId };
    return dataResponse(data, { lease: issued });
  });
}
