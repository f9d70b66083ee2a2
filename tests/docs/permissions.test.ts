import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { permissionFiles } from "../../scripts/permissions/files";

describe("docs/permissions.md and the requests behind the policy command", () => {
  it("the page and the policy command use the requests that the library sends, as written by npm run permissions", async function () {
    this.timeout(120_000);
    for (const [file, text] of await permissionFiles()) {
      assert.equal(readFileSync(file, "utf8"), text, file);
    }
  });
});
