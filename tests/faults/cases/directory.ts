import assert from "node:assert/strict";
import type { Emulator } from "pulumi-trivium/testing";
import type { FaultCase, World } from "../support/fault-case";
import { tokens } from "../support/laboratory";

const base = "dc=acme,dc=example";

/** A request that is none of the program's. */
async function write(emulator: Emulator, path: string, body: object): Promise<void> {
  const { status } = await fetch(`${emulator.secrets.address}/v1/${path}`, {
    method: "POST",
    headers: { "x-secrets-token": tokens.secrets, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  assert.equal(status, 204, path);
}

/** A directory engine that is not configured, and the entry that it is to bind as. */
function mountDirectory({ emulator: { secrets } }: World, mark: string) {
  const mount = `ldap-${mark}`;
  const binddn = `cn=binds-${mark},${base}`;
  const bindpass = `canary-bind-password-${mark}`;
  secrets.addMount({ type: "directory", path: mount });
  secrets.addDirectoryEntry({ dn: binddn, password: bindpass });
  return { mount, binddn, bindpass };
}

/** A directory engine that works, with these accounts. */
async function directory(world: World, mark: string, accounts: readonly string[] = []) {
  const { mount, binddn, bindpass } = mountDirectory(world, mark);
  for (const name of accounts) {
    world.emulator.secrets.addDirectoryEntry({ dn: `cn=${name},${base}` });
  }
  await write(world.emulator, `${mount}/config`, { binddn, bindpass, userdn: base });
  return { mount, bindpass };
}

const config: FaultCase = {
  type: "secrets/directory:Config",
  prepare(world, mark) {
    const { mount, binddn, bindpass } = mountDirectory(world, mark);
    const made = { mount, binddn, bindpass, url: "ldaps://ldap.acme.example", requestTimeout: "1h" };
    return {
      made,
      changed: { ...made, requestTimeout: "2h", bindpass: `${bindpass}-2` },
      secrets: [bindpass, `${bindpass}-2`],
    };
  },
};

const rootRotation: FaultCase = {
  type: "secrets/directory:RootRotation",
  async prepare(world, mark) {
    const { mount, bindpass } = await directory(world, mark);
    const made = { mount, triggers: { quarter: 1 } };
    return { made, changed: { mount, triggers: { quarter: 2 } }, secrets: [bindpass] };
  },
};

const staticRole: FaultCase = {
  type: "secrets/directory:StaticRole",
  async prepare(world, mark) {
    const account = `svc-${mark}`;
    const { mount, bindpass } = await directory(world, mark, [account]);
    const made = { mount, roleName: `role-${mark}`, username: account, rotationPeriod: "24h" };
    return { made, changed: { ...made, rotationPeriod: "48h" }, secrets: [bindpass] };
  },
};

const staticRoleRotation: FaultCase = {
  type: "secrets/directory:StaticRoleRotation",
  async prepare(world, mark) {
    const account = `svc-${mark}`;
    const { mount, bindpass } = await directory(world, mark, [account]);
    const roleName = `role-${mark}`;
    await write(world.emulator, `${mount}/static-role/${roleName}`, {
      username: account,
      rotation_period: 86_400,
    });
    const made = { mount, roleName, triggers: { incident: 1 } };
    return { made, changed: { ...made, triggers: { incident: 2 } }, secrets: [bindpass] };
  },
};

const dn = `cn={{.Username}},${base}`;
const templates = {
  creationLdif: `dn: ${dn}\nchangetype: add\nobjectClass: person\nsn: {{.Username}}\nuserPassword: {{.Password}}`,
  deletionLdif: `dn: ${dn}\nchangetype: delete`,
  usernameTemplate: "{{random 20}}",
};

const dynamicRole: FaultCase = {
  type: "secrets/directory:DynamicRole",
  async prepare(world, mark) {
    const { mount, bindpass } = await directory(world, mark);
    const made = { mount, roleName: `role-${mark}`, ...templates, defaultTtl: "1h" };
    return { made, changed: { ...made, defaultTtl: "2h", maxTtl: "8h" }, secrets: [bindpass] };
  },
};

const librarySet: FaultCase = {
  type: "secrets/directory:LibrarySet",
  async prepare(world, mark) {
    const [first, second, third] = ["a", "b", "c"].map((name) => `svc-${name}-${mark}`);
    const { mount, bindpass } = await directory(world, mark, [first ?? "", second ?? "", third ?? ""]);
    const made = { mount, name: `operators-${mark}`, ttl: "8h" };
    return {
      made: { ...made, serviceAccountNames: [first ?? "", second ?? ""] },
      changed: { ...made, serviceAccountNames: [second ?? "", third ?? ""] },
      secrets: [bindpass],
    };
  },
};

const libraryCheckout: FaultCase = {
  type: "secrets/directory:LibraryCheckout",
  async prepare(world, mark) {
    const accounts = ["a", "b", "c"].map((name) => `svc-${name}-${mark}`);
    const { mount, bindpass } = await directory(world, mark, accounts);
    const setName = `operators-${mark}`;
    await write(world.emulator, `${mount}/library/${setName}`, { service_account_names: accounts });
    const made = { mount, setName, ttl: "1h" };
    return {
      made,
      changed: { ...made, ttl: "2h" },
      secrets: [bindpass],
      // Which of its accounts the service lends is all the same.
      aliases(outputs) {
        const borrowed = accounts.find((name) => name === outputs?.serviceAccountName);
        const free = accounts.filter((name) => name !== borrowed);
        const names = free.map((name, index) => [name, `free-${index}`] as const);
        return {
          ...Object.fromEntries(names),
          ...(borrowed === undefined ? {} : { [borrowed]: "borrowed" }),
        };
      },
    };
  },
  // Who counts as borrower is read after the check-out, which has to get into state whatever becomes of that.
  dispensable: { announced: /Could not find out who counts as borrower of /, memory: { proven: false } },
  leftovers: {
    find: (inspection, _id, state) =>
      inspection.secrets.directoryLibraryAccounts.flatMap(({ name, checkOut }) =>
        checkOut === null || name === state?.serviceAccountName
          ? []
          : [
              {
                expiresAt: checkOut.expiresAt,
                end: ({ secrets }: Emulator) => secrets.revokeLease(checkOut.leaseId),
              },
            ],
      ),
    named:
      /account of the .* may be checked out all the same|no account of the .* has been taken by it so far|were checked out meanwhile/,
    endsByItself: true,
  },
};

const dynamicCredential: FaultCase = {
  type: "secrets/directory:DynamicCredential",
  async prepare(world, mark) {
    const { mount, bindpass } = await directory(world, mark);
    const [roleName, otherRole] = [`role-${mark}`, `other-${mark}`];
    for (const name of [roleName, otherRole]) {
      await write(world.emulator, `${mount}/role/${name}`, {
        creation_ldif: templates.creationLdif,
        deletion_ldif: templates.deletionLdif,
        username_template: templates.usernameTemplate,
        default_ttl: 3600,
      });
    }
    const other = { mount, roleName: otherRole };
    return { made: { mount, roleName }, changed: other, renamed: other, secrets: [bindpass] };
  },
  leftovers: {
    find(inspection, _id, state) {
      const { leases, directoryIssuedAccounts } = inspection.secrets;
      // The account of a credential that was replaced lives on by design.
      return directoryIssuedAccounts
        .filter(({ leaseId, roleName }) => leaseId !== state?.leaseId && roleName === state?.roleName)
        .map(({ leaseId }) => ({
          expiresAt: leases.find(({ id }) => id === leaseId)?.expiresAt ?? null,
          end: ({ secrets }) => secrets.revokeLease(leaseId),
        }));
    },
    named: /may have made a credential all the same/,
    endsByItself: true,
  },
};

export const directoryCases: readonly FaultCase[] = [
  config,
  rootRotation,
  staticRole,
  staticRoleRotation,
  dynamicRole,
  librarySet,
  libraryCheckout,
  dynamicCredential,
];
