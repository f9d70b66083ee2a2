import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { resourceCases } from "../cases";
import type { Adapter } from "../engine/support/adapter";
import { until } from "../engine/support/processes";
import { type Receiver, startReceiver } from "../engine/support/receiver";
import { checkInputs, type Creation, startProvider } from "../faults/support/creation";
import { tokens } from "../faults/support/bench";
import { prepareCreation } from "../faults/support/prepared-creation";
import type { CallError, ProviderProcess } from "../support/provider-process";
import { failureOf } from "./support/values";

describe("a provider process whose engine does not wait any more", function () {
  this.timeout(60_000);

  let emulator: Emulator;
  let receiver: Receiver;
  let creation: Creation;
  let provider: ProviderProcess;
  before(async () => {
    [emulator, receiver] = await Promise.all([startEmulator({ tokens }), startReceiver()]);
  });
  afterEach(() => provider.stop());
  after(() => Promise.all([emulator.close(), receiver.close()]));

  /** Starts a process for a gate that waits for an event that does not come. */
  const start = async (adapter: Adapter): Promise<void> => {
    const gate = resourceCases.get("scheduler:EventGate");
    assert.ok(gate);
    const never = { match: { key: "never" }, timeout: "1h" };
    creation = await prepareCreation({ emulator, receiver }, gate, adapter, { more: never });
    provider = await startProvider(creation);
  };
  const waiting = (): boolean => emulator.scheduler.statistics.inFlight > 0;
  /** Creates the gate. @returns once it waits, how its creation fails */
  const wait = async (): Promise<{ readonly failure: Promise<CallError> }> => {
    const inputs = await checkInputs(provider, creation);
    const failure = failureOf(provider.create(inputs));
    await until(waiting);
    return { failure };
  };
  /** The user cancels, and the process says that it has. */
  const cancel = async ({ failure }: { readonly failure: Promise<CallError> }): Promise<void> => {
    await provider.cancel();
    assert.match((await failure).message, /^Cancelled while waiting/);
  };

  for (const adapter of ["dynamic", "plugin"] as const) {
    describe(`(${adapter})`, () => {
      beforeEach(() => start(adapter));

      it("cancels the calls of a connection that is closed, and serves the next connection", async () => {
        const { failure } = await wait();
        provider.disconnect();
        await failure;
        await until(() => !waiting());
        provider.reconnect();
        await cancel(await wait());
      });

      it("ends when its engine has ended during a call", async () => {
        const { failure } = await wait();
        provider.engine.stop();
        provider.disconnect();
        await failure;
        assert.deepEqual(await provider.ended, { code: 0, signal: null });
        await until(() => !waiting());
      });

      it("ends when its engine has ended after a call", async () => {
        await cancel(await wait());
        provider.disconnect();
        provider.engine.stop();
        assert.deepEqual(await provider.ended, { code: 0, signal: null });
      });
    });
  }

  it("cancels a call that is cancelled while the connection stays (plugin)", async () => {
    await start("plugin");
    const { failure } = await wait();
    provider.abandonCalls();
    await failure;
    await until(() => !waiting());
    await cancel(await wait());
  });
});
