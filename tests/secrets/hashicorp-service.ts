import assert from "node:assert/strict";
import type { Caller } from "../../sdk/base/caller";
import type { Step } from "../../sdk/resource/definition";
import type { JsonObject } from "../../sdk/base/json";
import type { SecretsClient } from "../../sdk/secrets/client";
import { configDefinition } from "../../sdk/secrets/directory/config";
import { dynamicRoleDefinition } from "../../sdk/secrets/directory/dynamic-role";
import { librarySetDefinition } from "../../sdk/secrets/directory/library-set";
import type { Emulator } from "../../sdk/testing";
import { Managed } from "../support/managed";
import type { Properties } from "../support/provider-process";
import { secretsClientOf } from "./emulated-client";

/** Stack configuration of a program that manages a product of the hashicorp dialect. */
export const hashicorp: Readonly<Record<string, string>> = { "trivium:secretsDialect": "hashicorp" };

/** A request of somebody who is not the program. */
export async function ask(
  emulator: Emulator,
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: Readonly<Record<string, unknown>>,
  token = emulator.secrets.token,
): Promise<Properties> {
  const response = await fetch(`${emulator.secrets.address}/v1/${path}`, {
    method,
    headers: { "x-vault-token": token, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${path}: ${response.status} ${text}`);
  return text === "" ? {} : ((JSON.parse(text) as { readonly data: Properties | null }).data ?? {});
}

const admin = "cn=admin,dc=acme,dc=example";
const parent = "ou=minted,dc=acme,dc=example";

/** What a program says of the directory that {@link makeDirectory} makes. */
export const directory = {
  binddn: admin,
  bindpass: "bind-password",
  userdn: "ou=services,dc=acme,dc=example",
};

/** Makes a directory with these accounts, and its configuration as a resource. */
export async function makeDirectory(
  emulator: Emulator,
  accounts: readonly string[] = [],
  more: Properties = {},
): Promise<Managed> {
  emulator.secrets.addDirectoryEntry({ dn: admin, password: directory.bindpass });
  emulator.secrets.addDirectoryEntry({ dn: parent });
  for (const name of accounts) {
    emulator.secrets.addDirectoryEntry({ dn: `cn=${name},${directory.userdn}` });
  }
  const managed = new Managed(configDefinition, emulator, hashicorp);
  await managed.up({ ...directory, ...more });
  return managed;
}

/** Makes the dynamic role `reports`. */
export async function makeDynamicRole(emulator: Emulator): Promise<void> {
  const entry = `dn: cn={{.Username}},${parent}`;
  await new Managed(dynamicRoleDefinition, emulator, hashicorp).up({
    roleName: "reports",
    creationLdif: `${entry}\nchangetype: add\nobjectClass: person\nuserPassword: {{.Password}}`,
    deletionLdif: `${entry}\nchangetype: delete`,
    defaultTtl: "2h",
  });
}

/** Makes the library set `operators`. */
export async function makeLibrarySet(
  emulator: Emulator,
  accounts: readonly string[],
  more: Properties = {},
): Promise<Managed> {
  await makeDirectory(emulator, accounts);
  const managed = new Managed(librarySetDefinition, emulator, hashicorp);
  await managed.up({ name: "operators", serviceAccountNames: accounts, ...more });
  return managed;
}

/** What a step of a lifecycle is given, whose announcements are collected. */
export function listeningStep(
  emulator: Emulator,
  announced: string[],
  memory: JsonObject = {},
  settings = hashicorp,
): Step<SecretsClient> {
  const caller: Caller = {
    signal: new AbortController().signal,
    progress: () => undefined,
    announce: (kind, message) => announced.push(`${kind}: ${message}`),
  };
  return { ...caller, client: secretsClientOf(emulator, caller, settings), memory, managed: new Set() };
}

/** The bodies of the requests to a path. */
export function bodiesSentTo(emulator: Emulator, path: string): unknown[] {
  return emulator.journal
    .requests()
    .filter((request) => request.method === "POST" && request.path === `/v1/${path}`)
    .map(({ body }) => body);
}

/** An output that is a text. */
export function textOf(value: unknown): string {
  assert.ok(typeof value === "string");
  return value;
}
