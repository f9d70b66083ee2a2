import assert from "node:assert/strict";
import { at, textAt, type Reply } from "../call";

/** Asserts that an answer is a JSON:API document with one error, which names this place of the request. */
export function assertRefused(reply: Reply, status: number, detail: RegExp, source?: string): void {
  assert.equal(reply.status, status, JSON.stringify(reply.body));
  assert.equal(reply.headers.get("content-type"), "application/vnd.api+json");
  assert.equal(at(reply.body, "errors", "length"), 1);
  assert.equal(at(reply.body, "errors", 0, "status"), String(status));
  assert.notEqual(textAt(reply.body, "errors", 0, "title"), "");
  assert.match(textAt(reply.body, "errors", 0, "detail"), detail);
  const place = source?.startsWith("?") === true ? { parameter: source.slice(1) } : { pointer: source };
  assert.deepEqual(at(reply.body, "errors", 0, "source"), source === undefined ? undefined : place);
}
