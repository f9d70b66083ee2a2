import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { permissionFiles } from "../../scripts/permissions/files";

describe("docs/permissions.md and the requests behind the policy command", () => {
  it("both show the requests that the library makes: npm run permissions writes them", async function () {
    this.timeout(120_000);
    for (const [file, text] of await permissionFiles()) {
      assert.equal(readFileSync(file, "utf8"), text, file);
    }
  });
});
