import assert from "node:assert/strict";
import { TriviumError } from "../../sdk/base/errors";
import { HttpTransport } from "../../sdk/http/http-transport";
import { path } from "../../sdk/base/path";
import type { Operation, TransportSettings } from "../../sdk/http/transport";
import { impatientClock, type ManualClock } from "./clock";
import { stopServers } from "./server";

/** A pure read. */
export const read: Operation = {
  summary: "read the thing",
  method: "GET",
  path: path`/things/${"1"}`,
  idempotent: true,
};

/** A write that can happen twice. */
export const write: Operation = { ...read, summary: "change the thing", method: "PATCH", body: { a: 1 } };

/** A write that must not happen twice. */
export const make: Operation = {
  ...read,
  summary: "make a thing",
  method: "POST",
  idempotent: false,
  body: { a: 1 },
};

const transports = new Set<HttpTransport>();

/** A transport to the secrets service at an address; waits between attempts take no time without a clock. */
export function connect(
  address: string,
  settings: Partial<TransportSettings> = {},
  clock: ManualClock = impatientClock(),
): HttpTransport {
  const transport = new HttpTransport(
    { service: "secrets", address, ...settings, dialect: "documented" },
    clock,
  );
  transports.add(transport);
  return transport;
}

/** Ends every connection and every server of a test. For `afterEach`. */
export function disconnect(): void {
  transports.forEach(({ sockets }) => void sockets.dispatcher.destroy());
  transports.clear();
  stopServers();
}

/** @returns the error with which a call failed, which must be of a class */
export async function failure<Kind extends Error = TriviumError>(
  promise: Promise<unknown>,
  kind: { readonly prototype: Kind; isInstance(error: unknown): boolean } = TriviumError as never,
): Promise<Kind> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  assert.ok(kind.isInstance(error), `expected a failure of another class than ${String(error)}`);
  return error as Kind;
}
