import assert from "node:assert/strict";
import { resourceCases } from "../cases";
import type { Adapter } from "../engine/support/adapter";
import { until } from "../engine/support/processes";
import { useReceiver } from "../engine/support/receiver";
import { emulatedTokens as tokens } from "../cases/support/emulated-services";
import { checkInputs, type Creation, startProvider } from "../faults/support/creation";
import { prepareCreation } from "../faults/support/records";
import type { CallError, ProviderProcess } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";
import { failureOf, partialOf } from "../support/values";
import { projectInputs, ProvisioningContract } from "./support/contracts";

const busy = { status: 429, headers: { "Retry-After": "30" } };
const single = "/api/v2/projects/:id";
const __urn = "urn:pulumi:test::test::trivium::payments";

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

  const create = () => provider.create(projectInputs({ organization, name: "payments", __urn }));

  /** Holds back the answers to requests that have been applied. */
  const holdBack = (method: string, path = /./) => {
    let arrived: () => void;
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const where = (): boolean => {
      arrived();
      return true;
    };
    const fault = contract.emulator.faults.add({ method, path, delay: "1h", when: "after", where });
    return { fault, arrival };
  };

  it("Cancel ends a wait before anything was made, and says so", async () => {
    contract.emulator.faults.add({ method: "POST", ...busy });
    const failure = failureOf(create());
    await provider.engine.line(/rate limited/);
    await provider.cancel();
    const { message, partial } = await failure;
    assert.match(
      message,
      /^Cancelled while trying to create the project "payments".*has not processed it\.$/,
    );
    assert.equal(partial, undefined);
    assert.deepEqual(contract.projectNames(organization), []);
  });

  it("Cancel ends a wait after something was made, and keeps it", async () => {
    contract.emulator.faults.add({ method: "GET", path: single, ...busy });
    const partial = partialOf(create());
    await provider.engine.line(/rate limited/);
    await provider.cancel();
    const { id, properties, reasons } = await partial;
    assert.equal(properties.name, "payments");
    assert.match(reasons[0] ?? "", new RegExp(`${id} was written.*Cancelled while trying to read`));
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
  });

  it("Cancel lets a creation under way return its id, and begins nothing new", async () => {
    const { fault, arrival } = holdBack("POST");
    const partial = partialOf(create());
    await arrival;
    await provider.cancel();
    fault.remove();
    const { id, properties } = await partial;
    assert.match(id, /^prj-/);
    assert.equal(properties.__at, contract.place);
    assert.deepEqual(contract.projectNames(organization), ["payments"]);

    const requests = await contract.requestsOf(async () => {
      const { message } = await failureOf(provider.create(projectInputs({ organization, name: "another" })));
      assert.match(message, /^Cancelled while trying to create the project "another"/);
    });
    assert.equal(requests, 0);
  });

  describe("by SIGINT", () => {
    it("SIGINT ends an idle process that has done nothing yet", async () => {
      provider.interrupt();
      assert.deepEqual(await provider.ended, { code: null, signal: "SIGINT" });
    });

    it("SIGINT ends an idle process that has made requests", async () => {
      await create();
      provider.interrupt();
      assert.deepEqual(await provider.ended, { code: 130, signal: null });
    });

    it("SIGINT ends a process that waits, once the wait has failed", async () => {
      contract.emulator.faults.add({ method: "POST", ...busy });
      const failure = failureOf(create());
      await provider.engine.line(/rate limited/);
      provider.interrupt();
      assert.match((await failure).message, /^Cancelled while trying to create/);
      assert.deepEqual(await provider.ended, { code: 130, signal: null });
    });

    it("SIGINT ends a process with creations under way once the engine has received what came of all", async () => {
      const { fault, arrival } = holdBack("POST");
      const reading = holdBack("GET", /\/prj-other$/);
      const names = Array.from({ length: 30 }, (_, number) => `payments-${number}`);
      const inputsOf = (name: string) => projectInputs({ organization, name });
      const creations = names.map((name) =>
        provider.create(inputsOf(name)).catch((error: unknown) => (error as CallError).partial),
      );
      const read = failureOf(provider.get("prj-other", projectInputs({})));
      await Promise.all([arrival, reading.arrival]);
      provider.interrupt();
      // A read has nothing to lose and ends at once; by then the process knows of its end.
      assert.match((await read).message, /^Cancelled while trying to read/);
      fault.remove();
      const received = (await Promise.all(creations)).filter((creation) => creation !== undefined);
      assert.equal(received.length, contract.projectNames(organization).length);
      assert.notEqual(received.length, 0);
      assert.deepEqual(await provider.ended, { code: 130, signal: null });
    });
  });
});

