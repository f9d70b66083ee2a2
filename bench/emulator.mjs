// @ts-check
// Runs the emulator outside the measured process. It sends its environment variables; `empty` resets it,
// and `time` asks how many milliseconds of CPU time it has used.
//
// Plain JavaScript: a compiler in this process would take its memory.

import { startEmulator } from "pulumi-trivium/testing";

const emulator = await startEmulator({
  dialect: { secrets: "hashicorp" },
  seed: { organizations: [{ name: "acme" }] },
});

process.on("message", (question) => {
  const { user, system } = process.cpuUsage();
  if (question === "empty") {
    emulator.reset();
  }
  process.send?.((user + system) / 1_000);
});
process.on("disconnect", () => void emulator.close());
process.send?.(emulator.environment);
