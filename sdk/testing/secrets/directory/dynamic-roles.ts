import type { Area } from "../../area";
import { dataAnswer, listAnswer, noContent } from "../answers";
import type { EngineEndpoint, EngineRequest } from "../endpoint";
import type { MountPath } from "../mounts";
import { notFound } from "../refusal";
import { dynamicCredentialsEndpoint } from "./dynamic-credentials";
import { dynamicRoleFields, readDynamicRole } from "./dynamic-role-form";
import type { DynamicRoleRecord, IssuedAccountRecord } from "./dynamic-role-record";
import type { EngineStates } from "./engine-state";

export interface DirectoryDynamicRolesInspection {
  readonly directoryDynamicRoles: readonly (DynamicRoleRecord & MountPath)[];
  /** Accounts whose lease has not ended, or that could not be removed when it did. */
  readonly directoryIssuedAccounts: readonly (IssuedAccountRecord & MountPath)[];
}

/**
 * Works behind a program's back; the rules of the interface are not applied. The mount is `ldap` unless another is
 * given. Every method throws an Error for what does not exist.
 */
export interface DirectoryDynamicRolesSetup {
  /** Changes what is given. */
  changeDirectoryDynamicRole(
    name: string,
    change: Partial<Omit<DynamicRoleRecord, "name">>,
    mount?: string,
  ): DynamicRoleRecord;
  /** Accounts that were made for it stay until their leases end. */
  removeDirectoryDynamicRole(name: string, mount?: string): void;
}

/** How accounts are made on request, and the accounts. */
export function createDynamicRolesArea(
  states: EngineStates,
): Area<EngineEndpoint, DirectoryDynamicRolesInspection, DirectoryDynamicRolesSetup> {
  const { dynamicRolesAreListed } = states.dialect;
  const path = "/role/:name";
  const nameOf = (request: EngineRequest): string => states.nameOf(request);
  return {
    endpoints: [
      {
        engine: "directory",
        operation: "POST",
        path,
        fields: dynamicRoleFields,
        handle(request) {
          const { dynamicRoles } = states.of(request.mount);
          const name = nameOf(request);
          const now = states.records.clock.now();
          dynamicRoles.set(readDynamicRole(name, request.fields, dynamicRoles.find(name), now));
          return noContent;
        },
      },
      {
        engine: "directory",
        operation: "GET",
        path,
        handle(request) {
          const role = states.of(request.mount).dynamicRoles.find(nameOf(request));
          if (role === undefined) {
            throw notFound();
          }
          return dataAnswer({
            creation_ldif: role.creationLdif,
            default_ttl: role.defaultTtl,
            deletion_ldif: role.deletionLdif,
            max_ttl: role.maxTtl,
            rollback_ldif: role.rollbackLdif,
            username_template: role.usernameTemplate,
          });
        },
      },
      {
        engine: "directory",
        operation: "DELETE",
        path,
        handle(request) {
          states.of(request.mount).dynamicRoles.delete(nameOf(request));
          return noContent;
        },
      },
      dynamicCredentialsEndpoint(states),
      ...(dynamicRolesAreListed ? [listEndpoint(states)] : []),
    ],
    setup: {
      changeDirectoryDynamicRole(name, change, mount) {
        const { dynamicRoles } = states.at(mount);
        return structuredClone(dynamicRoles.set({ ...dynamicRoles.known(name), ...change }));
      },
      removeDirectoryDynamicRole(name, mount) {
        states.at(mount).dynamicRoles.remove(name);
      },
    },
    inspect: () => ({
      directoryDynamicRoles: states.inspect(({ dynamicRoles }) => dynamicRoles.all()),
      directoryIssuedAccounts: states.inspect(({ issuedAccounts }) => issuedAccounts.all()),
    }),
    clear: () => undefined,
  };
}

function listEndpoint(states: EngineStates): EngineEndpoint {
  return {
    engine: "directory",
    operation: "LIST",
    path: "/role",
    handle: ({ mount }) => {
      const roles = states.of(mount).dynamicRoles.sorted();
      return listAnswer(roles.map(({ name }) => name));
    },
  };
}
