import assert from "node:assert/strict";
import { projectDefinition } from "../../../sdk/provisioning/project";
import { providerStub, typeToken } from "../../../sdk/resource/state/encoding";
import { inClear } from "../../support/values";
import { lifecycleOn } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";

describe("two resources of one program, in one process", () => {
  const emulator = useEmulator({ provisioning: { uniqueProjectNames: true } });
  let lifecycle: ReturnType<typeof lifecycleOn>;

  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
    lifecycle = lifecycleOn(emulator, projectDefinition);
  });

  const args = { organization: "acme", name: "payments" };
  const entry = (name: string, args: Properties): Properties => ({
    ...args,
    __urn: `urn:pulumi:dev::shop::${typeToken("provisioning:Project")}::${name}`,
    __provider: providerStub("provisioning:Project"),
  });
  const projects = (): readonly string[] => emulator.inspect().provisioning.projects.map(({ id }) => id);

  /** What state has after the resource was made. */
  async function make(inputs: Properties): Promise<{ readonly id: string; readonly outputs: Properties }> {
    const checked = await lifecycle.check({}, inputs);
    assert.deepEqual(checked.failures, []);
    const { id, outs } = await lifecycle.create(inClear(checked.inputs));
    return { id, outputs: { ...inClear(outs), __provider: inputs.__provider ?? null } };
  }

  it("two resources of one program cannot name the same object, and the second one's error names the first", async () => {
    assert.deepEqual((await lifecycle.check({}, entry("one", args))).failures, []);
    const { failures } = await lifecycle.check({}, entry("two", { ...args, adopt: true }));
    const [{ property, reason } = assert.fail(), ...more] = failures;
    assert.deepEqual([property, more], ["", []]);
    assert.match(reason, /is also managed by the resource "one" of this program\. Remove one of /);
    assert.match(reason, /the object is not deleted, because the other resource manages it\.$/);
  });

  it("two resources of one program can hand over an object: the first does not delete what the second has adopted", async () => {
    const first = await make(entry("one", args));
    const renamed = lifecycleOn(emulator, projectDefinition);
    const second = await renamed.create(entry("two", { ...args, adopt: true }));
    assert.equal(second.id, first.id);
    await renamed.delete(first.id, first.outputs);
    assert.deepEqual(projects().includes(first.id), true);
    assert.equal(typeof inClear(second.outs).__generation, "string");
    assert.equal(first.outputs.__generation, undefined);
  });

  it("two resources of one program keep an object that the second could not have: the first does not delete it", async () => {
    const first = await make(entry("one", args));
    const renamed = lifecycleOn(emulator, projectDefinition);
    await assert.rejects(renamed.create(entry("two", args)), {
      message: `provisioning:Project already exists (id ${first.id}); nothing was changed. To adopt it, set \`adopt: true\`. If another stack manages it, remove it from that stack first. If you renamed the resource, add its former name to the \`aliases\` option. If another resource gives it up in the same update, run \`pulumi up\` again.`,
    });
    await assert.rejects(renamed.delete(first.id, first.outputs), {
      message: `provisioning:Project ${first.id} was not deleted: this program's resource "two" could not be created because the object already exists. To manage it with that resource, set \`adopt: true\` there, or name this resource in its \`aliases\` option.`,
    });
    assert.equal(projects().includes(first.id), true);
  });

  it("two resources of one program cannot both have an object in state", async () => {
    const { id, outputs } = await make(entry("one", args));
    await lifecycle.check({}, entry("two", { ...args, name: "another" }));
    await lifecycle.diff(id, outputs, entry("one", args));
    const second = lifecycle.diff(id, entry("two", outputs), entry("two", { ...args, name: "another" }));
    await assert.rejects(second, {
      message: `provisioning:Project ${id} is managed by the resource "one" of this program. Two resources cannot manage the same object. Remove one of them from the program: the object is not deleted, because the other resource manages it.`,
    });
  });

  it("two resources of one program stay in the service where they were created, unless the program requests a move", async () => {
    const { id, outputs } = await make(entry("one", args));
    const elsewhere = { ...outputs, __at: "https://elsewhere.example/api/v2" };
    const refused = { message: /elsewhere\.example/ };
    await assert.rejects(lifecycle.diff(id, elsewhere, entry("one", args)), refused);
    await lifecycle.check({}, entry("one", { ...args, __run: { followsProvider: true } }));
    const { changes, replaces } = await lifecycle.diff(id, elsewhere, entry("one", args));
    assert.deepEqual([changes, replaces], [true, ["provider"]]);
  });
});

describe("an invalid argument", () => {
  const emulator = useEmulator({ provisioning: { uniqueProjectNames: true } });
  const name = "must have at least 3 characters";
  for (const [how, args, property, reason] of [
    ["as a property if the engine can show its value", { name: "ab" }, "name", name],
    ["in the text if there is no value to show", {}, "", "name is required"],
    ["in the text if its value is secret", { name: "ab", __secrets: ["name"] }, "", `name ${name}`],
  ] as const) {
    it(`the error for an invalid argument names it ${how}`, async () => {
      const given = { organization: "acme", ...args } as unknown as Properties;
      const { failures } = await lifecycleOn(emulator, projectDefinition).check({}, given);
      assert.deepEqual(failures, [{ property, reason }]);
    });
  }
});
