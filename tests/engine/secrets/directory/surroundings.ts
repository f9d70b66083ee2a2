import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { bindPassword } from "../../../cases/support/engines";
import { type Configuration, configurationOf, connectionTo } from "../../support/surroundings";

/** The token of the secrets service, which may be shown nowhere. */
export const secretsToken = "canary-secrets-token-8d2f61";

export { bindPassword };

/** The entry that the engine binds as. */
export const bindName = "cn=binds for ldap,dc=acme,dc=example";

/** An emulator with the directory engine, not configured, and a directory with these accounts. */
export async function directoryEngine(accounts: readonly string[] = []): Promise<Emulator> {
  const emulator = await startEmulator({ tokens: { secrets: secretsToken } });
  emulator.secrets.addDirectoryEntry({ dn: bindName, password: bindPassword });
  for (const name of accounts) {
    emulator.secrets.addDirectoryEntry({ dn: `cn=${name},ou=services,dc=acme,dc=example` });
  }
  return emulator;
}

/** Sends requests that are not the program's, and forgets that they were made. */
export async function setUp(
  emulator: Emulator,
  requests: readonly { readonly path: string; readonly body: object }[],
): Promise<void> {
  for (const { path, body } of requests) {
    const { ok } = await fetch(`${emulator.secrets.address}/v1/${path}`, {
      method: "POST",
      headers: {
        "x-secrets-token": secretsToken,
        "content-type": "application/json",
      },
      body: JSON.stringify(body),
    });
    assert.ok(ok, path);
  }
  emulator.journal.clear();
}

/** Stack configuration for the secrets service of an emulator. */
export function configurationFor(emulator: Emulator): Configuration {
  return configurationOf(connectionTo(emulator, "secrets"));
}
