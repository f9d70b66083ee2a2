import type { EmulatorClock } from "../../clock";
import { dataAnswer } from "../answers";
import type { EngineEndpoint } from "../endpoint";
import type { Leases } from "../leases";
import type { MountRecord } from "../mounts";
import { badRequest } from "../refusal";
import { assertReachable, type EmulatedScheduler } from "./emulated-scheduler";
import type { EngineStates } from "./engine-state";
import type { SchedulerLeaseRecord } from "./lease-record";

/** The longest name that today's schedulers accept. */
const longestTokenName = 256;

/** What the endpoint that issues tokens works with. */
export interface Issuing {
  readonly states: EngineStates;
  readonly leases: Leases;
  readonly clock: EmulatorClock;
  readonly scheduler: EmulatedScheduler;
  /** Whether issuing fails unless the access configuration leads to the emulated scheduler. */
  readonly accessChecked: boolean;
}

/** Issues tokens of the emulated scheduler: each request makes another one, which its lease's end revokes. */
export function credentialsEndpoint(issuing: Issuing): EngineEndpoint {
  const { states, leases, clock, scheduler, accessChecked } = issuing;
  return {
    engine: "scheduler",
    operation: "GET",
    path: "/creds/:name",
    handle({ mount, parameter, caller }) {
      const { access, lease, roles } = states.of(mount);
      const role = roles.get(parameter("name"));
      if (role === undefined) {
        throw badRequest(`role ${JSON.stringify(parameter("name"))} not found`);
      }
      if (accessChecked) {
        assertReachable(scheduler, access);
      }
      const { name, type, policies, global } = role;
      const nanoseconds = BigInt(Math.round(clock.now())) * 1_000_000n;
      const token = scheduler.tokens.add({
        name: `${states.dialect.tokenNamePrefix}-${name}-${caller.displayName}-${nanoseconds}`.slice(
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
        duration: durationOf(lease, mount),
        renewable: true,
        ...(lease?.maxTtl ? { maxDuration: Math.min(lease.maxTtl, mount.maxLeaseTtl) } : {}),
        ended: () => scheduler.tokens.revoke(token.accessorId),
      });
      const data = { accessor_id: token.accessorId, secret_id: token.secretId };
      return dataAnswer(data, { lease: issued });
    },
  };
}

/** Seconds. */
function durationOf(lease: SchedulerLeaseRecord | undefined, mount: MountRecord): number {
  const wanted = lease?.ttl || mount.defaultLeaseTtl;
  return Math.min(wanted, lease?.maxTtl || Infinity, mount.maxLeaseTtl);
}
