import assert from "node:assert/strict";
import type { Caller } from "../../../sdk/base/caller";
import type { Step } from "../../../sdk/resource/definition";
import type { SecretsClient } from "../../../sdk/secrets/client";
import type { Emulator } from "../../../sdk/testing";
import { call } from "../../testing/call";
import { secretsClientOf } from "../emulated-client";

/** Makes a request of somebody who is not the program. */
async function request(emulator: Emulator, path: string, body: unknown, token?: string): Promise<unknown> {
  const reply = await call(emulator, "secrets", "POST", `/v1/${path}`, {
    body,
    contentType: "application/json",
    ...(token === undefined ? {} : { token }),
  });
  assert.ok(reply.status < 300, `${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
  return reply.body;
}

/** Configures the engine at a mount, with a directory that has these accounts. */
export async function configureDirectory(
  emulator: Emulator,
  accounts: readonly string[],
  mount = "ldap",
): Promise<void> {
  if (!emulator.inspect().secrets.directoryEntries.some(({ dn }) => dn.startsWith("cn=admin"))) {
    emulator.secrets.addDirectoryEntry({ dn: "cn=admin,dc=acme,dc=example", password: "bind-password" });
  }
  for (const name of accounts) {
    emulator.secrets.addDirectoryEntry({ dn: `cn=${name},ou=services,dc=acme,dc=example` });
  }
  await request(emulator, `${mount}/config`, {
    binddn: "cn=admin,dc=acme,dc=example",
    bindpass: "bind-password",
    userdn: "ou=services,dc=acme,dc=example",
  });
}

/** Makes a library set without the program, its accounts as well. */
export async function addLibrarySet(
  emulator: Emulator,
  accounts: readonly string[],
  fields: Readonly<Record<string, unknown>> = {},
  { mount = "ldap", name = "operators" } = {},
): Promise<void> {
  await configureDirectory(emulator, accounts, mount);
  await request(emulator, `${mount}/library/${name}`, { service_account_names: accounts, ...fields });
}

/** Checks out an account as somebody else does. */
export async function borrow(emulator: Emulator, token: string, name = "operators"): Promise<string> {
  const { data } = (await request(emulator, `ldap/library/${name}/check-out`, { name }, token)) as {
    data: { service_account_name: string };
  };
  return data.service_account_name;
}

/** Checks in an account as somebody who may do anything. */
export async function giveBack(emulator: Emulator, account: string, name = "operators"): Promise<void> {
  await request(emulator, `ldap/library/manage/${name}/check-in`, { name, service_account_names: [account] });
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
  const reply = await call(emulator, "secrets", "POST", `/v1/${mount}/role/${name}`, {
    contentType: "application/json",
    body: {
      creation_ldif: [
        `dn: ${dn}`,
        "changetype: add",
        "objectClass: person",
        "userPassword: {{.Password}}",
      ].join("\n"),
      deletion_ldif: [`dn: ${dn}`, "changetype: delete"].join("\n"),
      default_ttl: "2h",
      ...fields,
    },
  });
  assert.equal(reply.status, 204, JSON.stringify(reply.body));
}

/** The names of the accounts that were minted and live. */
export function mintedAccounts(emulator: Emulator): string[] {
  return emulator.inspect().secrets.directoryIssuedAccounts.map(({ username }) => username);
}

/** What a step of a lifecycle is given while its object is made, or read without being managed. */
export function stepAt(
  emulator: Emulator,
  announce: Caller["announce"] = () => undefined,
): Step<SecretsClient> {
  return {
    client: secretsClientOf(emulator),
    signal: new AbortController().signal,
    progress: () => undefined,
    announce,
    memory: {},
    managed: new Set(),
  };
}
