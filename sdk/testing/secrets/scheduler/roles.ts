import type { Area } from "../../area";
import type { AclTokenType } from "../../scheduler/acl";
import type { Table } from "../../table";
import { dataResponse, listResponse } from "../responses";
import { deletes, lists, reads, writes, type EngineEndpoint } from "../endpoint";
import { boolean, FieldTable, list, oneOf } from "../fields";
import type { MountStates } from "../mount-states";
import type { MountPath } from "../mounts";
import { badRequest } from "../refusal";

/** What kind of tokens to issue. */
export interface SchedulerRoleRecord {
  readonly name: string;
  /** Names of the scheduler's policies; in the hashicorp dialect empty for management tokens. */
  readonly policies: readonly string[];
  readonly global: boolean;
  readonly type: AclTokenType;
}

const roleFields = new FieldTable<Omit<SchedulerRoleRecord, "name">>({
  policies: list(),
  global: boolean(),
  type: oneOf(["client", "management"], 'type must be "client" or "management"', {
    initial: "client",
    resets: true,
  }),
});

export interface SchedulerRolesInspection {
  readonly schedulerRoles: readonly (SchedulerRoleRecord & MountPath)[];
}

/** A role that another client made. */
export interface NewSchedulerRole extends Partial<SchedulerRoleRecord> {
  readonly name: string;
}

/**
 * Works behind a program's back; the rules of the interface are not applied. The mount is the one from the start unless
 * another is given. Every method throws an Error for what does not exist.
 */
export interface SchedulerRolesSetup {
  /** A client role unless told otherwise; also instead of the one that has the same name. */
  addSchedulerRole(role: NewSchedulerRole, mount?: string): SchedulerRoleRecord;
  /** Changes what is given. */
  changeSchedulerRole(
    name: string,
    change: Partial<Omit<SchedulerRoleRecord, "name">>,
    mount?: string,
  ): SchedulerRoleRecord;
  removeSchedulerRole(name: string, mount?: string): void;
}

export interface RolesState {
  readonly roles: Table<SchedulerRoleRecord>;
}

/**
 * What kinds of tokens the scheduler engine issues.
 *
 * @param isReal whether reads return what real servers return
 */
export function createRolesArea(
  states: MountStates<RolesState>,
  isHashicorp: boolean,
  isReal: boolean,
): Area<EngineEndpoint, SchedulerRolesInspection, SchedulerRolesSetup> {
  const path = "/role/:name";
  /** Roles whose policies no request has ever said anything about. */
  const withoutPolicies = new WeakSet<SchedulerRoleRecord>();
  return {
    endpoints: [
      writes(path, roleFields.names, ({ mount, parameter, body }) => {
        const { roles } = states.of(mount);
        const name = parameter("name");
        const before = roles.find(name);
        const role = { name, ...roleFields.read(body, before) };
        if (isHashicorp) {
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
        const policies = isHashicorp && withoutPolicies.has(role) ? null : role.policies;
        return dataResponse(
          // A role has no lease of its own: the lease configuration and the mount decide.
          isReal
            ? { ...roleFields.returned(role), policies }
            : { lease: "0s", policies, token_type: role.type },
        );
      }),
      lists("/role", ({ mount }) => listResponse(states.of(mount).roles.keys(), isHashicorp)),
      deletes(path, ({ mount, parameter }) => states.of(mount).roles.delete(parameter("name"))),
    ],
    setup: {
      addSchedulerRole: (role, mount) =>
        structuredClone(states.at(mount).roles.set(structuredClone(roleFields.with(role)))),
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
