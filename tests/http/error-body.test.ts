import assert from "node:assert/strict";
import fc from "fast-check";
import { isPage, messagesIn } from "../../sdk/http/error-body";
import { processRedactor } from "../../sdk/base/redactor";

const words = (body: unknown): readonly string[] =>
  messagesIn(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)));

describe("messages of an error body", () => {
  const pointer = "/data/attributes/name";
  const text = "invalid attribute: Name is taken";
  const taken = { status: "422", title: "invalid attribute", detail: "Name is taken", source: { pointer } };
  const page =
    "<!DOCTYPE html><html><head><title>502 Bad&nbsp;Gateway</title><style>p{}</style></head>" +
    "<body><script>alert(1)</script><h1>Oh &amp; no</h1><p>nginx</p></body></html>";
  const entities =
    "<html>a<script>alert(1)</script >b<style>p{}</style>&lt;c&gt; &quot;d&apos; &nope;</html>";
  const repeated =
    '<html><head><title lang="en"> Bad Gateway </title></head><h1>Bad\n  Gateway</h1>nginx</html>';
  /** JSON:API errors, or what others put there. */
  const errors = (...list: readonly unknown[]) => ({ errors: list });
  const cases: readonly [string, unknown, ...expected: string[]][] = [
    ["JSON:API errors", errors(taken, { title: "not found" }), `${text} (${pointer})`, "not found"],
    ["a title that the detail repeats", errors({ title: "Gone", detail: "gone: p" }), "gone: p"],
    ["a numeric status", errors({ status: 429, title: "Too many requests" }), "Too many requests"],
    ["nothing but a numeric status", errors({ status: 429 }), "429"],
    ["errors as strings", errors("permission denied", "again"), "permission denied", "again"],
    ["the same string twice", errors("permission denied", "permission denied"), "permission denied"],
    ["errors as one string", { errors: "permission denied" }, "permission denied"],
    ["no errors", errors()],
    ["warnings without errors", { errors: [], warnings: ["deprecated"] }, "deprecated"],
    ["a list of strings", ["first", "second"], "first", "second"],
    ["a message", { message: "no" }, "no"],
    ["an error with a message", { error: { code: 7, message: "no" } }, "no"],
    ["errors by field", { errors: { name: ["is short", "is taken"] } }, "name: is short", "name: is taken"],
    ["errors below several levels", { errors: { a: { b: { c: "no" } } } }, "a: b: c: no"],
    ["nothing that is nested deeper", { errors: { a: { b: { c: { d: { e: "no" } } } } } }],
    ["a list in lists", [[[[["no"]]]]], "no"],
    ["nothing in lists nested deeper", [[[[[["no"]]]]]]],
    ["a code beside other fields", errors({ code: "E1", name: "is taken" }), "E1", "name: is taken"],
    ["a detail without a title", errors({ detail: "Name is taken" }), "Name is taken"],
    ["blanks around a detail", errors({ title: " ", detail: " taken  already " }), "taken already"],
    ["a parameter", errors({ title: "bad", source: { parameter: "page[size]" } }), "bad (page[size])"],
    ["Message", { Message: "no" }, "no"],
    ["an OAuth error", { error: {}, error_description: "no such client" }, "no such client"],
    ["a reason", { reason: "no" }, "no"],
    ["twelve Go errors", errors("12 errors occurred:\n\t* bad"), "bad"],
    ["errors as Go lists them", errors("1 error occurred:\n\t* bad ttl\n\n"), "bad ttl"],
    ["a string that counts errors", "after 2 errors occurred: a * b", "after 2 errors occurred: a * b"],
    ["tabs", "a\tb\tc", "a b c"],
    ["bytes that are control characters", "\u0001\u0002ab", "(a body that is not text)"],
    ["plain text", "Permission denied\n", "Permission denied"],
    ["a JSON text", '"no"', "no"],
    ["nothing", ""],
    ["white space", " \r\n"],
    ["null", "null"],
    ["an object without text", { data: { id: 1 } }],
    ["broken JSON", '{"errors":["cut', '{"errors":["cut'],
    ["a page", page, "502 Bad Gateway: Oh & no nginx"],
    ["a page without a head", "<html><body><p>Sorry</p></body></html>", "Sorry"],
    ["a page whose text begins with its title", repeated, "Bad Gateway nginx"],
    ["a page with HTML entities", entities, `a b <c> "d' &nope;`],
    ["a long page", `<html>${"word ".repeat(100)}</html>`, `${"word ".repeat(39)}word`],
    ["a page after other text", "no: <html><b>a</b></html>", "no: <html><b>a</b></html>"],
    ["control characters", errors("a\u001b[31mred\u0007\u202e"), "a [31mred"],
  ];
  for (const [name, body, ...expected] of cases) {
    it(`the messages of an error body are found in ${name}`, () => assert.deepEqual(words(body), expected));
  }

  it("the reader of an error body survives bytes that are not text", () => {
    const broken = Buffer.from("666f6f6261722078797aff", "hex");
    assert.deepEqual(messagesIn(broken), ["foobar xyz\ufffd"]);
    for (const bytes of ["ff666f", "1f8b0800fffe0180"]) {
      assert.deepEqual(messagesIn(Buffer.from(bytes, "hex")), ["(a body that is not text)"]);
    }
    assert.ok(words(`${"word ".repeat(200)}${"\u0001".repeat(1000)}`)[0]?.startsWith("word word"));
  });

  it("the reader of an error body is limited in length and number, and is fast even for a page that is designed to be slow", () => {
    assert.ok(words(`<html>${"<script ".repeat(1_000_000)}`).join("").length < 700);
    assert.ok(words("<".repeat(1_000_000)).join("").length < 700);
    // Not a single repeated character: other suites in this process might have registered a long row of it as a secret.
    assert.ok(words("no end ".repeat(1_500_000)).join("").length < 700);
    const many = words({ errors: Array.from({ length: 500 }, (_, index) => `error ${index}`) });
    assert.deepEqual([many.length, many[10]], [11, "and 490 more"]);
    assert.equal(words(Array.from({ length: 10 }, (_, index) => `error ${index}`)).length, 10);
  });

  it("the reader of an error body does not leave part of a secret where a text or a page is shortened", () => {
    processRedactor.register("cut-in-two-secret");
    const text = words(`${"x".repeat(590)}cut-in-two-secret`).join("");
    assert.ok(!text.includes("cut"), text);
    for (const secret of ["cut-in-two-secret", "cut&#45;in&#x2d;two&#x2D;secret"]) {
      for (let length = 170; length < 205; length++) {
        const start = "x".repeat(length);
        const shown = words(`<html><body>${start}${secret}</body></html>`).join("");
        assert.ok(`${start}[secret]`.startsWith(shown), shown);
      }
    }
  });

  it("the reader of an error body never throws and never breaks a line", () =>
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), fc.uint8Array(), (text, bytes) => {
        const found = [...words(text), ...messagesIn(bytes)];
        assert.ok(found.every((each) => each !== "" && !/[\r\n]/.test(each) && each.length < 700));
      }),
    ));

  it("the reader of an error body distinguishes pages from texts", () => {
    assert.ok(["  <HTML>", "<!doctype html>"].every(isPage));
    assert.ok(!["< 5 is too small", '{"errors":[]}'].some(isPage));
  });
});
