import assert from "node:assert/strict";
import { join } from "node:path";
import { codeBlocksOf } from "../../scripts/docs/code-blocks";
import * as library from "../../sdk";
import { className, collectDefinitions } from "../../sdk/resource/registry";
import { walk } from "./support/walk";
import { stepsOf } from "./support/walkthrough";

const guide = join("docs", "getting-started.md");

describe("docs/getting-started.md", function () {
  this.timeout(300_000);

  it("leads to where it says, command by command", () => follow(guide));

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

describe("docs/emulator.md", function () {
  this.timeout(300_000);

  it("makes one resource of every class against a seed, without a line of test code", async () => {
    const printed = (await walk(stepsOf(join("docs", "emulator.md")))).at(-1) ?? "";
    const definitions = [...collectDefinitions(library).values()];
    const made = definitions.filter(({ type }) =>
      new RegExp(`dynamic/trivium/${type} \\S+ created`).test(printed),
    );
    assert.deepEqual(made.map(className), definitions.map(className), printed);
    // The stack is one more.
    assert.ok(printed.includes(`- ${definitions.length + 1} deleted`), printed);
  });
});

describe("docs/dialects.md", function () {
  this.timeout(300_000);

  it("leads from an empty directory to a resource of Vault or OpenBao, and of HCP Terraform", () =>
    follow(join("docs", "dialects.md")));
});

describe("docs/import.md", function () {
  this.timeout(300_000);

  it("imports what an organization has, into a program that says the same", () =>
    follow(join("docs", "import.md")));
});

describe("docs/migrating.md", function () {
  this.timeout(300_000);

  it("moves a resource of another provider without creating its object again", () =>
    follow(join("docs", "migrating.md")));
});

/** Does what a document says, and finds what it shows in what is printed. */
async function follow(document: string): Promise<void> {
  const steps = stepsOf(document);
  for (const [index, printed] of (await walk(steps)).entries()) {
    const step = steps[index];
    const lines = printed.split("\n").map(comparable);
    for (const line of step?.kind === "commands" ? step.shown : []) {
      assert.ok(lines.includes(comparable(line)), `${line}\nis not in\n${printed}`);
    }
  }
}

/** A line without ids, times and the marks of the terminal. */
function comparable(line: string): string {
  return line
    .replace(/prj-\w+/, "prj-...")
    .replace(/\s+/g, " ")
    .trim();
}
