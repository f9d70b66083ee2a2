import assert from "node:assert/strict";
import fc from "fast-check";
import { toBase32 } from "../../../../sdk/testing/secrets/mfa/base32";

describe("base 32", () => {
  // The vectors of RFC 4648, without their padding.
  for (const [text, expected] of [
    ["", ""],
    ["f", "MY"],
    ["fo", "MZXQ"],
    ["foo", "MZXW6"],
    ["foob", "MZXW6YQ"],
    ["fooba", "MZXW6YTB"],
    ["foobar", "MZXW6YTBOI"],
  ] as const) {
    it(`of ${JSON.stringify(text)} is ${JSON.stringify(expected)}`, () => {
      assert.equal(toBase32(Buffer.from(text)), expected);
    });
  }

  it("holds every bit", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), (bytes) => {
        const digits = Array.from(toBase32(bytes), (letter) =>
          "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter),
        );
        const bits = digits.map((digit) => digit.toString(2).padStart(5, "0")).join("");
        const expected = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
        assert.equal(bits.slice(0, expected.length), expected);
        assert.match(bits.slice(expected.length), /^0{0,4}$/);
      }),
    );
  });
});
