import assert from "node:assert/strict";
import type { Properties } from "../support/provider-process";
import { gadgetStub } from "./support/gadget";
import { GadgetContract } from "./support/gadget-contract";
import { inClear } from "./support/values";

describe("update in the provider process", () => {
  const contract = new GadgetContract();
  const inputs: Properties = {
    owner: "team-a",
    label: "first",
    tags: ["web", "api"],
    period: "1h",
    onDestroy: "delete",
    __provider: gadgetStub,
  };

  const create = async () => {
    const { id, outputs } = await contract.provider.create(inputs);
    return { id, outputs: inClear(outputs) };
  };
  /** @returns the outputs, and the requests that were made */
  const update = async (id: string, olds: Properties, news: Properties) => {
    const before = contract.service.requests.length;
    const outputs = inClear(await contract.provider.update(id, olds, news));
    return { outputs, requests: contract.service.requests.slice(before) };
  };

  it("answers all outputs, the changed ones as the service has them", async () => {
    const { id, outputs } = await create();
    const updated = await update(id, outputs, { ...inputs, period: "2h", label: "second" });
    assert.deepEqual(updated.outputs, {
      ...outputs,
      label: "second",
      period: 7200,
      __managed: ["*", { tags: { as: ["web", "api"] }, period: { as: "2h" } }],
    });
    assert.deepEqual(updated.requests, [`PATCH /api/v2/widgets/${id}`]);
  });

  it("of behaviour makes no request and keeps everything else as the service has it", async () => {
    const { id, outputs } = await create();
    const updated = await update(id, outputs, { ...inputs, onDestroy: "retain" });
    assert.deepEqual(updated, { outputs: { ...outputs, onDestroy: "retain" }, requests: [] });
  });

  it("of behaviour keeps what cleared arguments read as", async () => {
    const { id, outputs } = await create();
    const cleared = await update(id, outputs, { ...inputs, period: null });
    assert.equal(cleared.outputs.period, 60);
    const updated = await update(id, cleared.outputs, { ...inputs, period: null, onDestroy: "retain" });
    assert.deepEqual(updated, { outputs: { ...cleared.outputs, onDestroy: "retain" }, requests: [] });
  });

  it("decides what delete does", async () => {
    const { id, outputs } = await create();
    const { outputs: retained } = await update(id, outputs, { ...inputs, onDestroy: "retain" });
    await contract.provider.delete(id, retained);
    assert.ok(contract.service.widgets.has(id));
    await contract.provider.delete(id, outputs);
    assert.ok(!contract.service.widgets.has(id));
  });
});
