import assert from "node:assert/strict";
import fc from "fast-check";
import { parseNumber } from "../../../../sdk/secrets/directory/template/numbers";

describe("parseNumber", () => {
  const whole: readonly [string, number][] = [
    ["0", 0],
    ["-0", 0],
    ["10", 10],
    ["+10", 10],
    ["-10", -10],
    ["1_000", 1000],
    ["0x1F", 31],
    ["0X_f", 15],
    ["0o17", 15],
    ["017", 15],
    ["0b101", 5],
    ["9223372036854775807", 2 ** 63],
  ];
  for (const [source, value] of whole) {
    it(`reads ${source} as an integer`, () => {
      const number = parseNumber(source);
      assert.equal(number?.type, "integer");
      assert.equal((number.literal as number) + 0, value);
      assert.equal(number.isWhole, true);
    });
  }

  const decimals: readonly [string, number, boolean][] = [
    ["1.5", 1.5, false],
    ["1.", 1, true],
    [".5", 0.5, false],
    ["1e3", 1000, true],
    ["1E-2", 0.01, false],
    ["08.5", 8.5, false],
    ["1_0.2_5", 10.25, false],
    ["0x1p4", 16, true],
    ["0x1.8p1", 3, true],
    ["-0x.8p0", -0.5, false],
    ["1e300", 1e300, false],
  ];
  for (const [source, value, isWhole] of decimals) {
    it(`reads ${source} as a decimal number`, () => {
      assert.deepEqual(parseNumber(source), { type: "decimal", literal: value, isWhole });
    });
  }

  for (const source of ["1i", "-2.5i", "1+2i", "1_0+2i", "017i", "0x1p-2i", "1e+2-3i"]) {
    it(`reads ${source} as a complex number`, () => {
      assert.equal(parseNumber(source)?.type, "complex");
    });
  }

  it("tells integers that only an unsigned type can hold", () => {
    assert.equal(parseNumber("9223372036854775808")?.overflows, true);
    assert.equal(parseNumber("18446744073709551615")?.overflows, true);
    assert.equal(parseNumber("-9223372036854775808")?.overflows, undefined);
  });

  for (const source of [
    "",
    "-",
    "+",
    "_1",
    "1_",
    "1__0",
    "09",
    "0x",
    "0x1.8",
    "0x1i",
    "0b2",
    "1e",
    "1e400",
    "i",
    "1+i",
    "18446744073709551616",
    "-9223372036854775809",
    "9".repeat(100_000),
  ]) {
    it(`refuses ${source.slice(0, 30)}`, () => {
      assert.equal(parseNumber(source), undefined);
    });
  }

  it("reads every integer and every decimal number that JavaScript writes", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), (decimal, integer) => {
        assert.equal(parseNumber(String(integer))?.literal, integer);
        const source = String(decimal);
        fc.pre(/[.e]/.test(source));
        assert.equal(parseNumber(source)?.literal, decimal);
      }),
    );
  });
});
