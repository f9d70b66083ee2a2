import assert from "node:assert/strict";
import { dialectOf, type EmulatorDialect } from "../../sdk/testing/dialect";
import type { EmulatorOptions } from "../../sdk/testing";

describe("the dialect of a service of the emulator", () => {
  const cases: readonly [EmulatorOptions["dialect"], EmulatorDialect][] = [
    ["documented", "documented"],
    ["hashicorp", "hashicorp"],
    [{ secrets: "hashicorp" }, "hashicorp"],
    [{ secrets: "documented", scheduler: "hashicorp" }, "documented"],
    [{ scheduler: "hashicorp" }, "documented"],
    [{}, "documented"],
  ];
  for (const [dialect, expected] of cases) {
    it(`is ${expected} with ${JSON.stringify(dialect)}`, () => {
      assert.equal(dialectOf({ ...(dialect === undefined ? {} : { dialect }) }, "secrets"), expected);
    });
  }

  it("is documented unless told otherwise", () => assert.equal(dialectOf({}, "scheduler"), "documented"));
});
