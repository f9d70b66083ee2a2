// @ts-check
// The emulator in a process of its own, so that its work is not done by the process that measures. It sends its
// environment variables, and answers each message with the number of requests since the last one: "empty" puts the
// services back to the start, "count" leaves them as they are.
//
// Plain JavaScript: a compiler in this process would take its memory.

import { startEmulator } from "pulumi-trivium/testing";

const organization = "acme";
const workspaces = Array.from({ length: 10 }, (_, index) => ({ id: `ws-bench-${index + 1}`, organization }));
const emulator = await startEmulator({
  dialect: { secrets: "hashicorp" },
  seed: { organizations: [{ name: organization }], workspaces },
});

process.on("message", (message) => {
  const requests = emulator.journal.count();
  if (message === "empty") {
    emulator.reset();
  } else {
    emulator.journal.clear();
  }
  process.send?.(requests);
});
process.on("disconnect", () => void emulator.close());
process.send?.(emulator.environment);
