import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Exchange {
  /** `$name` is a value of an earlier response. */
  readonly request: string;
  readonly body?: unknown;
  /** Null for none; default that of the service. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Names for values of the response. */
  readonly save?: Readonly<Record<string, string>>;
  readonly response: { readonly status: number; readonly body: unknown };
  /** Why the emulator has another response; `refused` for its own sentence, `words` for the same status. */
  readonly departure?: string;
}

export const file = join(__dirname, "../../fixtures/wire/openbao-2.6.2-clients.json");
export const exchanges = JSON.parse(readFileSync(file, "utf8")) as readonly Exchange[];

const random = /^(?:accessor|client_token|id|lease_id|request_id|token|uuid|wrapped_accessor)$/;

/** Without what differs each time. */
export function scrubbed(value: unknown): unknown {
  const text = JSON.stringify(value, (name, member: unknown) => {
    if (typeof member === "number" && /^(?:creation_time|ttl)$/.test(name)) {
      return name === "ttl" ? Math.round(member / 10) * 10 : 0;
    }
    if (typeof member !== "string" || member === "") {
      return member;
    }
    return random.test(name)
      ? `<${name}>`
      : member
          .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "<id>")
          .replace(/_[0-9a-f]{8}$/, "_<id>")
          .replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/, "<time>");
  });
  const byKey = (_name: string, member: unknown): unknown =>
    member === null || typeof member !== "object" || Array.isArray(member)
      ? member
      : Object.fromEntries(
          Object.entries(member)
            .map(([key, inner]) => [key.replace(/^[0-9a-f-]{36}$/, "<id>"), inner] as const)
            .sort(([one], [other]) => (one < other ? -1 : 1)),
        );
  return JSON.parse(text, byKey) as unknown;
}

/** @throws AssertionError unless the response is the recorded one, or departs from it as the recording says */
export function assertRecorded(
  actual: Exchange["response"] | undefined,
  { response, departure }: Exchange,
): void {
  const own = JSON.stringify(actual?.body).includes("The emulator of pulumi-trivium does not implement");
  assert.equal(own, departure === "refused", JSON.stringify(actual));
  if (departure === "words") {
    assert.equal(actual?.status, response.status);
  }
  assert[departure === undefined ? "deepEqual" : "notDeepEqual"](actual, response);
}
