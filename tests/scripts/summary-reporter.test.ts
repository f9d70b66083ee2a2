import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path, { join } from "node:path";
import { version } from "../../sdk/package.json";
import { repository } from "../support/packed-library";

describe("the summary reporter", () => {
  let directory: string;
  let summary: string;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), "trivium-summary-"));
    summary = path.join(directory, "summary.json");
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const option = (): string[] => ["--reporter-option", `summary=${summary}`];

  /** Runs the real mocha over one file of tests. */
  function mocha(tests: string, ...parameters: string[]): { status: number | null; output: string } {
    const file = path.join(directory, "tests.js");
    writeFileSync(file, tests);
    const program = `${require.resolve("mocha/bin/mocha.js")} --no-config --no-color`;
    const reporter = "--require ts-node/register --reporter ./scripts/summary-reporter.ts";
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [...`${program} ${reporter}`.split(" "), ...parameters, file],
      { cwd: repository, encoding: "utf8" },
    );
    return { status, output: stdout + stderr };
  }

  it("counts tests and failed hooks, and prints the usual report", () => {
    const tests = `
      it("holds", () => {});
      it("holds too", () => {});
      it("breaks", () => { throw new Error("broken here"); });
      it.skip("waits", () => {});
      describe("a group", () => {
        before(() => { throw new Error("no ground"); });
        it("never starts", () => {});
      });`;
    const { status, output } = mocha(tests, ...option());
    assert.equal(status, 2);
    assert.match(output, /✔ holds too[^]*broken here/);
    assert.deepEqual(JSON.parse(readFileSync(summary, "utf8")), {
      passed: 2,
      failed: 2,
      skipped: 1,
      failures: ["breaks: broken here", 'a group "before all" hook for "never starts": no ground'],
    });
  });
});

describe("scripts/record-state.ts", function () {
  this.timeout(120_000);

  it("does not touch what is kept already, unless told so", () => {
    const state = join(repository, "tests", "fixtures", "state", version, "dynamic-documented.json");
    const before = readFileSync(state, "utf8");
    const parameters = ["-r", "ts-node/register", "scripts/record-state.ts"];
    const { status, stderr } = spawnSync(process.execPath, parameters, { cwd: repository, encoding: "utf8" });
    assert.equal(status, 1);
    assert.match(stderr, /The states of version \S+ are kept already\. What was published never changes\./);
    assert.equal(readFileSync(state, "utf8"), before);
  });
});
