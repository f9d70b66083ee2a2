// @ts-check
// Runs the emulator outside the measured process. It sends its environment variables; each message resets it.
//
// Plain JavaScript: a compiler in this process would take its memory.

import { startEmulator } from "pulumi-trivium/testing";

const emulator = await startEmulator({
  dialect: { secrets: "hashicorp" },
  seed: { organizations: [{ name: "acme" }] },
});

process.on("message", () => {
  emulator.reset();
  process.send?.("empty");
});
process.on("disconnect", () => void emulator.close());
process.send?.(emulator.environment);
