import assert from "node:assert/strict";
import { resourceCases } from "../cases";
import { emulatedTokens as tokens } from "../cases/support/emulated-services";
import { type Adapter, adapters } from "../engine/support/adapter";
import { until } from "../engine/support/processes";
import { useReceiver } from "../engine/support/receiver";
import { create as createIn, type Creation, startProvider } from "../faults/support/creation";
import { prepareCreation } from "../faults/support/records";
import type { CallError, ProviderProcess } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";
import { failureOf, partialOf } from "../support/values";
import { projectInputs, ProvisioningContract } from "./support/contracts";

const busy = { status: 429, headers: { "Retry-After": "30" } };
const single = "/api/v2/projects/:id";
const urn = "urn:pulumi:test::test::pulumi-nodejs:dynamic/trivium/provisioning:Project::payments";

describe("cancellation of the provider process", () => {
  const contract = new ProvisioningContract(5);
  let provider: ProviderProcess;
  let organization: string;

  // Who has been cancelled stays cancelled, so each test has a process of its own.
  beforeEach(async () => {
    provider = await contract.start();
    organization = contract.organization();
  });
  afterEach(async () => {
    contract.emulator.faults.clear();
    await provider.stop();
  });

  const create = (name = "payments") =>
    provider.create(projectInputs({ organization, name, __urn: "urn:pulumi:test::test::trivium::payments" }));

  /** Holds back the responses to requests that have been applied. */
  const holdBack = (method: string, path = /./) =>
    contract.emulator.faults.add({ method, path, delay: "1h", when: "after" });

  it("Cancel ends a wait before anything is created, and the error reports that", async () => {
    contract.emulator.faults.add({ method: "POST", ...busy });
    const failure = failureOf(create());
    await provider.engine.line(/rate limited/);
    await provider.cancel();
    const { message, partial } = await failure;
    assert.match(message, /^Canceled while trying to create the project "payments".*has not processed it\.$/);
    assert.equal(partial, undefined);
    assert.deepEqual(contract.projectNames(organization), []);
  });

  it("Cancel ends a wait after an object was created, and keeps the object", async () => {
    contract.emulator.faults.add({ method: "GET", path: single, ...busy });
    const partial = partialOf(create());
    await provider.engine.line(/rate limited/);
    await provider.cancel();
    const { id, properties, reasons } = await partial;
    assert.equal(properties.name, "payments");
    assert.match(reasons[0] ?? "", new RegExp(`${id} was written.*Canceled while trying to read`));
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
  });

  it("Cancel lets a creation in progress return its ID, and does not begin anything new", async () => {
    const held = holdBack("POST");
    const partial = partialOf(create());
    await until(() => held.hits > 0);
    await provider.cancel();
    held.remove();
    const { id, properties } = await partial;
    assert.match(id, /^prj-/);
    assert.equal(properties.__at, contract.place);
    assert.deepEqual(contract.projectNames(organization), ["payments"]);

    const requests = contract.emulator.journal.count();
    const { message } = await failureOf(create("another"));
    assert.match(message, /^Canceled while trying to create the project "another"/);
    assert.equal(contract.emulator.journal.count(), requests);
  });

  it("SIGINT ends an idle process that has done nothing yet", async () => {
    provider.interrupt();
    assert.deepEqual(await provider.ended, { code: null, signal: "SIGINT" });
  });

  it("SIGINT ends an idle process that has sent requests", async () => {
    await create();
    provider.interrupt();
    assert.deepEqual(await provider.ended, { code: 130, signal: null });
  });

  it("SIGINT ends a process that waits, once the wait has failed", async () => {
    contract.emulator.faults.add({ method: "POST", ...busy });
    const failure = failureOf(create());
    await provider.engine.line(/rate limited/);
    provider.interrupt();
    assert.match((await failure).message, /^Canceled while trying to create/);
    assert.deepEqual(await provider.ended, { code: 130, signal: null });
  });

  it("SIGINT ends a process with creations in progress once the engine has received all their results", async () => {
    const held = holdBack("POST");
    const reading = holdBack("GET", /\/prj-other$/);
    const creations = Array.from({ length: 30 }, (_, number) =>
      create(`payments-${number}`).catch((error: unknown) => (error as CallError).partial),
    );
    const read = failureOf(provider.get("prj-other", projectInputs({})));
    await until(() => held.hits > 0 && reading.hits > 0);
    provider.interrupt();
    // A read has nothing to lose and ends at once; by then the process knows of its end.
    assert.match((await read).message, /^Canceled while trying to read/);
    held.remove();
    const received = (await Promise.all(creations)).filter((creation) => creation !== undefined);
    assert.equal(received.length, contract.projectNames(organization).length);
    assert.notEqual(received.length, 0);
    assert.deepEqual(await provider.ended, { code: 130, signal: null });
  });
});

