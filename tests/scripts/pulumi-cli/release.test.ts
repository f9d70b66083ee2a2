import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, readFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pinnedCli } from "../../../scripts/pulumi-cli/pins";
import { installRelease } from "../../../scripts/pulumi-cli/release";
import { run } from "../../../scripts/pulumi-cli/run";

/** The Automation API's own installation runs; only the download of its script is replaced, in its process. */
describe("installRelease", () => {
  let directory: string;
  const never = new AbortController().signal;

  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), "trivium-release-"));
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  function downloading(body: string): NodeJS.ProcessEnv {
    const file = path.join(directory, "download.cjs");
    writeFileSync(file, `globalThis.fetch = async () => { ${body} };`);
    return { PATH: process.env.PATH, NODE_OPTIONS: `--require ${file}` };
  }

  it("has the pinned version installed into the directory", async () => {
    const target = path.join(directory, "release");
    const script = [
      `mkdir -p "${target}/bin"`,
      `echo "$@" > "${target}/parameters"`,
      `printf '#!/bin/sh\\necho ${pinnedCli().version}\\n' > "${target}/bin/pulumi"`,
      `chmod 755 "${target}/bin/pulumi"`,
    ].join("\n");
    await installRelease(target, downloading(`return new Response(${JSON.stringify(script)})`), never);
    assert.ok(existsSync(path.join(target, "bin", "pulumi")));
    const version = pinnedCli().version.replace("v", "");
    assert.equal(
      (await readFile(path.join(target, "parameters"), "utf8")).trim(),
      `--no-edit-path --install-root ${target} --version ${version}`,
    );
  });

  it("repeats why a download failed", async () => {
    await assert.rejects(
      installRelease(directory, downloading('throw new TypeError("no route")'), never),
      /Failed to download .*: no route/,
    );
  });

  describe("when the download stalls", () => {
    async function stuck(signal: AbortSignal, timeLimit: AbortSignal): Promise<{ outcome: Promise<void> }> {
      const started = path.join(directory, "started");
      await run("mkfifo", [started], { environment: process.env });
      const body = `require("node:fs").writeFileSync(${JSON.stringify(started)}, "x");
        setInterval(() => undefined, 60_000); return new Promise(() => undefined);`;
      const outcome = installRelease(directory, downloading(body), signal, timeLimit);
      outcome.catch(() => undefined);
      await readFile(started);
      return { outcome };
    }

    it("gives up at the time limit", async () => {
      const timeLimit = new AbortController();
      const { outcome } = await stuck(never, timeLimit.signal);
      timeLimit.abort();
      await assert.rejects(outcome, { message: "the download took too long" });
    });

    it("ends with the caller's interruption", async () => {
      const interruption = new AbortController();
      const { outcome } = await stuck(interruption.signal, never);
      const reason = new Error("interrupted");
      interruption.abort(reason);
      await assert.rejects(outcome, reason);
    });
  });
});
