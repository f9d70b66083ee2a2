import assert from "node:assert/strict";
import type { Emulator, ServiceName } from "../../sdk/testing";

/** What a test gets to see of a response. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed when it is JSON, else the text. */
  readonly body: unknown;
}

/** Parts of a request that differ from the usual. */
export interface CallOptions {
  /** Sent as JSON; a text goes out as it is. */
  readonly body?: unknown;
  /** Default the service's own; `null` for none. */
  readonly token?: string | null;
  /** Default `application/vnd.api+json`; `null` for none. */
  readonly contentType?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** One request of a plain HTTP client to a service of the emulator. */
export async function call(
  emulator: Emulator,
  service: ServiceName,
  method: string,
  target: string,
  options: CallOptions = {},
): Promise<Reply> {
  const { body, contentType = "application/vnd.api+json" } = options;
  const { address, token: own } = emulator[service];
  const token = options.token === undefined ? own : options.token;
  const headers = new Headers(options.headers);
  if (token !== null) {
    headers.set(...tokenHeader(service, token));
  }
  if (method !== "GET" && contentType !== null) {
    headers.set("Content-Type", contentType);
  }
  const response = await fetch(address + target, {
    method,
    headers,
    ...(body === undefined
      ? {}
      : { body: typeof body === "string" ? new TextEncoder().encode(body) : encode(body) }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const text = await response.text();
  const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "") && text !== "";
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? (JSON.parse(text) as unknown) : text,
  };
}

/** Follows names and positions into a value from outside. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === "object" && inner !== null ? Reflect.get(inner, String(name)) : undefined,
    value,
  );
}

/** The same, for a text. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const text = at(value, ...path);
  if (typeof text !== "string") {
    throw new TypeError(`There is no text at ${path.join(".")} of ${JSON.stringify(value)}.`);
  }
  return text;
}

function encode(body: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(body));
}

function tokenHeader(service: ServiceName, token: string): [string, string] {
  return service === "secrets" ? ["X-Secrets-Token", token] : ["Authorization", `Bearer ${token}`];
}

/** Lets the event loop turn until something is the case; the test's own time limit is the end of it. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Asserts that a response is a JSON:API document with one error, which names this place of the request. */
export function assertRefusedByProvisioning(
  reply: Reply,
  status: number,
  detail: RegExp,
  source?: string,
): void {
  assert.equal(reply.status, status, JSON.stringify(reply.body));
  assert.equal(reply.headers.get("content-type"), "application/vnd.api+json");
  assert.equal(at(reply.body, "errors", "length"), 1);
  assert.equal(at(reply.body, "errors", 0, "status"), String(status));
  assert.notEqual(textAt(reply.body, "errors", 0, "title"), "");
  assert.match(textAt(reply.body, "errors", 0, "detail"), detail);
  const place = source?.startsWith("?") === true ? { parameter: source.slice(1) } : { pointer: source };
  assert.deepEqual(at(reply.body, "errors", 0, "source"), source === undefined ? undefined : place);
}