describe("a provider process whose engine does not wait any more", function () {
  this.timeout(60_000);

  const emulator = useEmulator({ resets: false, tokens });
  const receiver = useReceiver();
  let creation: Creation;
  let provider: ProviderProcess;
  afterEach(() => provider.stop());

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

      it("the provider process cancels the calls of a connection that is closed, and serves the next connection", async () => {
        const { failure } = await wait();
        provider.disconnect();
        await failure;
        await until(() => !waiting());
        provider.reconnect();
        await cancel(await wait());
      });

      it("the provider process ends when its engine has ended during a call", async () => {
        const { failure } = await wait();
        provider.engine.stop();
        provider.disconnect();
        await failure;
        assert.deepEqual(await provider.ended, { code: 0, signal: null });
        await until(() => !waiting());
      });

      it("the provider process ends when its engine has ended after a call", async () => {
        await cancel(await wait());
        provider.disconnect();
        provider.engine.stop();
        assert.deepEqual(await provider.ended, { code: 0, signal: null });
      });
    });
  }

  it("the provider process cancels a call that is cancelled while the connection stays (plugin)", async () => {
    await start("plugin");
    const { failure } = await wait();
    provider.abandonCalls();
    await failure;
    await until(() => !waiting());
    await cancel(await wait());
  });
});

const ofProject = "urn:pulumi:test::test::pulumi-nodejs:dynamic/trivium/provisioning:Project::payments";
const limited = { status: 429, headers: { "Retry-After": "0.05" } };

describe("progress in the provider process", () => {
  const contract = new ProvisioningContract(1);

  it("progress shows against the resource, as an ephemeral line, that its creation waits", async () => {
    const name = "canary-secret-name";
    const inputs = projectInputs({
      organization: contract.organization(),
      name,
      __urn: ofProject,
      __secrets: ["name"],
    });
    contract.emulator.faults.add({ method: "POST", ...limited });
    await contract.provider.create(inputs);
    const { message, ...line } = await contract.provider.engine.line(/rate limited/);
    assert.deepEqual(line, { severity: "information", urn: ofProject, ephemeral: true });
    assert.match(message, /^rate limited, waiting 0\.1 s$/);
    assert.ok(contract.provider.engine.lines.every(({ message: text }) => !text.includes("canary")));
  });

  it("progress takes the URN from each call, and does not store it", async () => {
    const { provider } = contract;
    const args = projectInputs({ organization: contract.organization(), name: "payments" });
    const lines = async (work: () => Promise<unknown>): Promise<(string | undefined)[]> => {
      contract.emulator.faults.add({ times: 1, ...limited });
      const before = provider.engine.lines.length;
      await work();
      return [...new Set(provider.engine.lines.slice(before).map(({ urn }) => urn))];
    };
    provider.about = { urn: ofProject };
    try {
      const { inputs } = await provider.check({}, { ...args, __urn: "test::test::::other" });
      assert.deepEqual(inputs, args);
      let made = { id: "", outputs: {} };
      assert.deepEqual(await lines(async () => (made = await provider.create(inputs))), [ofProject]);
      const { id, outputs } = made;
      assert.ok(!("__urn" in outputs));
      assert.deepEqual(
        await lines(async () =>
          assert.deepEqual(await provider.refresh(id, outputs), { id, inputs, outputs }),
        ),
        [ofProject],
      );
      assert.equal((await provider.diff(id, outputs, inputs)).changes, "none");
      const news = { ...inputs, name: "renamed" };
      assert.deepEqual(await lines(async () => (made.outputs = await provider.update(id, outputs, news))), [
        ofProject,
      ]);
      assert.ok(!("__urn" in made.outputs));
      assert.deepEqual(await lines(() => provider.delete(id, made.outputs)), [ofProject]);
    } finally {
      provider.about = {};
    }
  });

  it("progress leaves other people's providers in the process what the engine sends", async () => {
    const { provider } = contract;
    await provider.create(projectInputs({ organization: contract.organization(), name: "first" }));
    const __provider = `exports.handler = () => ({
      create: async (inputs) => ({ id: "made", outs: inputs }),
      read: async (id, props) => ({ id, props }),
    })`;
    const args = { __provider, size: 1 };
    provider.about = { urn: "urn:pulumi:test::test::pulumi-nodejs:dynamic:Resource::hand-written" };
    try {
      assert.deepEqual((await provider.check({}, args)).inputs, args);
      const { id, outputs } = await provider.create(args);
      assert.deepEqual(outputs, args);
      assert.deepEqual((await provider.refresh(id, outputs)).outputs, args);
    } finally {
      provider.about = {};
    }
  });

  it("progress shows against the name that the resource has now, when it was renamed with an alias", async () => {
    const { engine } = contract.provider;
    const inputs = projectInputs({
      organization: contract.organization(),
      name: "renamed",
      __urn: ofProject,
    });
    const { id, outputs: created } = await contract.provider.create(inputs);
    // As versions up to 0.1.0 stored it.
    const outputs = { ...created, __urn: ofProject };
    const renamed = { ...inputs, __urn: `${ofProject}-anew` };
    const { changes } = await contract.provider.diff(id, outputs, renamed);
    assert.equal(changes, "none");
    contract.emulator.faults.clear();
    contract.emulator.faults.add({ method: "DELETE", times: 1, ...limited });
    const before = engine.lines.length;
    await contract.provider.delete(id, outputs);
    const urns = engine.lines.slice(before).map(({ urn }) => urn);
    assert.ok(urns.length > 0);
    assert.deepEqual([...new Set(urns)], [renamed.__urn]);
  });
});
