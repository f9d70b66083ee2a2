import assert from "node:assert/strict";
import { join } from "node:path";
import { codeBlocksOf } from "../../scripts/docs/code-blocks";
import { walk } from "./support/walk";
import { stepsOf } from "./support/walkthrough";

const guide = join("docs", "getting-started.md");

describe("docs/getting-started.md", function () {
  this.timeout(300_000);

  it("leads to where it says, command by command", async () => {
    const steps = stepsOf(guide);
    for (const [index, printed] of (await walk(steps)).entries()) {
      const step = steps[index];
      const lines = printed.split("\n").map(comparable);
      for (const line of step?.kind === "commands" ? step.shown : []) {
        assert.ok(lines.includes(comparable(line)), `${line}\nis not in\n${printed}`);
      }
    }
  });

  it("begins with the program of README.md and of the site's front page", () => {
    const [first, ...others] = ["README.md", join("docs", "index.md"), guide].map(
      (document) => codeBlocksOf(document)[0]?.code,
    );
    assert.match(first ?? "", /^import \* as trivium/);
    assert.deepEqual(others, [first, first]);
  });
});

describe("docs/testing.md", function () {
  this.timeout(300_000);

  it("has tests that pass, of the program of docs/getting-started.md", async () => {
    const steps = stepsOf(guide);
    const emulator = steps.findIndex(
      (step) => step.kind === "commands" && step.text.startsWith("npx pulumi-trivium emulator"),
    );
    await walk([...steps.slice(0, emulator), ...stepsOf(join("docs", "testing.md"))]);
  });
});

/** A line without ids, times and the marks of the terminal. */
function comparable(line: string): string {
  return line
    .replace(/prj-\w+/, "prj-...")
    .replace(/\s+/g, " ")
    .trim();
}
