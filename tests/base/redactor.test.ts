import assert from "node:assert/strict";
import fc from "fast-check";
import { processRedactor, redacted, Redactor } from "../../sdk/base/redactor";

function knowing(...secrets: string[]): Redactor {
  const redactor = new Redactor();
  redactor.register(...secrets);
  return redactor;
}

describe("redactor", () => {
  it("replaces every appearance of a secret", () => {
    assert.equal(knowing("hunter22").redact("a hunter22, hunter22!"), "a [secret], [secret]!");
  });

  it("ignores what is shorter than six characters, and nothing", () => {
    const redactor = knowing("abcde", "");
    redactor.register(undefined);
    assert.equal(redactor.redact("abcde and more"), "abcde and more");
  });

  const secret = `p"a\\ss/w ö<&>+rd\n`;
  const encoded: Readonly<Record<string, string>> = {
    JSON: JSON.stringify({ secret }),
    "JSON in JSON": JSON.stringify(JSON.stringify({ secret })),
    "JSON as Go writes it": JSON.stringify({ secret }).replace(
      /[<>&]/g,
      (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`,
    ),
    "JSON in ASCII": JSON.stringify({ secret }).replaceAll("ö", "\\u00f6"),
    "percent-encoded": `?q=${encodeURIComponent(secret)}`,
    "percent-encoded in lower case": `?q=${encodeURIComponent(secret).toLowerCase()}`,
    form: new URLSearchParams({ secret }).toString(),
    base64: Buffer.from(secret).toString("base64"),
    base64url: Buffer.from(secret).toString("base64url"),
  };
  for (const [name, text] of Object.entries(encoded)) {
    it(`finds a secret in ${name}`, () => {
      const shown = knowing(secret).redact(text);
      assert.ok(shown.includes(redacted), shown);
      assert.ok(!/ss.{1,8}w/.test(shown), shown);
    });
  }

  for (const user of ["", "u", "us", "use", "user"]) {
    it(`finds a secret in base64 after ${user.length} other characters`, () => {
      const header = Buffer.from(`${user}:opensesame:x`).toString("base64");
      const shown = knowing("opensesame").redact(`Basic ${header}`);
      const left = Buffer.from(
        shown.replace("Basic ", "").replace(redacted, "").replaceAll("=", ""),
        "base64",
      );
      assert.ok(shown.includes(redacted), shown);
      assert.ok(
        !left.toString("latin1").includes("opens") && !left.toString("latin1").includes("same:"),
        shown,
      );
    });
  }

  it("finds each line of a key in PEM", () => {
    const line = "MHcCAQEEIBkg4fLxGfFhLyWPpPBRrbTrOZ1Pzt2Wq3p8";
    const redactor = knowing(`-----BEGIN KEY-----\n${line}\n-----END KEY-----\n`);
    assert.equal(redactor.redact(`    ${line}\n`), `    ${redacted}\n`);
    assert.equal(redactor.redact("-----BEGIN KEY-----"), "-----BEGIN KEY-----");
  });

  it("prefers the longer of two secrets", () => {
    assert.equal(knowing("secret", "secret-long").redact("secret-long secret-lo"), "[secret] [secret]-lo");
  });

  it("leaves no part of secrets that overlap", () => {
    assert.equal(knowing("abcdefgh", "efghijkl").redact("-abcdefghijkl-"), "-[secret]-");
  });

  it("learns what another copy of the package has registered", () => {
    const shared: string[] = [];
    const [one, other] = [new Redactor(shared), new Redactor(shared)];
    one.register("learned elsewhere");
    assert.equal(other.redact("learned elsewhere"), redacted);
  });

  it("is one for the process", () => {
    processRedactor.register("known to the process");
    assert.equal(processRedactor.redact("known to the process"), redacted);
  });

  const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 6, maxLength: 12 });

  it("leaves no secret in any text", () => {
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 1, maxLength: 5 }),
        fc.array(fc.oneof(letters, fc.constantFrom("a", "b", "c", "-")), { maxLength: 12 }),
        (secrets, parts) => {
          const shown = knowing(...secrets).redact(parts.join("") + secrets.join(""));
          const pieces = shown.split(redacted);
          for (const each of secrets) {
            assert.ok(!pieces.some((piece) => piece.includes(each)));
          }
        },
      ),
    );
  });

  it("hides any secret in any of its encodings", () => {
    const unit = fc.oneof(
      fc.constantFrom('"', "\\", "/", "+", " ", "\n", "é", "<", "~", "'"),
      fc.string({ minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(
        fc.string({ unit, minLength: 8, maxLength: 20 }).filter((text) => text.trim().length >= 8),
        (text) => {
          const redactor = knowing(text);
          for (const encode of [
            (value: string) => JSON.stringify(value),
            (value: string) => `x=${encodeURIComponent(value)}&`,
            (value: string) => `${new URLSearchParams({ x: value }).toString()}&`,
            (value: string) => Buffer.from(value).toString("base64"),
          ]) {
            assert.ok(redactor.redact(encode(text)).includes(redacted), encode(text));
          }
        },
      ),
    );
  });

  it("changes no text in which no secret can be", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.equal(knowing("\u{1f511}\u{1f511}\u{1f511}-not-in-the-text").redact(text), text);
      }),
    );
  });
});
