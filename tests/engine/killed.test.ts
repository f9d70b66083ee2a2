import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { libraryCheckout } from "../cases/secrets/directory/library-checkout";
import { worldOn } from "../cases/support/emulated-world";
import { useEmulator } from "../support/use-emulator";
import { isRunning, killEngine, until } from "./support/processes";
import { configurationFor } from "./support/projects";
import { OperationFailed, type Program, useStack } from "./support/stack";

for (const adapter of ["dynamic", "plugin"] as const) {
  describe(`an engine that is killed while a resource waits (${adapter})`, function () {
    this.timeout(240_000);

    const emulator = useEmulator();
    const stack = useStack("engine-killed", () => configurationFor(emulator, "secrets", "scheduler"), {
      adapter,
    });

    afterEach(() => stack.unlock());

    /** Runs a program until it waits, and kills the engine. @returns what waits for the end of its providers */
    const killWhen = async (program: Program, waits: () => boolean): Promise<() => Promise<void>> => {
      const ended = assert.rejects(stack.up(program), OperationFailed);
      await Promise.race([until(waits), ended]);
      assert.ok(waits());
      const providers = killEngine();
      assert.equal(providers.length, 1);
      await ended;
      return () => until(() => !providers.some(isRunning));
    };

    it("leaves no process that waits for an event", async () => {
      const isWaiting = (): boolean => emulator.inspect().scheduler.subscriptions.length === 1;
      const args = { topics: ["Job"], match: {}, timeout: "1h" };
      const providersEnd = await killWhen(() => new trivium.scheduler.EventGate("gate", args), isWaiting);
      await providersEnd();
      assert.ok(!isWaiting());
    });

    it("leaves no process that checks out an account when one becomes free", async () => {
      const around = await libraryCheckout.prepare(worldOn(emulator, { dialect: "documented" }));
      const { api } = around.world.secrets;
      const borrowed = (): number =>
        emulator.inspect().secrets.directoryLibraryAccounts.filter(({ checkOut }) => checkOut !== null)
          .length;
      for (let account = 1; account <= 3; account++) {
        await api.write(`${around.mount}/library/operators/check-out`, { name: "operators" });
      }
      assert.equal(borrowed(), 3);
      emulator.journal.clear();
      const looks = (): number => emulator.journal.count({ path: /\/library\/operators\/status$/ });
      const providersEnd = await killWhen(
        () =>
          new trivium.secrets.directory.LibraryCheckout("account", {
            mount: around.mount,
            setName: "operators",
            waitFor: "1h",
          }),
        () => looks() > 1,
      );
      await libraryCheckout.vanish?.(around, "");
      await providersEnd();
      assert.equal(borrowed(), 0);
    });
  });
}
