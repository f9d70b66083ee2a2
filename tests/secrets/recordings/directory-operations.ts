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
import { type Asked, camelCased, only, type Operation } from "./operation";

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
export const directoryOperations: readonly Operation[] = [
  {
    request: /^GET \/ldap2\/config$/,
    make: ({ step }) => readConfiguration(step.client, mount),
    absent: undefined,
    brings: (data) => ({
      length: null,
      passwordPolicy: null,
      ...Object.fromEntries(Object.entries(camelCased(data)).filter(([name]) => !unnamed.includes(name))),
      schema: "open",
    }),
  },
  {
    request: /^POST \/ldap2\/config$/,
    make: ({ step, values }) =>
      writeConfiguration(step.client, mount, { values, isGiven: () => true, hasPolicy: false }),
    brings: () => undefined,
  },
  {
    request: /^DELETE \/ldap2\/config$/,
    make: ({ step }) => configDefinition.delete(step, mount, {}),
    brings: () => undefined,
  },
  {
    request: /^POST \/ldap2\/rotate-root$/,
    make: ({ step }) => rotateRootPassword(step.client, mount),
    brings: () => undefined,
  },
  {
    request: /^LIST \/ldap2\/static-role$/,
    make: () => listStaticRoles({ mount }),
    absent: { names: [] },
    brings: ({ keys }) => ({ names: keys }),
  },
  {
    request: /^GET \/ldap2\/static-role\/([^/]+)$/,
    make: (asked) => staticRoles.read(asked.step.client, role(asked)),
    absent: undefined,
    brings: (data) => ({
      ...only(camelCased(data), "username", "dn", "rotationPeriod"),
      lastRotation: data.last_vault_rotation ?? null,
    }),
  },
  {
    request: /^POST \/ldap2\/static-role\/([^/]+)$/,
    make: (asked) => staticRoleDefinition.create(asked.step, { ...role(asked), ...asked.values } as never),
    brings: (_data, asked) => ({ id: `${mount}/${role(asked).roleName}`, state: role(asked) }),
  },
  {
    request: /^DELETE \/ldap2\/static-role\/([^/]+)$/,
    make: ({ step, names: [name = ""] }) => staticRoleDefinition.delete(step, `${mount}/${name}`, {}),
    brings: () => undefined,
  },
  {
    request: /^GET \/ldap2\/static-cred\/([^/]+)$/,
    make: (asked) => getStaticCredentials(role(asked)),
    brings: (data) => ({
      ...only(camelCased(data), "username", "dn", "password", "lastPassword", "rotationPeriod", "ttl"),
      lastRotation: data.last_vault_rotation,
      // No password is known before the first rotation.
      ...(data.password === "" ? { password: undefined, lastRotation: null } : {}),
    }),
  },
  {
    request: /^POST \/ldap2\/rotate-role\/([^/]+)$/,
    make: (asked) => rotateStaticRolePassword(asked.step.client, role(asked)),
    brings: () => undefined,
  },
  {
    request: /^GET \/ldap2\/role\/([^/]+)$/,
    make: (asked) => dynamicRoles.read(asked.step.client, role(asked)),
    absent: undefined,
    brings: camelCased,
  },
  {
    request: /^POST \/ldap2\/role\/([^/]+)$/,
    make: (asked) => dynamicRoleDefinition.create(asked.step, { ...role(asked), ...asked.values } as never),
    brings: (_data, asked) => ({ id: `${mount}/${role(asked).roleName}`, state: role(asked) }),
  },
  {
    request: /^DELETE \/ldap2\/role\/([^/]+)$/,
    make: (asked) => dynamicRoleDefinition.delete(asked.step, dynamicRoles.id(role(asked)), {}),
    brings: () => undefined,
  },
  {
    request: /^GET \/ldap2\/creds\/([^/]+)$/,
    make: (asked) => issueCredential(asked.step.client, role(asked)),
  },
  {
    request: /^LIST \/ldap2\/library$/,
    make: () => listLibrarySets({ mount }),
    absent: { names: [] },
    brings: ({ keys }) => ({ names: keys }),
  },
  {
    request: /^GET \/ldap2\/library\/([^/]+)$/,
    make: (asked) => librarySets.read(asked.step.client, set(asked)),
    absent: undefined,
    brings: camelCased,
  },
  {
    request: /^POST \/ldap2\/library\/([^/]+)$/,
    make: (asked) => {
      const { values } = asked;
      const fields = { ...set(asked), ...values, serviceAccountNames: accountsIn(values) };
      return librarySetDefinition.create(asked.step, fields as never);
    },
    brings: (_data, asked) => ({ id: `${mount}/${set(asked).name}`, state: set(asked) }),
  },
  {
    request: /^DELETE \/ldap2\/library\/([^/]+)$/,
    make: ({ step, names: [name = ""] }) => librarySetDefinition.delete(step, `${mount}/${name}`, {}),
    brings: () => undefined,
  },
  {
    request: /^GET \/ldap2\/library\/([^/]+)\/status$/,
    make: (asked) => readLibraryStatus(asked.step.client, set(asked)),
    brings: (data) =>
      Object.fromEntries(
        Object.entries(data).map(([name, account]) => [name, camelCased(account as typeof data)]),
      ),
  },
  {
    request: /^POST \/ldap2\/library\/([^/]+)\/check-out$/,
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
  {
    request: /^POST \/ldap2\/library\/([^/]+)\/check-in$/,
    make: (asked) => checkInAccounts(asked.step.client, set(asked), accountsIn(asked.values), false),
    brings: (data) => data.check_ins,
  },
  {
    request: /^POST \/ldap2\/library\/manage\/([^/]+)\/check-in$/,
    make: (asked) => checkInAccounts(asked.step.client, set(asked), accountsIn(asked.values), true),
    brings: (data) => data.check_ins,
  },
];
