import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { partOfUndici } from "../../sdk/http/undici-parts";

const whole = createRequire(require.resolve("../../sdk/package.json"))("undici/index.js") as object;

describe("partOfUndici", () => {
  for (const name of ["Agent", "buildConnector", "EnvHttpProxyAgent"] as const) {
    it(`finds ${name}`, () => {
      assert.equal(partOfUndici(name), (whole as Record<string, unknown>)[name]);
    });
  }

  it("finds it in the whole where it has been moved", () => {
    const moved = (): unknown => {
      throw Object.assign(new Error("moved"), { code: "MODULE_NOT_FOUND" });
    };
    assert.equal(partOfUndici("Agent", moved), (whole as Record<string, unknown>).Agent);
  });

  it("hides no other failure", () => {
    const broken = new Error("broken");
    assert.throws(
      () =>
        partOfUndici("Agent", () => {
          throw broken;
        }),
      broken,
    );
  });
});
