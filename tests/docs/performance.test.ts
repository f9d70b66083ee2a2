import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { repository } from "../../scripts/docs/library";
import { performanceFiles } from "../../scripts/docs/performance-page";

describe("the page about performance", () => {
  it("the page about performance and its chart show the newest results of the benchmark", async () => {
    for (const [file, text] of await performanceFiles()) {
      assert.equal(readFileSync(file, "utf8"), text, relative(repository, file));
    }
  });
});
