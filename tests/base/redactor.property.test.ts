import assert from "node:assert/strict";
import fc from "fast-check";
import { redacted, Redactor } from "../../sdk/base/redactor";
import { certificates } from "../support/certificates";
import { encodings } from "../support/texts";

function knowing(secrets: readonly string[]): Redactor {
  const redactor = new Redactor();
  redactor.register(...secrets);
  return redactor;
}

/** What any text is made of: what encodings and regular expressions make something of, and everything else. */
const odd = Array.from("\"'\\/+=&<>%?#$^.*()[]{}|- \n\t\u00e9\u20ac\u{1f511}");
const character = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...odd) },
  { weight: 2, arbitrary: fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }) },
);
const secretText = fc
  .string({ unit: character, minLength: 6, maxLength: 40 })
  .filter((text) => text.trim().length >= 6 && !/\p{Surrogate}/u.test(text));

/** Not part of any encoding, nor of the text that replaces a secret. */
const otherText = fc.string({ unit: fc.constantFrom("\u00a7", "\u00b6", "\u203b"), maxLength: 12 });

/** Secrets that contain each other, overlap and repeat themselves. */
const entangled = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), minLength: 6, maxLength: 14 }), {
  minLength: 1,
  maxLength: 6,
});
const entangledText = fc.string({ unit: fc.constantFrom("a", "a", "b", "b", "-"), maxLength: 60 });

/** What has to come out, found the slow way: every place of every secret is covered. */
function coveredByHand(text: string, secrets: readonly string[]): string {
  let shown = "";
  let covered = 0;
  for (let position = 0; position < text.length; position++) {
    const here = secrets.filter((secret) => text.startsWith(secret, position)).map(({ length }) => length);
    if (here.length > 0 && position >= covered) {
      shown += redacted;
    }
    covered = Math.max(covered, ...here.map((length) => position + length));
    shown += position >= covered ? text.charAt(position) : "";
  }
  return shown;
}

describe("redactor, whatever the secret is", () => {
  for (const [name, encode] of Object.entries(encodings)) {
    it(`the redactor replaces a secret ${name === "as it is" ? name : `in ${name}`}, and keeps the text around it`, () => {
      fc.assert(
        fc.property(secretText, otherText, otherText, (secret, before, after) => {
          const shown = knowing([secret]).redact(before + encode(secret) + after);
          const expected = before + redacted + after;
          if (name.startsWith("base64")) {
            // The last character also encodes bits of what follows, so it is not searched for.
            assert.equal(shown.replace(/\][\w+/-]?=*/, "]"), expected);
          } else {
            assert.equal(shown, expected);
          }
        }),
      );
    });
  }

  it("the redactor replaces a secret inside longer base64 data, except for its outermost bytes", () => {
    const letters = fc.string({
      unit: fc.constantFrom(...Array.from("xyzXYZ789")),
      minLength: 8,
      maxLength: 30,
    });
    const padding = fc.string({ unit: fc.constantFrom(" ", ":"), maxLength: 7 });
    fc.assert(
      fc.property(letters, padding, padding, (secret, before, after) => {
        const shown = knowing([secret]).redact(Buffer.from(before + secret + after).toString("base64"));
        assert.ok(shown.includes(redacted), shown);
        const left = shown.split(redacted).map((part) => part.replace(/=+$/, ""));
        const [head = "", tail = ""] = left;
        const readable =
          Buffer.from(head, "base64").toString("latin1") +
          // Groups of four characters are read from the end, as the tail begins anywhere in one.
          Buffer.from(tail.slice(tail.length % 4), "base64").toString("latin1");
        const seen = Array.from(readable).filter((each) => /[xyzXYZ789]/.test(each)).length;
        assert.ok(seen <= 4, `${seen} characters of ${secret} can be read in ${shown}`);
      }),
    );
  });

  it("the redactor covers secrets that contain or overlap each other, in any order, and nothing else", () =>
    fc.assert(
      fc.property(entangled, entangledText, (secrets, text) => {
        assert.equal(knowing(secrets).redact(text), coveredByHand(text, secrets));
        assert.equal(knowing(secrets.toReversed()).redact(text), coveredByHand(text, secrets));
      }),
      { numRuns: 500 },
    ));

  it("the redactor hides every line of a key, however it is wrapped, indented, escaped or quoted", () => {
    const { key } = certificates().client;
    const lines = key.split("\n").filter((line) => line.length >= 16 && !line.startsWith("-"));
    assert.ok(lines.length > 1);
    const wrapped: Readonly<Record<string, string>> = {
      "as it is": key,
      "with carriage returns": key.replaceAll("\n", "\r\n"),
      indented: key.replaceAll(/^/gm, "        "),
      quoted: key.replaceAll(/^/gm, "> "),
      "in JSON": JSON.stringify({ key }),
      "in JSON with carriage returns": JSON.stringify({ key: key.replaceAll("\n", "\r\n") }),
      "in one line": key.replaceAll("\n", " "),
      "as a list of lines": JSON.stringify(key.split("\n"), undefined, 2),
      "in an address": `?key=${encodeURIComponent(key)}`,
      "in a form": new URLSearchParams({ key }).toString(),
      "in base64": Buffer.from(key).toString("base64"),
    };
    for (const [name, text] of Object.entries(wrapped)) {
      const shown = knowing([key]).redact(text);
      const decoded = shown.replace(redacted, "").replace(/[^\w+/=]/g, "");
      for (const line of lines) {
        const all = [shown, decodeURIComponent(shown.replaceAll("+", "%2B")), base64Text(decoded)].join("\n");
        assert.ok(!all.includes(line), `${name}: ${shown}`);
      }
    }
  });

  // Twenty thousand that begin alike take minutes where every new one is compared with all before.
  it("the redactor takes as long for thousands of secrets with the same beginning as for one", () => {
    const indices = Array.from({ length: 20_000 }, (_, index) => index);
    const secrets = indices.map((index) => `hvs.CAESIJ${index}${"x".repeat(index % 40)}`);
    const redactor = knowing(secrets);
    const text = secrets.join(" ");
    assert.equal(redactor.redact(text), secrets.map(() => redacted).join(" "));
    assert.equal(redactor.redact("hvs.CAESIJ is how they begin"), "hvs.CAESIJ is how they begin");
  });

  it("the redactor takes no longer for a text that nearly matches a secret in many places", () => {
    const secret = `${"a".repeat(300)}b`;
    const text = "a".repeat(100_000);
    assert.equal(knowing([secret]).redact(text), text);
    assert.equal(knowing([secret]).redact(`${text}b`), `${text.slice(300)}${redacted}`);
  });
});

function base64Text(text: string): string {
  return Buffer.from(text, "base64").toString("latin1");
}
