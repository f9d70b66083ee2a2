import assert from "node:assert/strict";
import fc from "fast-check";
import { decodeLdif } from "../../../../sdk/secrets/directory/template/base64";

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
    for (const text of [
      "",
      "\n",
      "dn: cn=x\nchangetype: delete\n",
      "hello",
      "AAAA AAAA",
      "A===",
      "AA=A",
      "AA-_",
      "é===",
    ]) {
      assert.equal(decodeLdif(text), undefined);
    }
  });
});
