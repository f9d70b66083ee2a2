import assert from "node:assert/strict";
import type { Reply } from "../call";

/** Asserts that an answer has one error, with this text or one that matches. */
export function assertRefused(reply: Reply, status: number, error: string | RegExp): void {
  assert.equal(reply.status, status, JSON.stringify(reply.body));
  assert.equal(reply.headers.get("content-type"), "application/json");
  const errors: unknown = Reflect.get(Object(reply.body) as object, "errors");
  assert.ok(Array.isArray(errors) && errors.length === 1, JSON.stringify(reply.body));
  assert.deepEqual(reply.body, { errors });
  if (typeof error === "string") {
    assert.equal(errors[0], error);
  } else {
    assert.match(String(errors[0]), error);
  }
}

/** An error as the service writes those that come from an engine. */
export function numbered(error: string): string {
  return `1 error occurred:\n\t* ${error}\n\n`;
}
