import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../sdk/package.json";
import { repository } from "../support/packed-library";

describe("scripts/record-state.ts", function () {
  this.timeout(120_000);

  it("does not touch what is kept already, unless told so", () => {
    const state = join(repository, "tests", "fixtures", "state", version, "state.json");
    const before = readFileSync(state, "utf8");
    const { status, stderr } = spawnSync(
      process.execPath,
      ["-r", "ts-node/register", "scripts/record-state.ts"],
      { cwd: repository, encoding: "utf8" },
    );
    assert.equal(status, 1);
    assert.match(stderr, /The state of version \S+ is kept already\. What was published never changes\./);
    assert.equal(readFileSync(state, "utf8"), before);
  });
});
