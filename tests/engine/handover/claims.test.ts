import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import { describeWithAdapters, typeWith } from "../support/adapter";
import { configurationFor, failureOf, organization, projectsIn, withOrganization } from "../support/projects";
import { type Program, useSharedStack } from "../support/shared-stack";

const { Project } = trivium.provisioning;

describeWithAdapters("two resources of a program that claim one object", function (adapter) {
  this.timeout(900_000);

  const type = typeWith(adapter, "provisioning:Project");
  const emulator = useEmulator({
    resets: false,
    ...withOrganization,
    provisioning: { uniqueProjectNames: true },
  });
  const stack = useSharedStack("engine-claims", () => configurationFor(emulator, "provisioning"), {
    adapter,
  });
  const payments = { organization, name: "payments" };
  const one: Program = () => new Project("one", payments);
  const two: Program = () => new Project("two", { ...payments, adopt: true });
  const oneAndTwo: Program = () => [one(), two()];
  const held = () => projectsIn(emulator).map(({ id, name }) => `${id} ${name}`);
  const assertUnchanged = (before: readonly string[]): void => {
    const writes = emulator.journal.requests().filter(({ method }) => method !== "GET");
    assert.deepEqual(
      writes.filter(({ status }) => status !== 422),
      [],
    );
    assert.deepEqual(held(), before);
  };

  afterEach(async () => {
    await stack.destroy();
    assert.deepEqual(held(), []);
  });

  it("two resources for one object are rejected in the preview, with the names of both and without a request", async () => {
    const requests = emulator.journal.count();
    const text = await failureOf(stack.preview(oneAndTwo));
    assert.match(
      text,
      /organization "acme", name "payments" is also managed by the resource "(one|two)" of this/,
    );
    assert.match(text, /'one' has a problem: .* "two"|'two' has a problem: .* "one"/);
    assert.equal(emulator.journal.count(), requests);
  });

  it("two resources for one object are rejected if one of them is in state, until the other one is removed", async () => {
    await stack.up(one);
    const before = held();
    emulator.journal.clear();
    assert.match(await failureOf(stack.up(oneAndTwo)), /"(one|two)" of this program/);
    assertUnchanged(before);
    await stack.up(one);
    await stack.previewWithoutChanges(one, { refresh: true });
    assert.deepEqual(held(), before);
  });

  it("two resources for the same object are rejected if one adopts what the other still manages, and either can continue with the object", async () => {
    await stack.up(one);
    const before = held();
    const both: Program = () => {
      const dependsOn = new Project("two", { ...payments, adopt: true });
      new Project("one", { organization, name: "billing" }, { dependsOn });
    };
    await stack.preview(both);
    const text = await failureOf(stack.up(both));
    assert.match(text, /provisioning:Project prj-\w+ is managed by the resource "two" of this program/);
    assert.match(text, /Remove one of them from the program/);
    assert.deepEqual(held(), before);
    const ids = await stack.idsByName(type);
    assert.equal(ids.get("one"), ids.get("two"));
    assert.match((await stack.up(two)).text, /was not deleted: the resource "two" manages it/);
    assert.deepEqual(held(), before);
    await stack.previewWithoutChanges(two, { refresh: true });
  });

  it("two resources for one object each have an object once the first one has given it up", async () => {
    await stack.up(one);
    const [project] = projectsIn(emulator);
    const both: Program = () => {
      const dependsOn = new Project("one", { organization, name: "billing" });
      new Project("two", { ...payments, adopt: true }, { dependsOn });
    };
    await stack.up(both);
    const names = projectsIn(emulator).map(({ name }) => name);
    assert.deepEqual(names.sort(), ["billing", "payments"]);
    assert.equal((await stack.idsByName(type)).get("one"), project?.id);
    await stack.previewWithoutChanges(both, { refresh: true });
  });

  it("the manual replacement of a project that cannot be deleted first is rejected, and nothing changes", async () => {
    const kept: Program = () => new Project("one", payments, { deleteBeforeReplace: false });
    await stack.up(kept);
    const before = held();
    emulator.journal.clear();
    assert.match(await failureOf(stack.up(kept, { replace: await stack.urns(type) })), /already exists/);
    assertUnchanged(before);
    await stack.previewWithoutChanges(kept, { refresh: true });
  });
});
