import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repository } from "./packed-library";

describe("a run of tests", function () {
  this.timeout(60_000);

  let directory: string;
  before(() => (directory = mkdtempSync(join(tmpdir(), "trivium-handles-"))));
  after(() => rmSync(directory, { recursive: true }));

  function run(test: string, ...options: string[]): { status: number | null; output: string } {
    const file = join(directory, "one.test.js");
    writeFileSync(file, test);
    const mocha = [require.resolve("mocha/bin/mocha.js"), "--no-color", ...options, file];
    const { status, stdout, stderr } = spawnSync(process.execPath, mocha, {
      cwd: repository,
      encoding: "utf8",
    });
    return { status, output: stdout + stderr };
  }

  const leaks = `it("leaks", () => {
    require("node:http").createServer().listen(0, "127.0.0.1");
    require("node:child_process").spawn(process.execPath, ["-e", "setTimeout(() => {}, 8_000)"]);
    setTimeout(() => {}, 60_000);
  });`;

  it("a file that leaves a server open fails with its name, and the run ends", () => {
    const { status, output } = run(leaks, "--parallel");
    assert.equal(status, 1, output);
    assert.match(output, /one\.test\.js leaves open: .*TCPServerWrap/);
    assert.match(output, /leaves open: .*Timeout/);
    assert.match(output, /process \d+: .*setTimeout/);
    assert.match(output, /tcp [\w.]+:\d+ listens/);
  });
});
