import assert from "node:assert/strict";
import fc from "fast-check";
import { decodeLdif, isBase64 } from "../../../../sdk/secrets/directory/template/base64";

describe("isBase64", () => {
  for (const text of ["", "AAAA", "AA==", "AAA=", "ab+/", "AAAA\nBBBB\r\n"]) {
    it(`accepts ${JSON.stringify(text)}`, () => {
      assert.equal(isBase64(text), true);
    });
  }

  for (const text of ["A", "AAAAA", "A===", "AA=A", "AA-_", "AA AA", "AAAA ", "é==="]) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(isBase64(text), false);
    });
  }
});

describe("decodeLdif", () => {
  it("decodes what was encoded, whatever it is and however it is broken into lines", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.integer({ min: 1, max: 76 }),
        (text, width) => {
          const encoded = Buffer.from(text).toString("base64");
          assert.equal(decodeLdif(encoded), text);
          assert.equal(decodeLdif(encoded.replace(new RegExp(`.{${width}}`, "g"), "$&\r\n")), text);
        },
      ),
    );
  });

  it("leaves alone what is not base64, and what holds nothing", () => {
    for (const text of ["", "\n", "dn: cn=x\nchangetype: delete\n", "hello", "AAAA AAAA"]) {
      assert.equal(decodeLdif(text), undefined);
    }
  });
});
