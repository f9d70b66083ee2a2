import assert from "node:assert/strict";
import type { Caller } from "../../sdk/base/caller";
import type { Step } from "../../sdk/resource/definition";
import type { JsonObject } from "../../sdk/base/json";
import type { SecretsClient } from "../../sdk/secrets/client";
import { configDefinition } from "../../sdk/secrets/directory/config";
import type { Emulator } from "../../sdk/testing";
import { Managed } from "../support/managed";
import type { Properties } from "../support/provider-process";
import { call } from "../testing/call";
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
  const contentType = "application/json";
  const reply = await call(emulator, "secrets", method, `/v1/${path}`, { body, token, contentType });
  assert.ok(reply.status < 300, `${path}: ${JSON.stringify(reply)}`);
  return (reply.body as { readonly data?: Properties | null }).data ?? {};
}

const admin = "cn=admin,dc=acme,dc=example";

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
  for (const name of accounts) {
    emulator.secrets.addDirectoryEntry({ dn: `cn=${name},${directory.userdn}` });
  }
  const managed = new Managed(configDefinition, emulator, hashicorp);
  await managed.up({ ...directory, ...more });
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
