import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { run } from "../../../scripts/pulumi-cli/run";

const shell = (script: string, signal?: AbortSignal): Promise<string> =>
  run("/bin/sh", ["-c", script], { environment: { WORD: "hello" }, signal });

describe("run", () => {
  it("answers standard output, trimmed, and gives no other environment than told", async () => {
    assert.equal(await shell('echo "$WORD $HOME"'), "hello");
  });

  it("repeats the last lines of standard error when the program fails", async () => {
    await assert.rejects(shell("for i in 1 2 3 4 5 6 7 8 9; do echo line $i >&2; done; exit 3"), {
      message: `sh ended with code 3: ${[2, 3, 4, 5, 6, 7, 8, 9].map((i) => `line ${i}`).join("\n")}`,
    });
  });

  it("repeats standard output when standard error is empty, and nothing when both are", async () => {
    await assert.rejects(shell("echo out; exit 1"), { message: "sh ended with code 1: out" });
    await assert.rejects(shell("exit 1"), { message: "sh ended with code 1" });
  });

  it("says which signal ended the program", async () => {
    await assert.rejects(shell("kill -9 $$"), { message: "sh was ended by SIGKILL" });
  });

  it("does not start once aborted", async () => {
    const reason = new Error("no more");
    await assert.rejects(
      run("/does/not/exist", [], { environment: {}, signal: AbortSignal.abort(reason) }),
      reason,
    );
  });

  it("ends the program and what it started in the background when aborted", async () => {
    const directory = await mkdtemp(path.join(os.tmpdir(), "trivium-run-"));
    try {
      const started = path.join(directory, "started");
      await run("mkfifo", [started], { environment: process.env });
      const controller = new AbortController();
      const running = shell(`/bin/sleep 600 & echo go > ${started}; wait`, controller.signal);
      await readFile(started);
      const reason = new Error("enough");
      controller.abort(reason);
      // It settles only when nobody holds the program's output any more.
      await assert.rejects(running, reason);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});
