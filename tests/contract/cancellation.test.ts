import assert from "node:assert/strict";
import type { ProviderProcess } from "../support/provider-process";
import { projectInputs, ProvisioningContract } from "./support/provisioning";
import { failureOf, partialOf } from "./support/values";

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

  it("ends a wait before anything was made, and says so", async () => {
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

  it("ends a wait after something was made, and keeps it", async () => {
    contract.emulator.faults.add({ method: "GET", path: single, ...busy });
    const partial = partialOf(create());
    await provider.engine.line(/rate limited/);
    await provider.cancel();
    const { id, properties, reasons } = await partial;
    assert.equal(properties.name, "payments");
    assert.match(reasons[0] ?? "", new RegExp(`${id} was written.*Cancelled while trying to read`));
    assert.deepEqual(contract.projectNames(organization), ["payments"]);
  });

  it("lets a creation under way bring its id, and begins nothing new", async () => {
    const { fault, arrival } = holdBack("POST");
    const partial = partialOf(create());
    await arrival;
    await provider.cancel();
    fault.remove();
    const { id, properties } = await partial;
    assert.match(id, /^prj-/);
    assert.equal(properties.__at, `*${contract.place}`);
    assert.deepEqual(contract.projectNames(organization), ["payments"]);

    const requests = await contract.requestsOf(async () => {
      const { message } = await failureOf(provider.create(projectInputs({ organization, name: "another" })));
      assert.match(message, /^Cancelled while trying to create the project "another"/);
    });
    assert.equal(requests, 0);
  });

  describe("by SIGINT", () => {
    it("ends an idle process that has done nothing yet", async () => {
      provider.interrupt();
      assert.deepEqual(await provider.ended, { code: null, signal: "SIGINT" });
    });

    it("ends an idle process that has made requests", async () => {
      await create();
      provider.interrupt();
      assert.deepEqual(await provider.ended, { code: 130, signal: null });
    });

    it("ends a process that waits, once the wait has failed", async () => {
      contract.emulator.faults.add({ method: "POST", ...busy });
      const failure = failureOf(create());
      await provider.engine.line(/rate limited/);
      provider.interrupt();
      assert.match((await failure).message, /^Cancelled while trying to create/);
      assert.deepEqual(await provider.ended, { code: 130, signal: null });
    });

    it("ends a process with a creation under way once it has answered what came of it", async () => {
      const { fault, arrival } = holdBack("POST");
      const reading = holdBack("GET", /\/prj-other$/);
      const partial = partialOf(create());
      const read = failureOf(provider.get("prj-other", projectInputs({})));
      await Promise.all([arrival, reading.arrival]);
      provider.interrupt();
      // A read has nothing to lose and ends at once; by then the process knows of its end.
      assert.match((await read).message, /^Cancelled while trying to read/);
      fault.remove();
      assert.match((await partial).id, /^prj-/);
      assert.deepEqual(await provider.ended, { code: 130, signal: null });
    });
  });
});
