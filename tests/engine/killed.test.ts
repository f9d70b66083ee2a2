import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../support/use-emulator";
import { adapters } from "./support/adapter";
import { isRunning, killEngine, until } from "./support/processes";
import { configurationFor } from "./support/projects";
import { OperationFailed, useSharedStack } from "./support/shared-stack";

for (const adapter of adapters) {
  describe(`an engine that is killed while a resource waits (${adapter})`, function () {
    this.timeout(240_000);

    const emulator = useEmulator();
    const stack = useSharedStack("engine-killed", () => configurationFor(emulator, "scheduler"), { adapter });

    // For everything else that can be waiting or under way then, `npm run test:faults -- all 2 records` kills over gRPC.
    it("a killed engine does not leave a process that waits for an event", async () => {
      const isWaiting = (): boolean => emulator.inspect().scheduler.subscriptions.length === 1;
      const args = { topics: ["Job"], match: {}, timeout: "1h" };
      const update = stack.up(() => new trivium.scheduler.EventGate("gate", args));
      const ended = assert.rejects(update, OperationFailed);
      await Promise.race([until(isWaiting), ended]);
      assert.ok(isWaiting());
      const providers = killEngine();
      assert.equal(providers.length, 1);
      await ended;
      await until(() => !providers.some(isRunning));
      assert.ok(!isWaiting());
    });
  });
}
