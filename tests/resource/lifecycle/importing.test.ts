import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "../../../sdk/base/json";
import * as canonical from "../../../sdk/resource/fields/kinds";
import { isUsual } from "../../../sdk/resource/definition";
import { configDefinition } from "../../../sdk/secrets/directory/config";
import { allDialects } from "../../cases/support/case";
import { inClear } from "../../support/values";
import { lifecycleOn } from "../../support/fake-engine";
import { useEmulator } from "../../support/use-emulator";

describe("isUsual", () => {
  const usual = (value: JsonValue, others: JsonObject = {}): boolean =>
    isUsual(
      {
        canonical: canonical.duration,
        default: 30,
        cleared: 10,
        serviceDefault: ({ mode }) => (mode === "slow" ? 40 : 20),
      },
      value,
      others,
    );

  it("a usual value is an empty value in any form, the default, a value derived from other fields, or the value after clearing", () => {
    assert.ok([null, "", [], {}, 10, "10s", 20, 30, "30"].every((value) => usual(value)));
    assert.ok(![0, false, "a", [null], [""], { a: null }, 40, 50].some((value) => usual(value)));
    assert.equal(usual(40, { mode: "slow" }), true);
  });
});

describe("an object that is imported", () => {
  for (const dialect of allDialects) {
    const emulator = useEmulator({ dialect });

    it(`an imported object has no input for a value that the service uses by default, even if that depends on other values: ${dialect}`, async () => {
      const lifecycle = lifecycleOn(emulator, configDefinition, { "trivium:secretsDialect": dialect });
      const attributes: unknown[] = [];
      const ad = { schema: "ad" };
      for (const config of [ad, { schema: "racf" }, { ...ad, userattr: "cn" }, { userattr: "uid" }]) {
        const path = `m${attributes.length}`;
        const { path: mount } = emulator.secrets.addMount({ type: "directory", path });
        const args = { mount, binddn: "cn=binds", bindpass: "canary-bind-password", ...config };
        const { inputs } = await lifecycle.check({}, { ...args, url: "ldap://ldap.acme.example" });
        const { id } = await lifecycle.create(inClear(inputs));
        attributes.push((await lifecycle.import(id))?.inputs.userattr);
      }
      // By the documents no response tells it.
      const told = dialect === "documented" ? [] : ["cn", "uid"];
      assert.deepEqual(attributes, [undefined, undefined, told[0], told[1]]);
    });
  }
});
