import assert from "node:assert/strict";
import type { Properties } from "../support/provider-process";
import { gadgetStub, unreadable } from "./support/gadget";
import { GadgetContract } from "./support/gadget-contract";
import { inClear, partialOf, secret } from "./support/values";

const password = "canary-password-71aa";
const key = "canary-key-c4\r\nlast line\r\n";
const storedKey = "canary-key-c4\nlast line";

const inputs: Properties = { owner: "team-a", label: "first", password, key, __provider: gadgetStub };

describe("secrets in the provider process", () => {
  const contract = new GadgetContract([password, "canary-key-c4"]);

  /** All outputs of the gadget that the inputs make. */
  const outputs = (change: Properties = {}): Properties => ({
    owner: "team-a",
    label: "first",
    tags: [],
    period: 60,
    password: secret(password),
    key: secret(storedKey),
    __managed: "owner,label,password,key",
    __at: contract.service.address.replace("http:", ""),
    __provider: gadgetStub,
    ...change,
  });
  const create = async () => {
    const { id, outputs } = await contract.provider.create(inputs);
    return { id, made: outputs.made ?? null, outputs };
  };

  it("are marked in what check answers", async () => {
    assert.deepEqual(await contract.provider.check({}, inputs), {
      inputs: { ...inputs, password: secret(password), key: secret(key) },
      failures: [],
    });
  });

  it("are cleared like everything else that the program no longer names", async () => {
    const { owner, __provider } = inputs;
    const news: Properties = { owner: owner ?? null, __provider: __provider ?? null };
    assert.deepEqual(await contract.provider.check({ ...inputs, adopt: true }, news), {
      inputs: { ...news, label: null, password: null, key: null },
      failures: [],
    });
  });

  it("are not named as the property that is wrong, whose value the engine prints", async () => {
    const { failures } = await contract.provider.check({}, { ...inputs, password: "canary1", label: 5 });
    assert.deepEqual(failures, [
      { property: "label", reason: "must be a string, not a number" },
      { property: "", reason: "password must have at least 8 characters" },
    ]);
  });

  it("are marked in what create answers, computed ones too", async () => {
    const { made, outputs: response } = await create();
    assert.deepEqual(response, outputs({ made }));
    assert.deepEqual(made, secret(inClear({ made }).made ?? null));
    assert.notDeepEqual(made, secret(null));
  });

  it("are marked in what update answers, with a request or without", async () => {
    const created = await create();
    const state = inClear(created.outputs);
    const { made } = created;
    assert.deepEqual(
      await contract.provider.update(created.id, state, { ...inputs, password: "canary-password-71aa-2" }),
      outputs({ made, password: secret("canary-password-71aa-2") }),
    );
    assert.deepEqual(
      await contract.provider.update(created.id, state, { ...inputs, onDestroy: "retain" }),
      outputs({
        made,
        onDestroy: "retain",
        __managed: "owner,label,password,key,onDestroy",
      }),
    );
  });

  it("are marked in both halves of what a refresh answers", async () => {
    const { id, made, outputs: created } = await create();
    assert.deepEqual(await contract.provider.refresh(id, inClear(created)), {
      id,
      outputs: outputs({ made }),
      inputs: { ...inputs, password: secret(password), key: secret(storedKey) },
    });
  });

  it("are marked when they drift", async () => {
    const { id, outputs: created } = await create();
    contract.service.widgets.set(id, { ...contract.service.widgets.get(id), key: "canary-key-c4 by hand" });
    const read = await contract.provider.refresh(id, inClear(created));
    assert.deepEqual(read.outputs.key, secret("canary-key-c4 by hand"));
    assert.deepEqual(read.inputs?.key, secret("canary-key-c4 by hand"));
  });

  it("are marked in what a get answers", async () => {
    const { id, made } = await create();
    const { outputs: response, inputs: invented } = await contract.provider.get(id, {
      __provider: gadgetStub,
    });
    assert.deepEqual([response.key, response.made], [secret(storedKey), made]);
    assert.equal(invented, undefined);
  });

  it("are marked in what is left of a creation that could not be completed", async () => {
    const { properties, reasons } = await partialOf(
      contract.provider.create({ ...inputs, label: unreadable }),
    );
    assert.deepEqual([properties.password, properties.key], [secret(password), secret(key)]);
    assert.match(reasons[0] ?? "", /The password \[secret\] opens nothing\.$/);
  });

  it("are not marked where they are null", async () => {
    const { id, outputs: created } = await create();
    const cleared = await contract.provider.update(id, inClear(created), {
      ...inputs,
      password: null,
      key: null,
    });
    assert.deepEqual([cleared.password, cleared.key], [null, null]);
    assert.deepEqual(cleared.__managed, [
      "owner,label",
      { password: { cleared: null }, key: { cleared: null } },
    ]);
  });

  it("are kept where the program itself has marked an argument, through create, refresh and update", async () => {
    const marked: Properties = {
      owner: "team-a",
      tags: ["canary-tag-b", "canary-tag-a"],
      __secrets: ["tags"],
      __provider: gadgetStub,
    };
    const sorted = secret(["canary-tag-a", "canary-tag-b"]);
    const { inputs: checked } = await contract.provider.check({}, marked);
    assert.deepEqual(checked.tags, secret(marked.tags ?? null));

    const { id, outputs: created } = await contract.provider.create(marked);
    assert.deepEqual(created.tags, sorted);
    const read = await contract.provider.refresh(id, inClear(created));
    assert.deepEqual([read.outputs.tags, read.inputs?.tags], [sorted, sorted]);
    const updated = await contract.provider.update(id, inClear(created), { ...marked, label: "second" });
    assert.deepEqual(updated.tags, sorted);
    for (const response of [created, read.outputs, updated]) {
      assert.ok(!JSON.stringify(response.__managed).includes("canary"), "a hidden output holds a secret");
    }
  });
});
