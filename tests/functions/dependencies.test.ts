import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { idsOf } from "../../sdk/functions/dependencies";
import { Project } from "../../sdk/provisioning";
import { useMocks, valueOf } from "../resource/mocks";

describe("idsOf", () => {
  useMocks();

  const project = (name: string, parent?: pulumi.Resource): Project =>
    new Project(name, { organization: "acme", name }, parent === undefined ? {} : { parent });
  const idsIn = async (args: pulumi.Inputs, dependsOn?: pulumi.Input<unknown>): Promise<unknown[]> =>
    ((await valueOf(idsOf(args, dependsOn))) as unknown[]).toSorted();

  it("are none for plain values", async () => {
    assert.deepEqual(await idsIn({ text: "x", list: [1, null, { deep: true }] }), []);
    assert.deepEqual(await idsIn({ text: pulumi.output("x") }, []), []);
  });

  it("are those of the resources that arguments come from, at any depth, each once", async () => {
    const [one, two] = [project("one"), project("two")];
    const args = { a: one.name, b: [{ deep: two.organization }], c: pulumi.interpolate`${one.id}/${two.id}` };
    assert.deepEqual(await idsIn(args), ["one-id", "two-id"]);
  });

  const named: readonly [string, () => pulumi.Input<unknown>, readonly string[]][] = [
    ["a resource", () => project("one"), ["one-id"]],
    ["several", () => [project("one"), project("two")], ["one-id", "two-id"]],
    ["an output of one", () => pulumi.output(project("one")), ["one-id"]],
    ["a promise of several", () => Promise.resolve([project("one"), project("two")]), ["one-id", "two-id"]],
    ["something that comes from one", () => project("one").name, ["one-id"]],
  ];
  for (const [name, dependsOn, expected] of named) {
    it(`are those that are named besides: ${name}`, async () => {
      assert.deepEqual(await idsIn({}, dependsOn()), expected);
    });
  }

  it("are those of all resources in a component, also in components within", async () => {
    const outer = new pulumi.ComponentResource("acme:platform:Team", "outer");
    const inner = new pulumi.ComponentResource("acme:platform:Team", "inner", {}, { parent: outer });
    project("one", outer);
    project("two", inner);
    project("three");
    assert.deepEqual(await idsIn({}, outer), ["one-id", "two-id"]);
  });
});
