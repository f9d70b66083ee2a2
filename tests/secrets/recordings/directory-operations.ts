import assert from "node:assert/strict";
import {
  configDefinition,
  readConfiguration,
  writeConfiguration,
} from "../../../sdk/secrets/directory/config";
import { issueCredential } from "../../../sdk/secrets/directory/dynamic-credential";
import { dynamicRoleDefinition, dynamicRoles } from "../../../sdk/secrets/directory/dynamic-role";
import {
  getStaticCredentials,
  listStaticRoles,
  staticRoleDefinition,
  staticRoles,
} from "../../../sdk/secrets/directory/static-role";
import {
  checkInAccounts,
  librarySetDefinition,
  librarySets,
  listLibrarySets,
  readLibraryStatus,
} from "../../../sdk/secrets/directory/library-set";
import { checkOutAccount } from "../../../sdk/secrets/directory/library-checkout";
import { rotateRootPassword } from "../../../sdk/secrets/directory/root-rotation";
import { rotateStaticRolePassword } from "../../../sdk/secrets/directory/static-role-rotation";
import { type Asked, camelCased, only, type Operations } from "./operation";

const mount = "ldap2";

/** Members of a configuration that are neither arguments nor outputs. */
const unnamed = [
  ["anonymousGroupSearch", "denyNullBind", "dereferenceAliases", "discoverdn", "groupattr", "groupdn"],
  [
    "groupfilter",
    "maxPageSize",
    "usePre111GroupCnBehavior",
    "useTokenGroups",
    "usernameAsAlias",
    "userfilter",
  ],
].flat();

const role = ({ names: [roleName = ""] }: Asked) => ({ mount, roleName });
const set = ({ names: [name = ""] }: Asked) => ({ mount, name });

function accountsIn({ serviceAccountNames }: Asked["values"]): readonly string[] | undefined {
  return serviceAccountNames === undefined ? undefined : ([serviceAccountNames].flat() as string[]);
}

/** The directory engine. */
export const directoryOperations: Operations = {
  "GET /ldap2/config": {
    make: ({ step }) => readConfiguration(step.client, mount),
    absent: undefined,
    brings: (data) => ({
      length: null,
      passwordPolicy: null,
      lastBindPasswordRotation: null,
      ...Object.fromEntries(Object.entries(camelCased(data)).filter(([name]) => !unnamed.includes(name))),
      schema: "open",
    }),
  },
  "POST /ldap2/config": {
    make: ({ step, values }) =>
      writeConfiguration(step.client, mount, { values, givesLength: true, hasPolicy: false }),
  },
  "DELETE /ldap2/config": { make: ({ step }) => configDefinition.delete(step, mount, {}) },
  "POST /ldap2/rotate-root": { make: ({ step }) => rotateRootPassword(step.client, { mount }) },
  "LIST /ldap2/static-role": {
    make: () => listStaticRoles({ mount }),
    absent: { names: [] },
    brings: ({ keys }) => ({ names: keys }),
  },
  "GET /ldap2/static-role/:name": {
    make: (asked) => staticRoles.read(asked.step.client, role(asked)),
    absent: undefined,
    brings: (data) => ({
      ...only(camelCased(data), "username", "dn", "rotationPeriod"),
      lastRotation: data.last_vault_rotation ?? null,
      nextRotation: null,
    }),
  },
  "POST /ldap2/static-role/:name": {
    make: (asked) => staticRoleDefinition.create(asked.step, { ...role(asked), ...asked.values } as never),
    brings: (_data, asked) => ({ id: `${mount}/${role(asked).roleName}`, state: role(asked) }),
  },
  "DELETE /ldap2/static-role/:name": {
    make: ({ step, names: [name = ""] }) => staticRoleDefinition.delete(step, `${mount}/${name}`, {}),
  },
  "GET /ldap2/static-cred/:name": {
    make: (asked) => getStaticCredentials(role(asked)),
    brings: (data) => ({
      ...only(camelCased(data), "username", "dn", "password", "lastPassword", "rotationPeriod", "ttl"),
      lastRotation: data.last_vault_rotation,
      // No password is known before the first rotation.
      ...(data.password === "" ? { password: undefined, lastRotation: null } : {}),
    }),
  },
  "POST /ldap2/rotate-role/:name": {
    make: (asked) => rotateStaticRolePassword(asked.step.client, role(asked)),
  },
  "GET /ldap2/role/:name": {
    make: (asked) => dynamicRoles.read(asked.step.client, role(asked)),
    absent: undefined,
    brings: camelCased,
  },
  "POST /ldap2/role/:name": {
    make: (asked) => dynamicRoleDefinition.create(asked.step, { ...role(asked), ...asked.values } as never),
    brings: (_data, asked) => ({ id: `${mount}/${role(asked).roleName}`, state: role(asked) }),
  },
  "DELETE /ldap2/role/:name": {
    make: (asked) => dynamicRoleDefinition.delete(asked.step, dynamicRoles.id(role(asked)), {}),
  },
  "GET /ldap2/creds/:name": { make: (asked) => issueCredential(asked.step.client, role(asked)) },
  "LIST /ldap2/library": {
    make: () => listLibrarySets({ mount }),
    absent: { names: [] },
    brings: ({ keys }) => ({ names: keys }),
  },
  "GET /ldap2/library/:name": {
    make: (asked) => librarySets.read(asked.step.client, set(asked)),
    absent: undefined,
    brings: camelCased,
  },
  "POST /ldap2/library/:name": {
    make: (asked) => {
      const { values } = asked;
      const fields = { ...set(asked), ...values, serviceAccountNames: accountsIn(values) };
      return librarySetDefinition.create(asked.step, fields as never);
    },
    brings: (_data, asked) => ({ id: `${mount}/${set(asked).name}`, state: set(asked) }),
  },
  "DELETE /ldap2/library/:name": {
    make: ({ step, names: [name = ""] }) => librarySetDefinition.delete(step, `${mount}/${name}`, {}),
  },
  "GET /ldap2/library/:name/status": {
    make: (asked) => readLibraryStatus(asked.step.client, set(asked)),
    brings: (data) =>
      Object.fromEntries(
        Object.entries(data).map(([name, account]) => [name, camelCased(account as typeof data)]),
      ),
  },
  "POST /ldap2/library/:name/check-out": {
    make: async (asked) => {
      const { leaseDuration, leaseId, ...account } = await checkOutAccount(asked.step.client, set(asked));
      assert.equal(typeof leaseDuration, "number");
      return { ...account, leaseId: leaseId.split("/").slice(0, -1).join("/") };
    },
    brings: (data, asked) => ({
      ...camelCased(data),
      leaseId: `${mount}/library/${set(asked).name}/check-out`,
      renewable: true,
    }),
  },
  "POST /ldap2/library/:name/check-in": {
    make: (asked) => checkInAccounts(asked.step.client, set(asked), accountsIn(asked.values), false),
    brings: (data) => data.check_ins,
  },
  "POST /ldap2/library/manage/:name/check-in": {
    make: (asked) => checkInAccounts(asked.step.client, set(asked), accountsIn(asked.values), true),
    brings: (data) => data.check_ins,
  },
};
