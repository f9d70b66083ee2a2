import assert from "node:assert/strict";
import fc from "fast-check";
import { constantOf, literalNumber, literalText } from "../../sdk/go-template/literals";
import { SyntaxProblem } from "../../sdk/go-template/syntax-problem";

describe("literalText", () => {
  const read: readonly [string, string][] = [
    [`""`, ""],
    [`"a b"`, "a b"],
    [String.raw`"\a\b\f\n\r\t\v\\\""`, '\u0007\b\f\n\r\t\v\\"'],
    [String.raw`"\x41\101\u00e9\U0001F600"`, "AAé😀"],
    [String.raw`'\''`, "'"],
    [String.raw`"\ue000"`, "\ue000"],
    [String.raw`"\U0010FFFF\377"`, "\u{10ffff}\u00ff"],
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
    String.raw`"\udfff"`,
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

describe("literalNumber", () => {
  const numbers: readonly [string, bigint | number][] = [
    ["0", 0n],
    ["-0", 0n],
    ["+10", 10n],
    ["-10", -10n],
    ["9223372036854775807", 2n ** 63n - 1n],
  ];
  const notEvaluated = [
    ..."1_000 0x1F 0X_f 0o17 017 0b101 1.5 1. .5 1e3 1E-2 08.5 1_0.2_5 1i 1+2i 0x1p-2 0X1.8P4 -2i".split(" "),
    ..."1e1_0 10_00.5 1.5_00_25 .25_75 .2_50_00 1e1_2".split(" "),
  ];
  for (const [source, value] of [...numbers, ...notEvaluated.map((each) => [each, Number.NaN] as const)]) {
    it(`reads ${source}`, () => {
      assert.equal(literalNumber(source), value);
    });
  }

  for (const source of [
    ..." - _1 1_ 1__0 0x 0b2 1e i 9223372036854775808 -9223372036854775809 x1.5 1.5x x1i 1ix 1.5_ .5_ 1e5_ 0x1q2".split(
      " ",
    ),
    "9".repeat(100_000),
    `1.${"0".repeat(999)}`,
  ]) {
    it(`refuses ${source.slice(0, 30)}`, () => {
      assert.equal(literalNumber(source), undefined);
    });
  }
});

describe("constantOf", () => {
  const token = (kind: "name" | "number" | "string" | "character" | "field", text: string) =>
    constantOf({ kind, text, offset: 3, spaced: false });

  it("knows constants from other words", () => {
    assert.equal(token("name", "true"), true);
    assert.equal(token("name", "false"), false);
    assert.equal(token("name", "nil"), null);
    assert.equal(token("name", "uuid"), undefined);
    assert.equal(token("field", ".A"), undefined);
    assert.equal(token("number", "16"), 16n);
    assert.equal(token("string", "`a`"), "a");
    assert.equal(token("character", "'é'"), 233n);
  });

  it("refuses what only begins like one", () => {
    for (const [kind, text] of [
      ["number", "1x"],
      ["string", '"\\q"'],
      ["character", "'ab'"],
      ["character", "''"],
    ] as const) {
      assert.throws(
        () => token(kind, text),
        (error) => error instanceof SyntaxProblem && error.offset === 3,
      );
    }
  });
});
