import assert from "node:assert/strict";
import fc from "fast-check";
import { literalText } from "../../../../sdk/secrets/directory/template/literals";

describe("literalText", () => {
  const read: readonly [string, string][] = [
    [`""`, ""],
    [`"a b"`, "a b"],
    [String.raw`"\a\b\f\n\r\t\v\\\""`, '\u0007\b\f\n\r\t\v\\"'],
    [String.raw`"\x41\101\u00e9\U0001F600"`, "AAé😀"],
    [String.raw`'\''`, "'"],
    ['`a\\n"b`', 'a\\n"b'],
    ["`a\r\nb`", "a\nb"],
  ];
  for (const [source, text] of read) {
    it(`reads ${source}`, () => {
      assert.equal(literalText(source), text);
    });
  }

  for (const source of [
    String.raw`"\q"`,
    String.raw`"\'"`,
    String.raw`'\"'`,
    String.raw`"\x4"`,
    String.raw`"\400"`,
    String.raw`"\ud800"`,
    String.raw`"\U00110000"`,
  ]) {
    it(`refuses ${source}`, () => {
      assert.equal(literalText(source), undefined);
    });
  }

  it("reads what JSON writes with escapes that both have", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!/[\ud800-\udfff/]/u.test(text));
        assert.equal(literalText(JSON.stringify(text)), text);
      }),
    );
  });
});
