import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The texts of the tests in this directory that run a resource through its life. */
function lifecycleTests(): readonly string[] {
  const entries = readdirSync(__dirname, { recursive: true, encoding: "utf8" });
  return entries
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => readFileSync(join(__dirname, name), "utf8"))
    .filter((text) => text.includes("describeLifecycle({"));
}

describe("the lifecycles with the real CLI", () => {
  it("are told how to run against real servers, each of them", () => {
    const classes = lifecycleTests().filter((text) => !text.includes('className: "test.'));
    assert.ok(classes.length > 0);
    const untold = classes.filter((text) => !/^ {2}live: \{/m.test(text));
    assert.deepEqual(untold, []);
  });
});
