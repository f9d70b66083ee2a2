import assert from "node:assert/strict";
import type { Emulator } from "../../../sdk/testing";
import { call } from "../../testing/call";
import { configureDirectory } from "./emulated-library";

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
