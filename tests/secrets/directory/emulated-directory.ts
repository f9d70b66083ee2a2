import type { Emulator } from "../../../sdk/testing";
import { ask, textOf } from "../emulated-client";

/** What a program says of the directory. */
export const directory = {
  binddn: "cn=admin,dc=acme,dc=example",
  bindpass: "bind-password",
  userdn: "ou=services,dc=acme,dc=example",
};

/** Makes a directory with these accounts, and configures the engine without the program. */
export async function configureDirectory(
  emulator: Emulator,
  accounts: readonly string[],
  mount = "ldap",
): Promise<void> {
  if (!emulator.inspect().secrets.directoryEntries.some(({ dn }) => dn === directory.binddn)) {
    emulator.secrets.addDirectoryEntry({ dn: directory.binddn, password: directory.bindpass });
  }
  accounts.forEach((name) => emulator.secrets.addDirectoryEntry({ dn: `cn=${name},${directory.userdn}` }));
  await ask(emulator, "POST", `${mount}/config`, directory);
}

/** Makes a library set without the program, its accounts as well. */
export async function addLibrarySet(
  emulator: Emulator,
  accounts: readonly string[],
  fields: Readonly<Record<string, unknown>> = {},
  { mount = "ldap", name = "operators" } = {},
): Promise<void> {
  await configureDirectory(emulator, accounts, mount);
  const set = { name, service_account_names: accounts, ...fields };
  await ask(emulator, "POST", `${mount}/library/${name}`, set);
}

/** Checks out an account as somebody else does. */
export async function borrow(emulator: Emulator, token: string, name = "operators"): Promise<string> {
  const lent = await ask(emulator, "POST", `ldap/library/${name}/check-out`, { name }, token);
  return textOf(lent.service_account_name);
}

/** Checks in an account as somebody who may do anything. */
export async function giveBack(emulator: Emulator, account: string, name = "operators"): Promise<void> {
  const body = { name, service_account_names: [account] };
  await ask(emulator, "POST", `ldap/library/manage/${name}/check-in`, body);
}

/** Who has which account, all mounts. */
export function checkOuts(emulator: Emulator): Readonly<Record<string, string | null>> {
  return Object.fromEntries(
    emulator
      .inspect()
      .secrets.directoryLibraryAccounts.map(({ name, checkOut }) => [
        name,
        checkOut?.borrowerClientToken ?? null,
      ]),
  );
}

/** The accounts that somebody has. */
export function accountsOut(emulator: Emulator): string[] {
  return Object.entries(checkOuts(emulator)).flatMap(([name, borrower]) => (borrower === null ? [] : [name]));
}

const parent = "ou=minted,dc=acme,dc=example";
const dn = `cn={{.Username}},${parent}`;

/** Makes a dynamic role without the program, and the directory that its accounts live in. */
export async function addDynamicRole(
  emulator: Emulator,
  fields: Readonly<Record<string, unknown>> = {},
  { mount = "ldap", name = "reports" } = {},
): Promise<void> {
  await configureDirectory(emulator, [], mount);
  if (!emulator.inspect().secrets.directoryEntries.some((entry) => entry.dn === parent)) {
    emulator.secrets.addDirectoryEntry({ dn: parent });
  }
  await ask(emulator, "POST", `${mount}/role/${name}`, {
    creation_ldif: `dn: ${dn}\nchangetype: add\nobjectClass: person\nuserPassword: {{.Password}}`,
    deletion_ldif: `dn: ${dn}\nchangetype: delete`,
    default_ttl: "2h",
    ...fields,
  });
}

/** The names of the accounts that were minted and live. */
export function mintedAccounts(emulator: Emulator): string[] {
  return emulator.inspect().secrets.directoryIssuedAccounts.map(({ username }) => username);
}
