import assert from "node:assert/strict";
import fc from "fast-check";
import { ldif } from "../../../sdk/secrets/directory/ldif";

const plain = "dn: cn={{.Username}},dc=acme\nchangetype: delete";

describe("the canonical form of LDIF", () => {
  it("is that of its base64, however that is wrapped", () => {
    const line = fc.stringMatching(/^[a-z]{1,8}: [a-z0-9 {}.ü]{0,40}$/);
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), fc.integer({ min: 1, max: 80 }), (lines, width) => {
        const text = lines.join("\n");
        const encoded = Buffer.from(text).toString("base64");
        const wrapped = encoded.replace(new RegExp(`.{${width}}`, "g"), "$&\n");
        assert.equal(ldif(encoded), ldif(text));
        assert.equal(ldif(wrapped), ldif(text));
      }),
    );
  });

  it("does not depend on line ends and white space around", () => {
    for (const text of [
      `${plain}\n`,
      `\n\n${plain}`,
      plain.replace("\n", "\r\n"),
      plain.replace("\n", "\r"),
    ]) {
      assert.equal(ldif(text), plain);
    }
  });

  it("keeps apart what differs inside", () => {
    for (const text of [plain.replace("\n", "\n\n"), plain.replace("\n", "\n "), plain.replace("dn", "DN")]) {
      assert.notEqual(ldif(text), ldif(plain));
    }
  });

  it("is null for nothing, and for what is no text that text", () => {
    assert.deepEqual([ldif(""), ldif(" \n"), ldif(null), ldif(5)], [null, null, null, 5]);
  });
});
