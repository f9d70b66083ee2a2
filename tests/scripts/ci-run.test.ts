import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

/** The real script over a repository whose commands do no more than succeed or fail. */
describe(".ci/run", function () {
  this.timeout("5m");
  let clone: string;

  const write = (name: string, contents: string): void => {
    mkdirSync(path.dirname(path.join(clone, name)), { recursive: true });
    writeFileSync(path.join(clone, name), contents);
  };

  const good = {
    install: "",
    check: "exit 0",
    audit: "exit 0",
    cli: "",
    tests: 'write(\'{"passed":3,"failed":0}\')',
    others: 'write(\'{"passed":20,"failed":0}\')',
    demo: "exit 0",
  };

  /** Runs commands of the repository; `tests` and `others` write the summary of a test run, and end as it does. */
  function ci(changed: Partial<typeof good> = {}) {
    const commands = { ...good, ...changed };
    const { check, audit, demo } = commands;
    const scripts = { check, audit, test: "node tests.cjs", "test:rest": "node others.cjs", demo };
    write("package.json", JSON.stringify({ name: "clone", private: true, workspaces: ["sdk"], scripts }));
    write("scripts/bootstrap.mjs", commands.install);
    write("scripts/pulumi-cli.ts", commands.cli);
    for (const run of ["tests", "others"] as const) {
      write(
        `${run}.cjs`,
        `const file = process.argv.at(-1).replace(/^summary=/, "");
        const write = (text) => require("node:fs").writeFileSync(file, text);
        ${commands[run]}`,
      );
    }
    const options = { cwd: os.tmpdir(), env: { ...process.env, CI: "true" }, encoding: "utf8" } as const;
    const { status, stdout, stderr } = spawnSync(path.join(clone, ".ci", "run"), options);
    return { status, output: stdout + stderr, lastLine: stdout.trimEnd().split("\n").at(-1) ?? "" };
  }

  beforeEach(async () => {
    clone = await mkdtemp(path.join(os.tmpdir(), "trivium-ci-"));
    cpSync(path.resolve(__dirname, "..", "..", ".ci"), path.join(clone, ".ci"), { recursive: true });
    write("node_modules/ts-node/register.js", "");
    write("sdk/package.json", JSON.stringify({ name: "pulumi-trivium", version: "1.0.0" }));
  });

  afterEach(() => rmSync(clone, { recursive: true, force: true }));

  it("counts the tests one by one and every other step as one", () => {
    const { status, lastLine, output } = ci();
    assert.equal(lastLine, "29 passed, 0 failed", output);
    assert.equal(status, 0);
  });

  it("runs every step although all fail, and fails", () => {
    write("sdk/package.json", JSON.stringify({ name: "pulumi-trivium" }));
    const { status, lastLine, output } = ci({
      install: "process.exit(1)",
      check: "exit 1",
      audit: "exit 1",
      cli: "process.exit(1)",
      tests: 'write(\'{"passed":3,"failed":2,"failures":["one: a","two: b"]}\'); process.exit(2)',
      others: 'write(\'{"passed":20,"failed":10}\'); process.exit(10)',
      demo: "exit 1",
    });
    assert.equal(lastLine, "23 passed, 18 failed", output);
    assert.equal(status, 1);
    assert.match(output, /\nFailed:\ninstall\ncheck\naudit\nPulumi CLI\none: a\ntwo: b\n/);
    const headings = output.match(/(?<=^==== ).*?(?=:)/gm);
    assert.equal(
      headings?.join(", "),
      "install, check, audit, Pulumi CLI, tests, all other tests, package, demo",
    );
  });

  for (const [what, changed, lastLine] of [
    ["without any test", { tests: 'write(\'{"passed":0,"failed":0}\')' }, "26 passed, 1 failed"],
    ["that is aborted", { tests: "" }, "26 passed, 1 failed"],
    ["of all other tests that is aborted", { others: "" }, "9 passed, 1 failed"],
    ["that fails outside its tests", { tests: `${good.tests}; process.exit(7)` }, "29 passed, 1 failed"],
  ] as const) {
    it(`treats a run ${what} as a failure`, () => {
      const run = ci(changed);
      assert.deepEqual([run.lastLine, run.status], [lastLine, 1], run.output);
    });
  }

  it("neither passes nor fails an audit that the registry does not offer, and says so", () => {
    const refused = (status: string): string =>
      `echo npm warn audit ${status} - POST https://registry; exit 1`;
    const { status, lastLine, output } = ci({ audit: refused("405 Method Not Allowed") });
    assert.equal(lastLine, "28 passed, 0 failed", output);
    assert.equal(status, 0);
    assert.match(output, /^---- audit: not possible here/m);
    assert.match(output, /^Not possible here, so neither passed nor failed: audit$/m);
    assert.equal(ci({ audit: refused("500 Internal Server Error") }).lastLine, "28 passed, 1 failed");
  });
});
