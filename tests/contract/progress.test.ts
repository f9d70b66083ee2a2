import assert from "node:assert/strict";
import { projectInputs, ProvisioningContract } from "./support/provisioning";

const __urn = "urn:pulumi:test::test::pulumi-nodejs:dynamic/trivium/provisioning:Project::payments";
const busy = { status: 429, headers: { "Retry-After": "0.05" } };

describe("progress in the provider process", () => {
  const contract = new ProvisioningContract(1);

  it("shows nothing when nothing is waited for", async () => {
    await contract.provider.create(
      projectInputs({ organization: contract.organization(), name: "payments", __urn }),
    );
    assert.deepEqual(contract.provider.engine.lines, []);
  });

  it("shows against the resource, in passing, that its creation waits", async () => {
    const name = "canary-secret-name";
    const inputs = projectInputs({ organization: contract.organization(), name, __urn, __secrets: ["name"] });
    contract.emulator.faults.add({ method: "POST", ...busy });
    await contract.provider.create(inputs);
    const { message, ...line } = await contract.provider.engine.line(/rate limited/);
    assert.deepEqual(line, { severity: "information", urn: __urn, ephemeral: true });
    assert.match(message, /^rate limited, waiting 0\.1 s$/);
    assert.ok(contract.provider.engine.lines.every(({ message: text }) => !text.includes("canary")));
  });

  it("takes the URN from each call, and does not store it", async () => {
    const { provider } = contract;
    const args = projectInputs({ organization: contract.organization(), name: "payments" });
    const lines = async (work: () => Promise<unknown>): Promise<(string | undefined)[]> => {
      contract.emulator.faults.add({ times: 1, ...busy });
      const before = provider.engine.lines.length;
      await work();
      return [...new Set(provider.engine.lines.slice(before).map(({ urn }) => urn))];
    };
    provider.about = { urn: __urn };
    try {
      const { inputs } = await provider.check({}, { ...args, __urn: "test::test::::other" });
      assert.deepEqual(inputs, args);
      let made = { id: "", outputs: {} };
      assert.deepEqual(await lines(async () => (made = await provider.create(inputs))), [__urn]);
      const { id, outputs } = made;
      assert.ok(!("__urn" in outputs));
      assert.deepEqual(
        await lines(async () =>
          assert.deepEqual(await provider.refresh(id, outputs), { id, inputs, outputs }),
        ),
        [__urn],
      );
      assert.equal((await provider.diff(id, outputs, inputs)).changes, "none");
      const news = { ...inputs, name: "renamed" };
      assert.deepEqual(await lines(async () => (made.outputs = await provider.update(id, outputs, news))), [
        __urn,
      ]);
      assert.ok(!("__urn" in made.outputs));
      assert.deepEqual(await lines(() => provider.delete(id, made.outputs)), [__urn]);
    } finally {
      provider.about = {};
    }
  });

  it("leaves other people's providers in the process what the engine sends", async () => {
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

  it("shows against the name that the resource has now, when it was renamed with an alias", async () => {
    const { engine } = contract.provider;
    const inputs = projectInputs({ organization: contract.organization(), name: "renamed", __urn });
    const { id, outputs: created } = await contract.provider.create(inputs);
    // As versions up to 0.1.0 stored it.
    const outputs = { ...created, __urn };
    const renamed = { ...inputs, __urn: `${__urn}-anew` };
    const { changes } = await contract.provider.diff(id, outputs, renamed);
    assert.equal(changes, "none");
    contract.emulator.faults.clear();
    contract.emulator.faults.add({ method: "DELETE", times: 1, ...busy });
    const before = engine.lines.length;
    await contract.provider.delete(id, outputs);
    const urns = engine.lines.slice(before).map(({ urn }) => urn);
    assert.ok(urns.length > 0);
    assert.deepEqual([...new Set(urns)], [renamed.__urn]);
  });
});
