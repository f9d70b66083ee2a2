import assert from "node:assert/strict";
import { closeSync, openSync } from "node:fs";
import { useEmulator } from "../support/use-emulator";
import { run, stopCommands } from "./binary";

describe("standard output of a command", function () {
  this.timeout(60_000);
  afterEach(stopCommands);
  const emulator = useEmulator({ seed: { organizations: [{ name: "acme" }] } });
  const unreachable = { SECRETS_ADDR: "http://127.0.0.1:1", SECRETS_TOKEN: "token" };

  for (const [args, environment] of [
    [["--version"], () => ({})],
    [["--help"], () => ({})],
    [["doctor", "--help"], () => ({})],
    [["doctor"], () => emulator.environment],
    [["doctor", "--json"], () => emulator.environment],
    [["events", "--json"], () => emulator.environment],
    [["import-file", "--help"], () => emulator.environment],
    [["emulator"], () => ({})],
  ] as const) {
    it(`standard output of ${args.join(" ")} on a full disk causes an error with a one-line message`, async () => {
      emulator.events.emit({ topic: "Node", type: "NodeRegistration", key: "here" });
      const full = openSync("/dev/full", "w");
      try {
        const { ended, printed } = run(args, environment(), undefined, full);
        assert.equal(await ended, 1);
        const lines = printed.error.split("\n").filter((line) => /standard output/i.test(line));
        assert.equal(lines.length, 1, printed.error);
        assert.match(lines[0] ?? "", /Could not write to standard output: ENOSPC: no space left on device/);
      } finally {
        closeSync(full);
      }
    });
  }

  for (const [args, environment, status] of [
    [["doctor", "secrets"], () => unreachable, 1],
    [["doctor"], () => emulator.environment, 0],
    [["events", "--json"], () => emulator.environment, 0],
    [["emulator"], () => ({}), 0],
    [["no-command"], () => ({}), 2],
  ] as const) {
    it(`${args.join(" ")} exits with status ${status} even if the reader of standard output has closed it`, async () => {
      const { ended, printed, process: child } = run(args, { ...environment(), SECRETS_MAX_RETRIES: "0" });
      child.stdout?.destroy();
      emulator.events.emit({ topic: "Node", type: "NodeRegistration", key: "here" });
      assert.equal(await ended, status, printed.error);
      assert.doesNotMatch(printed.error, /standard output/i);
    });
  }
});
