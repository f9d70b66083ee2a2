import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../support/use-emulator";
import { adapters } from "./support/adapter";
import { isRunning, killEngine, providerProcesses, until } from "./support/processes";
import { configurationFor, failureOf, programOf, projectsIn, withOrganization } from "./support/projects";
import { OperationFailed, useSharedStack } from "./support/shared-stack";

for (const adapter of adapters) {
  describe(`an engine that is killed while a resource waits (${adapter})`, function () {
    this.timeout(240_000);

    const emulator = useEmulator();
    const stack = useSharedStack("engine-killed", () => configurationFor(emulator, "scheduler"), { adapter });

    // What else may wait or be under way then, `npm run test:faults -- all 2 records` kills over gRPC.
    it("a killed engine leaves no process that waits for an event", async () => {
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

describe("a provider process that is killed while it creates a project", function () {
  this.timeout(240_000);

  const emulator = useEmulator(withOrganization);
  const stack = useSharedStack("provider-killed", () => configurationFor(emulator, "provisioning"));

  // `npm run test:faults` kills the process at every request of every class.
  it("a killed provider process is reported by the engine, and its project is adopted instead of duplicated", async () => {
    const program = programOf(["payments"]);
    const held = emulator.faults.add({ method: "POST", delay: "forever", when: "after" });
    const interrupted = failureOf(stack.up(program));
    await until(() => held.hits > 0);
    providerProcesses().forEach((id) => process.kill(id, "SIGKILL"));
    assert.match(
      await interrupted,
      /error reading from server|transport is closing|connection (?:error|refused|reset)/,
    );
    held.remove();
    assert.match(await failureOf(stack.up(program)), /already exists \(id \S+\).*set `adopt: true`/);
    await stack.up(programOf(["payments"], { adopt: true }));
    await stack.previewWithoutChanges(program);
    assert.equal(projectsIn(emulator).length, 1);
    await stack.destroy();
    assert.deepEqual(projectsIn(emulator), []);
  });
});
