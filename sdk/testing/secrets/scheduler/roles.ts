import type { Area } from "../../area";
import { dataAnswer, listAnswer, noContent } from "../answers";
import type { EngineEndpoint } from "../endpoint";
import type { MountPath } from "../mounts";
import { notFound } from "../refusal";
import type { EngineState, EngineStates } from "./engine-state";
import type { SchedulerReads } from "./reads";
import { roleFields, writeRole, type SchedulerRoleRecord } from "./role-record";

export interface SchedulerRolesInspection {
  readonly schedulerRoles: readonly (SchedulerRoleRecord & MountPath)[];
}

/** A role that somebody else made. */
export interface NewSchedulerRole extends Partial<SchedulerRoleRecord> {
  readonly name: string;
}

/**
 * Works behind a program's back; the rules of the interface are not applied. The mount is the one from the start unless
 * another is given. Every method throws an Error for what does not exist.
 */
export interface SchedulerRolesSetup {
  /** A client role unless told otherwise; also in place of the one that has the same name. */
  addSchedulerRole(role: NewSchedulerRole, mount?: string): SchedulerRoleRecord;
  /** Changes what is given. */
  changeSchedulerRole(
    name: string,
    change: Partial<Omit<SchedulerRoleRecord, "name">>,
    mount?: string,
  ): SchedulerRoleRecord;
  removeSchedulerRole(name: string, mount?: string): void;
}

/** What kinds of tokens the scheduler engine issues. */
export function createRolesArea(
  states: EngineStates,
  reads: SchedulerReads,
): Area<EngineEndpoint, SchedulerRolesInspection, SchedulerRolesSetup> {
  const path = "/role/:name";
  return {
    endpoints: [
      {
        engine: "scheduler",
        operation: "POST",
        path,
        fields: roleFields,
        handle({ mount, parameter, fields }) {
          const { roles, rolesWithoutPolicies } = states.of(mount);
          const name = parameter("name");
          const before = roles.get(name);
          roles.set(name, writeRole(name, fields, before, states.dialect));
          if (fields.has("policies")) {
            rolesWithoutPolicies.delete(name);
          } else if (before === undefined) {
            rolesWithoutPolicies.add(name);
          }
          return noContent;
        },
      },
      {
        engine: "scheduler",
        operation: "GET",
        path,
        handle({ mount, parameter }) {
          const { roles, rolesWithoutPolicies } = states.of(mount);
          const role = roles.get(parameter("name"));
          if (role === undefined) {
            throw notFound();
          }
          const { name, global, type } = role;
          const policies = rolesWithoutPolicies.has(name) ? states.dialect.policiesNeverGiven : role.policies;
          return dataAnswer(
            // A role has no lease of its own: the lease configuration and the mount decide.
            reads === "real" ? { type, global, policies } : { lease: "0s", policies, token_type: type },
          );
        },
      },
      {
        engine: "scheduler",
        operation: "LIST",
        path: "/role",
        handle: ({ mount }) => listAnswer([...states.of(mount).roles.keys()].sort()),
      },
      {
        engine: "scheduler",
        operation: "DELETE",
        path,
        handle({ mount, parameter }) {
          const { roles, rolesWithoutPolicies } = states.of(mount);
          roles.delete(parameter("name"));
          rolesWithoutPolicies.delete(parameter("name"));
          return noContent;
        },
      },
    ],
    setup: {
      addSchedulerRole({ name, policies = [], global = false, type = "client" }, mount) {
        return set(states.at(mount), { name, policies: [...policies], global, type });
      },
      changeSchedulerRole(name, change, mount) {
        const state = states.at(mount);
        return set(state, { ...known(state, name), ...change });
      },
      removeSchedulerRole(name, mount) {
        const state = states.at(mount);
        known(state, name);
        state.roles.delete(name);
      },
    },
    inspect: () => ({ schedulerRoles: states.inspect(({ roles }) => [...roles.values()]) }),
    clear: () => undefined,
  };
}

function known({ roles }: EngineState, name: string): SchedulerRoleRecord {
  const role = roles.get(name);
  if (role === undefined) {
    throw new Error(`The emulator has no scheduler role ${JSON.stringify(name)} on this mount.`);
  }
  return role;
}

function set({ roles, rolesWithoutPolicies }: EngineState, role: SchedulerRoleRecord): SchedulerRoleRecord {
  roles.set(role.name, role);
  rolesWithoutPolicies.delete(role.name);
  return structuredClone(role);
}
