import assert from "node:assert/strict";
import { inCamelCase, readableName, UniqueNames } from "../../../sdk/command-line/import-file/names";

describe("names of imported resources", () => {
  for (const [text, name] of [
    ["payments", "payments"],
    ["Payments Production", "Payments-Production"],
    ["teams/eu/ldap", "teams-eu-ldap"],
    ["Größe  (neu)", "Größe-neu"],
    ["a::b", "a-b"],
    ["支付", "支付"],
    ["!", "project"],
    ["", "project"],
  ] as const) {
    it(`make ${name} of ${JSON.stringify(text)}`, () => {
      assert.equal(readableName(text, "project"), name);
    });
  }

  it("are each given once", () => {
    const names = new UniqueNames("-");
    assert.deepEqual(
      ["web", "web", "web-2", "web", "api"].map((name) => names.take(name)),
      ["web", "web-2", "web-2-2", "web-3", "api"],
    );
  });

  it("begin the keys of secrets", () => {
    assert.equal(inCamelCase("Payments-Production.eu_2"), "paymentsProductionEu2");
    assert.equal(inCamelCase("Zürich-2"), "zurich2");
    assert.equal(inCamelCase("支付"), "");
  });
});
