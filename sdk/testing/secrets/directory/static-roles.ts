import { jsonAnswer } from "../../answer";
import type { Area } from "../../area";
import { dataAnswer, noContent } from "../answers";
import type { EngineEndpoint, EngineRequest } from "../endpoint";
import type { MountPath } from "../mounts";
import { badRequest, notFound } from "../refusal";
import { isEngineFailure } from "./engine-failure";
import { requireConfig, requireUnmanaged, usualMount, type EngineStates } from "./engine-state";
import { readChangedStaticRole, readNewStaticRole, staticRoleFields } from "./static-role-form";
import type { StaticRoleRecord } from "./static-role-record";
import { StaticRoleRotation } from "./static-role-rotation";

export interface DirectoryStaticRolesInspection {
  readonly directoryStaticRoles: readonly (StaticRoleRecord & MountPath)[];
}

/**
 * Works behind a program's back; the rules of the interface are not applied and the directory is not asked. The mount
 * is `ldap` unless another is given. Every method throws an Error for what does not exist.
 */
export interface DirectoryStaticRolesSetup {
  /** Changes what is given. */
  changeDirectoryStaticRole(
    name: string,
    change: Partial<Omit<StaticRoleRecord, "name">>,
    mount?: string,
  ): StaticRoleRecord;
  removeDirectoryStaticRole(name: string, mount?: string): void;
}

/** What the service answers for the last rotation when there was none. */
const never = "0001-01-01T00:00:00Z";

/** Entries whose passwords the engine keeps changing. */
export function createStaticRolesArea(
  states: EngineStates,
): Area<EngineEndpoint, DirectoryStaticRolesInspection, DirectoryStaticRolesSetup> {
  const rotation = new StaticRoleRotation(states);
  const nameOf = ({ parameter }: EngineRequest): string => parameter("role_name").toLowerCase();
  const listRoles = ({ mount }: EngineRequest) => {
    const names = states
      .of(mount)
      .staticRoles.sorted()
      .map(({ name }) => name);
    if (names.length === 0) {
      throw notFound();
    }
    return jsonAnswer(200, names);
  };
  return {
    endpoints: [
      { engine: "directory", operation: "GET", path: "/static-role", handle: listRoles },
      { engine: "directory", operation: "LIST", path: "/static-role", handle: listRoles },
      {
        engine: "directory",
        operation: "POST",
        path: "/static-role/:role_name",
        fields: staticRoleFields,
        handle(request) {
          const { mount, fields } = request;
          const state = states.of(mount);
          const name = nameOf(request);
          const present = state.staticRoles.find(name);
          if (present !== undefined) {
            state.staticRoles.set(readChangedStaticRole(present, fields));
            rotation.schedule(mount, name);
            return noContent;
          }
          const { skipStaticRoleImportRotation } = requireConfig(state);
          const skips = fields.boolean("skip_import_rotation") ?? skipStaticRoleImportRotation;
          const role = readNewStaticRole(name, fields);
          requireUnmanaged(state, role.username);
          if (skips) {
            state.staticRoles.set(role);
            rotation.schedule(mount, name);
          } else {
            rotation.rotate(mount, role);
          }
          return noContent;
        },
      },
      {
        engine: "directory",
        operation: "GET",
        path: "/static-role/:role_name",
        handle(request) {
          const role = states.of(request.mount).staticRoles.find(nameOf(request));
          if (role === undefined) {
            throw notFound();
          }
          const { dn, lastRotation, rotationPeriod, username } = role;
          return dataAnswer({
            dn,
            ...(lastRotation === null ? {} : { last_svc_rotation: lastRotation }),
            rotation_period: rotationPeriod,
            username,
          });
        },
      },
      {
        engine: "directory",
        operation: "DELETE",
        path: "/static-role/:role_name",
        handle(request) {
          const state = states.of(request.mount);
          state.staticRoles.delete(nameOf(request));
          rotation.stop(state, nameOf(request));
          return noContent;
        },
      },
      {
        engine: "directory",
        operation: "GET",
        path: "/static-cred/:role_name",
        handle(request) {
          const role = states.of(request.mount).staticRoles.find(nameOf(request));
          if (role === undefined) {
            throw badRequest(`unknown role: ${nameOf(request)}`);
          }
          return dataAnswer({
            dn: role.dn,
            last_password: role.lastPassword ?? "",
            last_svc_rotation: role.lastRotation ?? never,
            password: role.password ?? "",
            rotation_period: role.rotationPeriod,
            ttl: rotation.remaining(role),
            username: role.username,
          });
        },
      },
      {
        engine: "directory",
        operation: "POST",
        path: "/rotate-role/:role_name",
        handle(request) {
          const { mount } = request;
          const role = states.of(mount).staticRoles.find(nameOf(request));
          if (role === undefined) {
            throw badRequest(`role doesn't exist: ${nameOf(request)}`);
          }
          try {
            rotation.rotate(mount, role);
          } catch (error) {
            if (isEngineFailure(error)) {
              rotation.retry(mount, role.name);
            }
            throw error;
          }
          return noContent;
        },
      },
    ],
    setup: {
      changeDirectoryStaticRole(name, change, path = usualMount) {
        const mount = states.mountAt(path);
        const { staticRoles } = states.of(mount);
        const changed = staticRoles.set({ ...staticRoles.known(name), ...change });
        rotation.schedule(mount, name);
        return structuredClone(changed);
      },
      removeDirectoryStaticRole(name, path = usualMount) {
        const state = states.at(path);
        state.staticRoles.remove(name);
        rotation.stop(state, name);
      },
    },
    inspect: () => ({ directoryStaticRoles: states.inspect(({ staticRoles }) => staticRoles.all()) }),
    clear: () => undefined,
  };
}
