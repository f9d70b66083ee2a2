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
    ["1_000", 1000n],
    ["0x1F", 31n],
    ["0X_f", 15n],
    ["0o17", 15n],
    ["017", 15n],
    ["0b101", 5n],
    ["9223372036854775807", 2n ** 63n - 1n],
    ["1.5", 1.5],
    ["1.", 1],
    [".5", 0.5],
    ["1e3", 1000],
    ["1E-2", 0.01],
    ["08.5", 8.5],
    ["1_0.2_5", 10.25],
    ["1i", Number.NaN],
    ["1+2i", Number.NaN],
    ["0x1p-2", Number.NaN],
    ["0X1.8P4", Number.NaN],
    ["-2i", Number.NaN],
    ["1e1_0", 1e10],
    ["10_00.5", 1000.5],
    ["1.5_00_25", 1.50025],
    [".25_75", 0.2575],
    [".2_50_00", 0.25],
    ["1e1_2", 1e12],
    [`1.${"0".repeat(998)}`, 1],
  ];
  for (const [source, value] of numbers) {
    it(`reads ${source}`, () => {
      assert.equal(literalNumber(source), value);
    });
  }

  for (const source of [
    "",
    "-",
    "_1",
    "1_",
    "1__0",
    "09",
    "0x",
    "0b2",
    "1e",
    "1e400",
    "i",
    "9223372036854775808",
    "-9223372036854775809",
    "9".repeat(100_000),
    `1.${"0".repeat(999)}`,
    "x1.5",
    "1.5x",
    "x1i",
    "1ix",
    "1.5_",
    ".5_",
    "1e5_",
    "0x1q2",
  ]) {
    it(`refuses ${source.slice(0, 30)}`, () => {
      assert.equal(literalNumber(source), undefined);
    });
  }

  it("reads every integer and every decimal number that JavaScript writes", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), (decimal, integer) => {
        assert.equal(literalNumber(String(integer)), BigInt(integer));
        const source = String(decimal);
        fc.pre(/[.e]/.test(source));
        assert.equal(literalNumber(source), decimal);
      }),
    );
  });
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
    assert.equal(token("number", "0x10"), 16n);
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
