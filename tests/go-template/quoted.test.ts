import assert from "node:assert/strict";
import { quoted } from "../../sdk/go-template/quoted";

describe("quoted", () => {
  it("puts a piece of a text on one line and between back quotes", () => {
    assert.equal(quoted("a\nb\r\tc\u0001\u2028"), "`a\\nb\\r\\tc\\u0001\\u2028`");
  });

  it("shortens what is long", () => {
    assert.equal(quoted("x".repeat(60)), `\`${"x".repeat(60)}\``);
    assert.equal(quoted("x".repeat(61)), `\`${"x".repeat(60)}...\``);
    assert.equal(quoted(`${"x".repeat(59)}😀`), `\`${"x".repeat(59)}...\``);
    assert.equal(quoted(`😀${"x".repeat(60)}`), `\`😀${"x".repeat(58)}...\``);
    assert.equal(quoted(`${"x".repeat(58)}😀`), `\`${"x".repeat(58)}😀\``);
  });
});
