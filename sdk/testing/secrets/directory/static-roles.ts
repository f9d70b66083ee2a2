import { BrokenConnection } from "../../answer";
import type { Area } from "../../area";
import { dataAnswer, namesAnswer, noContent } from "../answers";
import type { EngineEndpoint, EngineRequest } from "../endpoint";
import type { MountPath } from "../mounts";
import { badRequest, notFound } from "../refusal";
import { EngineFailure, isEngineFailure } from "./engine-failure";
import { requireConfig, requireUnmanaged, type EngineStates } from "./engine-state";
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
  const { dialect } = states;
  const nameOf = (request: EngineRequest): string => states.nameOf(request);
  const listRoles = ({ mount }: EngineRequest) => {
    const roles = states.of(mount).staticRoles.sorted();
    return namesAnswer(
      roles.map(({ name }) => name),
      dialect.nameLists,
    );
  };
  const listOperations = dialect.staticRolesAreListedByGet ? (["GET", "LIST"] as const) : (["LIST"] as const);
  return {
    endpoints: [
      ...listOperations.map((operation): EngineEndpoint => {
        return { engine: "directory", operation, path: "/static-role", handle: listRoles };
      }),
      {
        engine: "directory",
        operation: "POST",
        path: "/static-role/:name",
        fields: staticRoleFields,
        handle(request) {
          const { mount, fields } = request;
          const state = states.of(mount);
          const name = nameOf(request);
          const present = state.staticRoles.find(name);
          if (present !== undefined) {
            state.staticRoles.set(readChangedStaticRole(present, fields, dialect));
            rotation.schedule(mount, name);
            return noContent;
          }
          if (state.config === undefined && dialect.staticRoleWithoutConfig === "breaks the connection") {
            throw new BrokenConnection();
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
        path: "/static-role/:name",
        handle(request) {
          const role = states.of(request.mount).staticRoles.find(nameOf(request));
          if (role === undefined) {
            throw notFound();
          }
          const { dn, lastRotation, rotationPeriod, username } = role;
          return dataAnswer({
            dn,
            ...(lastRotation === null ? {} : { [dialect.lastRotation]: lastRotation }),
            rotation_period: rotationPeriod,
            username,
          });
        },
      },
      {
        engine: "directory",
        operation: "DELETE",
        path: "/static-role/:name",
        handle(request) {
          const state = states.of(request.mount);
          if (dialect.deletionFailsWithoutStaticRoles && state.staticRoles.all().length === 0) {
            throw new EngineFailure("queue is empty");
          }
          state.staticRoles.delete(nameOf(request));
          rotation.stop(state, nameOf(request));
          return noContent;
        },
      },
      {
        engine: "directory",
        operation: "GET",
        path: "/static-cred/:name",
        handle(request) {
          const role = states.of(request.mount).staticRoles.find(nameOf(request));
          if (role === undefined) {
            throw badRequest(`unknown role: ${nameOf(request)}`);
          }
          return dataAnswer({
            dn: role.dn,
            last_password: role.lastPassword ?? "",
            [dialect.lastRotation]: role.lastRotation ?? never,
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
        path: "/rotate-role/:name",
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
      changeDirectoryStaticRole(name, change, path) {
        const mount = states.mountAt(path);
        const { staticRoles } = states.of(mount);
        const changed = staticRoles.set({ ...staticRoles.known(name), ...change });
        rotation.schedule(mount, name);
        return structuredClone(changed);
      },
      removeDirectoryStaticRole(name, path) {
        const state = states.at(path);
        state.staticRoles.remove(name);
        rotation.stop(state, name);
      },
    },
    inspect: () => ({ directoryStaticRoles: states.inspect(({ staticRoles }) => staticRoles.all()) }),
    clear: () => undefined,
  };
}
