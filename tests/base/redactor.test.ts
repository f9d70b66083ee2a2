import assert from "node:assert/strict";
import { processRedactor, redacted, Redactor } from "../../sdk/base/redactor";

function knowing(...secrets: readonly (string | undefined)[]): Redactor {
  const redactor = new Redactor();
  redactor.register(...secrets);
  return redactor;
}

// In redactor.property.test.ts is what holds for any secret.
describe("redactor", () => {
  const line = "MHcCAQEEIBkg4fLxGfFhLyWPpPBRrbTrOZ1Pzt2Wq3p8";
  const key = `-----BEGIN KEY-----\n${line}\n-----END KEY-----\n`;
  const indented = `-----BEGIN KEY-----\n    ${line}\n`;
  for (const [what, secrets, text, shown] of [
    ["every occurrence", ["hunter22"], "a hunter22, hunter22!", "a [secret], [secret]!"],
    ["nothing for a secret that is undefined", [undefined], "undefined", "undefined"],
    ["nothing shorter than six characters", ["abcde", ""], "abcde and more", "abcde and more"],
    ["the longer of two", ["secret", "secret-long"], "secret-long secret-lo", "[secret] [secret]-lo"],
    ["secrets that overlap", ["abcdefgh", "efghijkl"], "-abcdefghijkl-", "-[secret]-"],
    ["a path and query of a URL", ["https://a.b/hooks/0123456789?k=1"], "/hooks/0123456789?k=1", "/[secret]"],
    ["no short path of a URL", ["https://a.b/hooks/build"], "/hooks/build", "/hooks/build"],
    ["each line of a PEM key except the first", [key], indented, indented.replace(line, redacted)],
  ] as const) {
    it(`the redactor replaces ${what}`, () => assert.equal(knowing(...secrets).redact(text), shown));
  }

  it("the redactor hides secrets that another copy of the package has registered", () => {
    const shared: string[] = [];
    const [one, other] = [new Redactor(shared), new Redactor(shared)];
    one.register("learned elsewhere");
    assert.equal(other.redact("learned elsewhere"), redacted);
    processRedactor.register("known to the process");
    assert.equal(processRedactor.redact("known to the process"), redacted);
  });
});
