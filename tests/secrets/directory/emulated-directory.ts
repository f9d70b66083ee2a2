import type { Emulator } from "../../../sdk/testing";
import { ask, textOf } from "../emulated-client";

/** What a program says of the directory. */
const directory = {
  binddn: "cn=admin,dc=acme,dc=example",
  bindpass: "bind-password",
  userdn: "ou=services,dc=acme,dc=example",
};

/** Makes a directory with these accounts, and configures the engine without the program. */
export async function configureDirectory(emulator: Emulator, accounts: readonly string[]): Promise<void> {
  if (!emulator.inspect().secrets.directoryEntries.some(({ dn }) => dn === directory.binddn)) {
    emulator.secrets.addDirectoryEntry({ dn: directory.binddn, password: directory.bindpass });
  }
  accounts.forEach((name) => emulator.secrets.addDirectoryEntry({ dn: `cn=${name},${directory.userdn}` }));
  await ask(emulator, "POST", "ldap/config", directory);
}

/** Makes a library set without the program, its accounts as well. */
export async function addLibrarySet(
  emulator: Emulator,
  accounts: readonly string[],
  fields: Readonly<Record<string, unknown>> = {},
  name = "operators",
): Promise<void> {
  await configureDirectory(emulator, accounts);
  const set = { name, service_account_names: accounts, ...fields };
  await ask(emulator, "POST", `ldap/library/${name}`, set);
}

/** Checks out an account of the set `operators` as somebody else does. */
export async function borrow(emulator: Emulator, token: string): Promise<string> {
  const set = { name: "operators" };
  const lent = await ask(emulator, "POST", "ldap/library/operators/check-out", set, token);
  return textOf(lent.service_account_name);
}

/** Checks in an account as somebody who is allowed to do anything. */
export async function giveBack(emulator: Emulator, account: string): Promise<void> {
  const body = { name: "operators", service_account_names: [account] };
  await ask(emulator, "POST", "ldap/library/manage/operators/check-in", body);
}

/** Who has which account, all mounts. */
export function checkOuts(emulator: Emulator): Readonly<Record<string, string | null>> {
  const { directoryLibraryAccounts: accounts } = emulator.inspect().secrets;
  return Object.fromEntries(accounts.map((each) => [each.name, each.checkOut?.borrowerClientToken ?? null]));
}

/** The accounts that somebody has. */
export function accountsOut(emulator: Emulator): string[] {
  return Object.entries(checkOuts(emulator)).flatMap(([name, borrower]) => (borrower === null ? [] : [name]));
}

const parent = "ou=issued,dc=acme,dc=example";
const dn = `cn={{.Username}},${parent}`;

/** Makes the dynamic role `reports` without the program, and the directory that its accounts live in. */
export async function addDynamicRole(emulator: Emulator, default_ttl = "2h"): Promise<void> {
  await configureDirectory(emulator, []);
  emulator.secrets.addDirectoryEntry({ dn: parent });
  await ask(emulator, "POST", "ldap/role/reports", {
    creation_ldif: `dn: ${dn}\nchangetype: add\nobjectClass: person\nuserPassword: {{.Password}}`,
    deletion_ldif: `dn: ${dn}\nchangetype: delete`,
    default_ttl,
  });
}

/** The names of the accounts that were issued and live. */
export function issuedAccounts(emulator: Emulator): string[] {
  return emulator.inspect().secrets.directoryIssuedAccounts.map(({ username }) => username);
}