describe("a provider process whose engine no longer waits", function () {
  this.timeout(60_000);

  const emulator = useEmulator({ resets: false, tokens });
  const receiver = useReceiver();
  let creation: Creation;
  let provider: ProviderProcess;
  afterEach(() => provider.stop());

  /** Starts a process for a gate that waits for an event that does not come. */
  const start = async (adapter: Adapter): Promise<void> => {
    const gate = resourceCases.get("scheduler:EventGate") ?? assert.fail();
    const more = { match: { key: "never" }, timeout: "1h" };
    creation = await prepareCreation({ emulator, receiver }, gate, adapter, more);
    provider = await startProvider(creation);
  };
  const isWaiting = (): boolean => emulator.scheduler.statistics.inFlight > 0;
  /** Creates the gate. @returns once it waits, how its creation fails */
  const wait = async (): Promise<{ readonly failure: Promise<CallError> }> => {
    const failure = failureOf(createIn(provider, creation));
    await until(isWaiting);
    return { failure };
  };
  /** The user cancels a wait, and the process says that it has. */
  const waitAndCancel = async (): Promise<void> => {
    const { failure } = await wait();
    await provider.cancel();
    assert.match((await failure).message, /^Canceled while waiting/);
  };

  for (const adapter of adapters) {
    it(`the provider process cancels the calls of a connection that is closed, and serves the next connection (${adapter})`, async () => {
      await start(adapter);
      const { failure } = await wait();
      provider.disconnect();
      await failure;
      await until(() => !isWaiting());
      provider.reconnect();
      await waitAndCancel();
    });

    it(`the provider process ends when its engine has ended during a call (${adapter})`, async () => {
      await start(adapter);
      const { failure } = await wait();
      provider.engine.stop();
      provider.disconnect();
      await failure;
      assert.deepEqual(await provider.ended, { code: 0, signal: null });
      await until(() => !isWaiting());
    });

    it(`the provider process ends when its engine has ended after a call (${adapter})`, async () => {
      await start(adapter);
      await waitAndCancel();
      provider.disconnect();
      provider.engine.stop();
      assert.deepEqual(await provider.ended, { code: 0, signal: null });
    });
  }

  it("the provider process cancels a call that is canceled while the connection stays open (plugin)", async () => {
    await start("plugin");
    const { failure } = await wait();
    provider.abandonCalls();
    await failure;
    await until(() => !isWaiting());
    await waitAndCancel();
  });
});

describe("progress in the provider process", () => {
  const contract = new ProvisioningContract(1);
  const { provider } = contract;
  const limited = { status: 429, headers: { "Retry-After": "0.05" }, times: 1 };
  afterEach(() => (provider.about = {}));

  it("progress shows in an ephemeral line on the resource that its creation waits", async () => {
    const args = { organization: contract.organization(), name: "canary-secret-name", __secrets: ["name"] };
    contract.emulator.faults.add({ method: "POST", ...limited });
    await provider.create(projectInputs({ ...args, __urn: urn }));
    const { message, ...line } = await provider.engine.line(/rate limited/);
    assert.deepEqual(line, { severity: "information", urn, ephemeral: true });
    assert.equal(message, "rate limited, waiting 0.1 s");
    assert.ok(provider.engine.lines.every(({ message: text }) => !text.includes("canary")));
  });

  /** The resources against which something is shown meanwhile. */
  const urnsDuring = async (work: () => Promise<unknown>): Promise<(string | undefined)[]> => {
    contract.emulator.faults.add(limited);
    const before = provider.engine.lines.length;
    await work();
    return [...new Set(provider.engine.lines.slice(before).map((line) => line.urn))];
  };

  it("progress takes the URN from each call, and does not store it", async () => {
    const args = projectInputs({ organization: contract.organization(), name: "payments" });
    provider.about = { urn };
    const { inputs } = await provider.check({}, { ...args, __urn: "test::test::::other" });
    assert.deepEqual(inputs, args);
    let id = "";
    let outputs = {};
    for (const call of [
      async () => ({ id, outputs } = await provider.create(inputs)),
      async () => assert.deepEqual(await provider.refresh(id, outputs), { id, inputs, outputs }),
      async () => (outputs = await provider.update(id, outputs, { ...inputs, name: "renamed" })),
      () => provider.delete(id, outputs),
    ]) {
      assert.deepEqual(await urnsDuring(call), [urn]);
      assert.ok(!("__urn" in outputs));
    }
  });

  it("a process with progress passes exactly what the engine sends to providers of other packages", async () => {
    await provider.create(projectInputs({ organization: contract.organization(), name: "first" }));
    const __provider = `exports.handler = () => ({
      create: async (inputs) => ({ id: "made", outs: inputs }),
      read: async (id, props) => ({ id, props }),
    })`;
    const args = { __provider, size: 1 };
    provider.about = { urn: "urn:pulumi:test::test::pulumi-nodejs:dynamic:Resource::hand-written" };
    assert.deepEqual((await provider.check({}, args)).inputs, args);
    const { id, outputs } = await provider.create(args);
    assert.deepEqual(outputs, args);
    assert.deepEqual((await provider.refresh(id, outputs)).outputs, args);
  });

  it("progress is shown under the current name of a resource that was renamed with an alias", async () => {
    const organization = contract.organization();
    const inputs = projectInputs({ organization, name: "renamed", __urn: urn });
    const { id, outputs: created } = await provider.create(inputs);
    // As versions up to 0.1.0 stored it.
    const outputs = { ...created, __urn: urn };
    const renamed = { ...inputs, __urn: `${urn}-again` };
    assert.equal((await provider.diff(id, outputs, renamed)).changes, "none");
    assert.deepEqual(await urnsDuring(() => provider.delete(id, outputs)), [renamed.__urn]);
  });
});
