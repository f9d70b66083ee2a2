import assert from "node:assert/strict";
import fc from "fast-check";
import { utf8Text } from "../../sdk/scheduler/utf8-text";

describe("utf8Text", () => {
  it("gives the text of any bytes, as the usual way does", () => {
    const texts = fc.string({ unit: "binary", maxLength: 40 }).map((text) => Buffer.from(text));
    const rubbish = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes));
    fc.assert(
      fc.property(fc.oneof(texts, rubbish), (bytes) => {
        assert.equal(utf8Text(bytes), bytes.toString("utf8"));
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps a byte order mark, and replaces what breaks off", () => {
    assert.equal(utf8Text(Buffer.from("\ufeffé")), "\ufeffé");
    assert.equal(utf8Text(Buffer.from("a漢").subarray(0, 3)), "a\ufffd");
  });
});
