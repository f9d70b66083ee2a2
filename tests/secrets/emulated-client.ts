import assert from "node:assert/strict";
import { secretsService } from "../../sdk/secrets/service";
import { connect } from "../../sdk/connection/connect";
import type { Caller } from "../../sdk/base/caller";
import type { JsonObject } from "../../sdk/base/json";
import { noOthers, type Step } from "../../sdk/resource/definition";
import type { SecretsClient } from "../../sdk/secrets/client";
import type { Emulator } from "../../sdk/testing";
import { useEnvironment } from "../connection/environment";
import { stopServers } from "../http/server";
import type { Properties } from "../support/provider-process";
import { type EmulatorUse, useEmulator } from "../support/use-emulator";
import { call } from "../testing/call";

/** Stack configuration of a program that manages a product of the hashicorp dialect. */
export const hashicorp: Readonly<Record<string, string>> = { "trivium:secretsDialect": "hashicorp" };

/** An emulator for the tests of a suite, which resources and functions find in the environment. Nothing is retried. */
export function useSecrets(options: EmulatorUse = {}): Emulator {
  const emulator = useEmulator(options);
  useEnvironment(() => ({ ...emulator.environment, SECRETS_MAX_RETRIES: "0" }));
  afterEach(stopServers);
  return emulator;
}

type Settings = Readonly<Record<string, string>>;

const quiet = (): Caller => ({
  signal: new AbortController().signal,
  progress: () => undefined,
  announce: () => undefined,
});

/**
 * A client of the emulated secrets service, over real HTTP. Nothing is retried.
 *
 * @param settings stack configuration that goes before
 */
export function secretsClientOf(
  { secrets: { address, token } }: Emulator,
  caller: Partial<Caller> = {},
  settings: Settings = {},
): SecretsClient {
  const environment = { SECRETS_ADDR: address, SECRETS_TOKEN: token, SECRETS_MAX_RETRIES: "0" };
  const configuration = { get: (key: string) => settings[key] };
  return connect({ configuration, environment }, secretsService).clientFor({ ...quiet(), ...caller });
}

/** What a step of a lifecycle is given. Its announcements are collected in `announced`. */
export function stepAt(
  emulator: Emulator,
  announced: string[] = [],
  { privateState = {}, settings = {} }: { privateState?: JsonObject; settings?: Settings } = {},
): Step<SecretsClient> {
  const caller: Caller = { ...quiet(), announce: (kind, message) => announced.push(`${kind}: ${message}`) };
  const client = secretsClientOf(emulator, caller, settings);
  return { ...caller, client, privateState, managed: new Set(), others: noOthers };
}

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
  return (reply.body as { readonly data?: Properties | null } | undefined)?.data ?? {};
}

/** The bodies of the requests to a path. */
export function bodiesSentTo(emulator: Emulator, path: string): unknown[] {
  return emulator.journal.requests({ method: "POST", path: `/v1/${path}` }).map(({ body }) => body);
}

/** An output that is a text. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : assert.fail(`${typeof value} is no text`);
}
