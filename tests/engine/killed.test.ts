import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { libraryCheckout } from "../cases/secrets/directory/library-checkout";
import { worldOn } from "../cases/support/emulated-world";
import { useEmulator } from "../support/use-emulator";
import { isRunning, killEngine, until } from "./support/processes";
import { configurationOf, connectionTo } from "./support/surroundings";
import { OperationFailed, type Program, TestStack } from "./support/stack";

for (const adapter of ["dynamic", "plugin"] as const) {
  describe(`an engine that is killed while a resource waits (${adapter})`, function () {
    this.timeout(240_000);

    const emulator = useEmulator();
    let stack: TestStack;

    before(async () => {
      stack = await TestStack.create(
        "engine-killed",
        {
          ...configurationOf(connectionTo(emulator, "scheduler")),
          ...configurationOf(connectionTo(emulator, "secrets")),
        },
        {},
        adapter,
      );
    });
    afterEach(() => stack.unlock());
    after(() => {
      stack.remove();
    });

    /** Runs a program until it waits, and kills the engine. @returns what waits for the end of its providers */
    const killWhen = async (program: Program, waits: () => boolean): Promise<() => Promise<void>> => {
      const ended = assert.rejects(stack.up(program), (error) => error instanceof OperationFailed);
      await Promise.race([until(waits), ended]);
      assert.ok(waits());
      const providers = killEngine();
      assert.equal(providers.length, 1);
      await ended;
      return () => until(() => !providers.some(isRunning));
    };

    it("leaves no process that waits for an event", async () => {
      const isWaiting = (): boolean => emulator.inspect().scheduler.subscriptions.length === 1;
      const providersEnd = await killWhen(() => {
        new trivium.scheduler.EventGate("gate", { topics: ["Job"], match: {}, timeout: "1h" });
        return Promise.resolve(undefined);
      }, isWaiting);
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
        () => {
          new trivium.secrets.directory.LibraryCheckout("account", {
            mount: around.mount,
            setName: "operators",
            waitFor: "1h",
          });
          return Promise.resolve(undefined);
        },
        () => looks() > 1,
      );
      await libraryCheckout.vanish?.(around, "");
      await providersEnd();
      assert.equal(borrowed(), 0);
    });
  });
}
