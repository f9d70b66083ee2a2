import assert from "node:assert/strict";
import type { Emulator, ServiceName } from "../../sdk/testing";

/** What a test gets to see of a response: its body is parsed when it is JSON, else the text. */
export type Reply = Awaited<ReturnType<typeof call>>;

/** A request to a real server and its response; without a status it ended the connection instead. */
export interface Recording {
  readonly note: string;
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response: { readonly status?: number | undefined; readonly body?: unknown };
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
) {
  const { body, contentType = "application/vnd.api+json" } = options;
  const { address } = emulator[service];
  const token = options.token === undefined ? emulator[service].token : options.token;
  // Each dialect of the secrets service has a header of its own.
  const own = { "X-Secrets-Token": token ?? "", "X-Vault-Token": token ?? "" };
  const added = service === "secrets" ? own : { Authorization: `Bearer ${token}` };
  const headers = new Headers({ ...options.headers, ...(token === null ? {} : added) });
  if (method !== "GET" && contentType !== null) {
    headers.set("Content-Type", contentType);
  }
  const response = await fetch(address + target, {
    method,
    headers,
    signal: options.signal ?? null,
    body: body === undefined ? null : Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  });
  const text = await response.text();
  const { status, headers: received } = response;
  const isJson = /\bjson\b/.test(received.get("content-type") ?? "") && text !== "";
  return { status, headers: received, body: isJson ? (JSON.parse(text) as unknown) : text };
}

/** Follows names and positions into a value from outside. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, name) => Reflect.get(Object(inner) as object, name), value);
}

/** The same, for a text. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const text = at(value, ...path);
  assert.ok(typeof text === "string", `There is no text at ${path.join(".")} of ${JSON.stringify(value)}.`);
  return text;
}

/** Lets the event loop turn until something is the case; the test's own time limit is the end of it. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Asserts that a response has one error, whose place in the request and text match. */
export function assertRefused({ status, body }: Reply, expected: number, error: RegExp): void {
  const shown = JSON.stringify(body);
  assert.equal(status, expected, shown);
  const errors = at(body, "errors");
  assert.ok(Array.isArray(errors) && errors.length === 1, shown);
  const [first] = errors as unknown[];
  if (typeof first === "string") {
    assert.match(first, error);
    return;
  }
  assert.equal(at(first, "status"), String(expected));
  assert.notEqual(textAt(first, "title"), "");
  const [[kind, place] = ["", ""]] = Object.entries(at(first, "source") ?? {}) as [string, string][];
  assert.match(`${kind === "parameter" ? "?" : ""}${place} ${textAt(first, "detail")}`, error);
}

/** A request such as `POST /v1/x`, its body, and the status of the response, with the error that it has. */
export type Exchange = readonly [request: string, body: unknown, status: number, error?: RegExp];

/** Sends requests one after the other, and asserts what each response is. */
export async function assertResponses(
  emulator: Emulator,
  service: ServiceName,
  exchanges: readonly Exchange[],
  options?: CallOptions,
): Promise<void> {
  for (const [request, body, status, error] of exchanges) {
    const [method = "", target = ""] = request.split(" ");
    const reply = await call(emulator, service, method, target, { ...options, body });
    assert.equal(reply.status, status, `${request} ${JSON.stringify(body)}: ${JSON.stringify(reply.body)}`);
    if (error !== undefined) {
      assertRefused(reply, status, error);
    }
  }
}
