import { combineAreas } from "../../area";
import { Table } from "../../table";
import { deletes, lists, reads, writes, type EngineEndpoint, type SecretsArea } from "../endpoint";
import { FieldTable } from "../fields";
import { leaseTtl } from "../leases";
import { MountStates } from "../mounts";
import type { Records } from "../records";
import { badRequest } from "../refusal";
import { dataResponse, listResponse } from "../responses";
import {
  schedulerLeaseFields,
  type SchedulerLeaseRecord,
  schedulerRoleFields,
  type SchedulerRoleRecord,
} from "../objects";
import type { SchedulerLeaseSetup, SchedulerRolesSetup, SecretsEmulatorOptions } from "../types";
import {
  type AccessState,
  assertReachable,
  createAccessArea,
  type EmulatedScheduler,
  requireCertificates,
  type SchedulerEngineOptions,
} from "./access";

type State = AccessState & LeaseState & RolesState;

export function createSchedulerEngineArea(
  records: Records,
  scheduler: EmulatedScheduler,
  { schedulerReads, schedulerAccess = "any" }: SecretsEmulatorOptions,
) {
  const { traits } = records;
  const isReal = schedulerReads === undefined ? traits.showsAllOfEngine : schedulerReads === "real";
  const options = { traits, scheduler, accessChecked: schedulerAccess === "checked", isReal };
  const states = new MountStates(records.mounts, "scheduler", (): State => ({
    roles: new Table("scheduler role", ({ name }) => name),
  }));
  const area = combineAreas(
    createAccessArea(states, options),
    createLeaseArea(states),
    createRolesArea(states, options),
  );
  return {
    ...area,
    endpoints: [...area.endpoints, credentialsEndpoint(records, states, options)].map((endpoint) => ({
      ...endpoint,
      engine: "scheduler" as const,
    })),
  };
}

const leaseFields = new FieldTable<SchedulerLeaseRecord>(schedulerLeaseFields);

interface LeaseState {
  lease?: SchedulerLeaseRecord | undefined;
}

/** A write replaces both values. */
function createLeaseArea(
  states: MountStates<LeaseState>,
): SecretsArea<EngineEndpoint, "schedulerLeases", SchedulerLeaseSetup> {
  const path = "/config/lease";
  return {
    endpoints: [
      writes(path, leaseFields.names, ({ mount, body }) => {
        states.of(mount).lease = leaseFields.read(body);
      }),
      reads(path, ({ mount }) => {
        const { lease } = states.of(mount);
        return lease && dataResponse(leaseFields.returned(lease));
      }),
      deletes(path, ({ mount }) => {
        states.of(mount).lease = undefined;
      }),
    ],
    setup: {
      changeSchedulerLease(change, mount) {
        const state = states.at(mount);
        return (state.lease = leaseFields.with({ ...state.lease, ...change }));
      },
      removeSchedulerLease(mount) {
        states.at(mount).lease = undefined;
      },
    },
    inspect: () => ({ schedulerLeases: states.inspect(({ lease }) => (lease ? [lease] : [])) }),
  };
}

const roleFields = new FieldTable<Omit<SchedulerRoleRecord, "name">>(schedulerRoleFields);

interface RolesState {
  readonly roles: Table<SchedulerRoleRecord>;
}

function createRolesArea(
  states: MountStates<RolesState>,
  { traits, isReal }: SchedulerEngineOptions,
): SecretsArea<EngineEndpoint, "schedulerRoles", SchedulerRolesSetup> {
  const path = "/role/:name";
  /** Roles for which no request has ever sent policies. */
  const withoutPolicies = new WeakSet<SchedulerRoleRecord>();
  return {
    endpoints: [
      writes(path, ["name", ...roleFields.names], ({ mount, parameter, body }) => {
        const { roles } = states.of(mount);
        const name = parameter("name");
        body.requireSame("name", name);
        const before = roles.find(name);
        const role = { name, ...roleFields.read(body, before) };
        if (traits.checksPolicies) {
          requirePoliciesByType(role);
        }
        if (!body.has("policies") && (before === undefined || withoutPolicies.has(before))) {
          withoutPolicies.add(role);
        }
        roles.set(role);
      }),
      reads(path, ({ mount, parameter }) => {
        const role = states.of(mount).roles.find(parameter("name"));
        if (role === undefined) {
          return undefined;
        }
        const policies = traits.unsentPoliciesAreNull && withoutPolicies.has(role) ? null : role.policies;
        return dataResponse(
          // A role does not have its own lease: the lease configuration and the mount decide.
          isReal
            ? { ...roleFields.returned(role), policies }
            : { lease: "0s", policies, token_type: role.type },
        );
      }),
      lists("/role", ({ mount }) => listResponse(states.of(mount).roles.keys(), traits.missingIfEmpty)),
      deletes(path, ({ mount, parameter }) => states.of(mount).roles.delete(parameter("name"))),
    ],
    setup: {
      addSchedulerRole: (role, mount) => states.at(mount).roles.set(roleFields.with(role)),
      changeSchedulerRole: (name, change, mount) => states.at(mount).roles.change(name, change),
      removeSchedulerRole: (name, mount) => states.at(mount).roles.remove(name),
    },
    inspect: () => ({ schedulerRoles: states.inspect(({ roles }) => roles.all()) }),
  };
}

function requirePoliciesByType({ type, policies }: SchedulerRoleRecord): void {
  if (type === "client" && policies.length === 0) {
    throw badRequest("policies cannot be empty when using client tokens");
  }
  if (type === "management" && policies.length > 0) {
    throw badRequest("policies should be empty when using management tokens");
  }
}

/** The maximum length of a name in current schedulers. */
const longestTokenName = 256;

/** Every request issues another token, which the end of its lease revokes. */
function credentialsEndpoint(
  { leases, clock, traits }: Records,
  states: MountStates<State>,
  { scheduler, accessChecked }: SchedulerEngineOptions,
): EngineEndpoint {
  const prefix = traits.tokenPrefix;
  return reads("/creds/:name", ({ mount, parameter, caller }) => {
    const { access, lease, roles } = states.of(mount);
    const role = roles.find(parameter("name"));
    if (role === undefined) {
      throw badRequest(`role ${JSON.stringify(parameter("name"))} not found`);
    }
    if (traits.checksCertificatesOnUse && access !== undefined) {
      requireCertificates(access);
    }
    if (accessChecked) {
      assertReachable(scheduler, access);
    }
    const { name, type, policies, global } = role;
    const nanoseconds = BigInt(Math.round(clock.now())) * 1_000_000n;
    const token = scheduler.tokens.add({
      name: `${prefix}-${name}-${caller.rights.displayName}-${nanoseconds}`.slice(
        0,
        access?.maxTokenNameLength || longestTokenName,
      ),
      type,
      policies,
      global,
    });
    const { ttl: duration, warnings } = leaseTtl(lease ?? { ttl: 0, maxTtl: 0 }, mount);
    const issued = leases.issue({
      mount,
      path: `creds/${name}`,
      parent: caller.tokenHash,
      duration,
      maxDuration: lease?.maxTtl,
      ended: () => scheduler.tokens.revoke(token.accessorId),
    });
    const data = { accessor_id: token.accessorId, secret_id: token.secretId };
    return dataResponse(data, { lease: issued, warnings: traits.relaysWarnings ? warnings : [] });
  });
}
