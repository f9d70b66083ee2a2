import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../support/packed-library";
import type { Properties } from "../support/provider-process";
import { inClear, partialOf, secret } from "../support/values";
import { GadgetContract, type ManagedProject, ProvisioningContract } from "./support/contracts";
import { gadgetStub, unreadable } from "./support/gadget";

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

  it("are marked in what check returns", async () => {
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

  it("are marked in what create returns, computed ones too", async () => {
    const { made, outputs: response } = await create();
    assert.deepEqual(response, outputs({ made }));
    assert.deepEqual(made, secret(inClear({ made }).made ?? null));
    assert.notDeepEqual(made, secret(null));
  });

  it("are marked in what update returns, with a request or without", async () => {
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

  it("are marked in both halves of what a refresh returns", async () => {
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

  it("are marked in what a get returns", async () => {
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

const fixtures = join(repository, "tests", "fixtures", "state");

describe("projects in the state of earlier versions", () => {
  const contract = new ProvisioningContract();

  /** The project of a state that was written by an earlier version, and that exists in the emulator. */
  const restore = (fixture: string): ManagedProject => {
    const organization = contract.organization();
    const { id } = contract.emulator.provisioning.addProject({ organization, name: "payments" });
    const { address } = contract.emulator.provisioning;
    const text = readFileSync(join(fixtures, fixture), "utf8")
      .replaceAll("{{id}}", id)
      .replaceAll("{{organization}}", organization)
      .replaceAll("{{address}}", address);
    return JSON.parse(text) as ManagedProject;
  };

  for (const fixture of readdirSync(fixtures).filter((name) => name.startsWith("project-"))) {
    describe(fixture, () => {
      it("show no change, and no request is needed to know", async () => {
        const { id, inputs, outputs } = restore(fixture);
        const requests = await contract.requestsOf(async () => {
          const checked = await contract.provider.check(inputs, inputs);
          assert.deepEqual(checked, { inputs: withoutUrn(inputs), failures: [] });
          const { changes, replaces } = await contract.provider.diff(id, outputs, checked.inputs);
          assert.deepEqual([changes, replaces], ["none", []]);
        });
        assert.equal(requests, 0);
      });

      it("are read, and show no change then either", async () => {
        const { id, inputs, outputs } = restore(fixture);
        const read = await contract.provider.refresh(id, outputs);
        assert.equal(read.id, id);
        assert.deepEqual(read.inputs, "__urn" in outputs ? inputs : withoutUrn(inputs));
        assert.equal((await contract.provider.diff(id, read.outputs, inputs)).changes, "none");
      });

      it("are updated in place", async () => {
        const { id, inputs, outputs } = restore(fixture);
        const news = { ...inputs, name: "renamed" };
        const diff = await contract.provider.diff(id, outputs, news);
        assert.deepEqual(diff, { changes: "unknown", replaces: [], deleteBeforeReplace: true });
        const updated = await contract.provider.update(id, outputs, withoutUrn(news));
        assert.equal(updated.name, "renamed");
        // What an earlier version wrote at length is written in short.
        assert.deepEqual(updated.__managed, ["*", { adopt: { as: true } }]);
        assert.equal(updated.__at, contract.place);
        assert.ok(!("__urn" in updated));
        assert.deepEqual(contract.projectNames(inputs.organization), ["renamed"]);
      });

      it("are deleted", async () => {
        const { id, inputs, outputs } = restore(fixture);
        await contract.provider.delete(id, outputs);
        assert.deepEqual(contract.projectNames(inputs.organization), []);
      });
    });
  }
});

function withoutUrn({ __urn, ...others }: Properties): Properties {
  return others;
}
