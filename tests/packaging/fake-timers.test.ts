import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { repository, temporaryDirectory } from "../support/packed-library";

/** What a team's test does: a call before the clock is faked, and three while it is, of which it is set back. */
const calls = `
  const emulator = await testing.startEmulator({ seed: { organizations: [{ name: "acme" }] } });
  Object.assign(process.env, emulator.environment);
  const list = () => trivium.provisioning.listProjects({ organization: "acme" });
  await list();
  fake();
  await list();
  set(new Date("2001-02-03T04:05:06Z"));
  await list();
  set(new Date("2041-02-03T04:05:06Z"));
  await list();
  real();
  await list();
  await emulator.close();
`;

const required = `
const trivium = require("pulumi-trivium");
const testing = require("pulumi-trivium/testing");
`;
const imported = `
import * as trivium from "pulumi-trivium";
import * as testing from "pulumi-trivium/testing";
`;

const runners: readonly [name: string, file: string, text: string, command: readonly string[]][] = [
  [
    "Jest",
    "calls.test.js",
    `${required}
test("calls", async () => {
  const fake = () => jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask"] });
  const set = (date) => jest.setSystemTime(date);
  const real = () => jest.useRealTimers();
  ${calls}
}, 30000);`,
    ["jest/bin/jest.js", "--rootDir", ".", "--forceExit"],
  ],
  [
    "Vitest",
    "calls.test.mjs",
    `import { test, vi } from "vitest";${imported}
test("calls", async () => {
  const fake = () => vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "Date", "performance", "hrtime"] });
  const set = (date) => vi.setSystemTime(date);
  const real = () => vi.useRealTimers();
  ${calls}
}, 30000);`,
    ["vitest/vitest.mjs", "run"],
  ],
  [
    "sinon",
    "calls.mjs",
    `import sinon from "sinon";${imported}
let clock;
const fake = () => {
  clock = sinon.useFakeTimers({ toFake: ["setTimeout", "setInterval", "Date", "performance", "hrtime"] });
};
const set = (date) => clock.setSystemTime(date);
const real = () => clock.restore();
${calls}`,
    [],
  ],
];

describe("a test with a fake clock", function () {
  this.timeout(120_000);

  for (const [name, file, text, [tool = "", ...options]] of runners) {
    it(`a program's test with the fake clock of ${name} receives every result, even if the clock goes back or stops`, async () => {
      const folder = temporaryDirectory("fake-timers");
      try {
        mkdirSync(join(folder, "node_modules"));
        symlinkSync(join(repository, "sdk"), join(folder, "node_modules", "pulumi-trivium"));
        writeFileSync(join(folder, "package.json"), "{}");
        writeFileSync(join(folder, file), text);
        const program = tool === "" ? [file] : [join(repository, "node_modules", tool), ...options];
        const environment = { ...process.env, NODE_OPTIONS: "", CI: "true" };
        const run = promisify(execFile)(process.execPath, program, {
          cwd: folder,
          env: environment,
          timeout: 90_000,
        });
        await run.catch((error: unknown) => assert.fail(String(error)));
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  }
});
