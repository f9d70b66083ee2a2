import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { canAdopt } from "../../cases/support/case";
import { stepByStep } from "../../support/step-by-step";
import { useEmulator } from "../../support/use-emulator";
import { describeWithAdapters } from "../support/adapter";
import { nameIn } from "../support/outcome";
import { cutPower, until } from "../support/processes";
import { configurationFor } from "../support/projects";
import { OperationFailed, type Program, type SharedStack, useSharedStack } from "../support/shared-stack";
import { TestedResource } from "../support/tested-resource";
import { kinds } from "./kinds";

/** A program that declares all under names with this beginning, and then something else. */
function programOf(
  resources: readonly TestedResource[],
  prefix: string,
  adopt: boolean,
  more: (made: pulumi.Resource[]) => unknown = () => undefined,
): Program {
  return () => {
    const made = resources.map((tested, index) => {
      const { args, resourceClass } = tested;
      tested.name = `${prefix}-${index}`;
      return tested.declare({}, adopt && canAdopt(resourceClass.definition) ? { ...args, adopt } : args);
    });
    more(made);
  };
}

async function assertPresent(resources: readonly TestedResource[], count: number): Promise<void> {
  for (const tested of resources) {
    await tested.assertPresent(count);
  }
}

/** The URNs of the resources in state that have an object. */
async function urnsOf(stack: SharedStack): Promise<readonly string[]> {
  const resources = await stack.resources();
  return resources.filter(({ type }) => /(?:^|\/)trivium[:/]/.test(type)).map(({ urn }) => urn);
}

/** The engine deletes the entries of renamed and replaced resources last, when all others have been made. */
describeWithAdapters("a rename that is interrupted before the old entry is deleted", function (adapter) {
  this.timeout(900_000);

  const emulator = useEmulator({ resets: false });
  const configuration = () => configurationFor(emulator, "provisioning", "secrets");
  const stack = useSharedStack("engine-interrupted", configuration, { adapter });
  let resources: readonly TestedResource[];
  const programs = {
    former: () => programOf(resources, "former", false)(),
    renamed: () => programOf(resources, "renamed", true)(),
  };
  /** The same with something that is made last, and takes forever. */
  const renamedSlowly: Program = () =>
    programOf(resources, "renamed", true, (dependsOn) => {
      const args = { organization: "slow", name: "slow" };
      return new trivium.provisioning.Project("slow", args, { dependsOn });
    })();
  const assertEntries = async (...prefixes: readonly string[]): Promise<void> => {
    const names = (await urnsOf(stack)).map(nameIn).filter((name) => name !== "slow");
    const expected = prefixes.flatMap((prefix) => kinds.map((_kind, index) => `${prefix}-${index}`));
    assert.deepEqual(names.sort(), expected.sort());
  };

  /** Brings all that is made, and then the rename to where all that is left to do is to delete the old entries. */
  const interrupt = async (how: "Ctrl-C" | "power cut"): Promise<void> => {
    emulator.reset();
    emulator.provisioning.addOrganization({ name: "slow" });
    resources = await TestedResource.prepareAll(emulator, "documented", undefined, kinds);
    await stack.up(programs.former);
    await assertPresent(resources, 1);
    const path = /\/organizations\/slow\/projects$/;
    const slow = emulator.faults.add({ method: "POST", path, delay: "forever" });
    const controller = new AbortController();
    const ended = assert.rejects(stack.up(renamedSlowly, { signal: controller.signal }), OperationFailed);
    await Promise.race([until(() => slow.hits > 0), ended]);
    assert.equal(slow.hits, 1);
    if (how === "Ctrl-C") {
      controller.abort();
    } else {
      cutPower();
    }
    await ended;
    emulator.faults.clear();
    await assertEntries("former", "renamed");
    await assertPresent(resources, 1);
  };

  for (const [title, how, next] of [
    ["a rename is completed by the next update after Ctrl-C", "Ctrl-C", "renamed"],
    ["a rename is completed by the next update after a power cut", "power cut", "renamed"],
    ["an interrupted rename is undone by the program before it", "Ctrl-C", "former"],
    ["an interrupted rename does not keep the stack from being destroyed", "Ctrl-C", undefined],
  ] as const) {
    it(title, async () => {
      await interrupt(how);
      if (how === "power cut") {
        await stack.command("cancel", "--yes", "--stack", "test");
        await stack.refresh();
        await assertEntries("former", "renamed");
      }
      if (next !== undefined) {
        await stack.up(programs[next]);
        await assertEntries(next);
        await assertPresent(resources, 1);
        await stack.previewWithoutChanges(programs[next], { refresh: true });
        await stack.previewWithoutChanges(programs[next]);
      }
      await stack.destroy();
      await assertEntries();
      await assertPresent(resources, 0);
    });
  }
});

describeWithAdapters("resources that `pulumi state move` takes to another stack", function (adapter) {
  this.timeout(900_000);
  stepByStep();

  const emulator = useEmulator({ resets: false });
  const configuration = () => configurationFor(emulator, "provisioning", "secrets");
  const stack = useSharedStack("engine-state-move", configuration, { adapter });
  let other: SharedStack;
  let resources: readonly TestedResource[];
  const program: Program = () => programOf(resources, "moved", false)();
  const empty: Program = () => undefined;

  before(async () => {
    resources = await TestedResource.prepareAll(emulator, "documented", undefined, kinds);
    other = await stack.beside("other", configuration(), adapter);
    await stack.up(program);
    await other.up(empty);
    const urns = await urnsOf(stack);
    assert.equal(urns.length, kinds.length);
    emulator.journal.clear();
    await stack.command("state", "move", "--yes", "--source", "test", "--dest", "other", ...urns);
  });

  it("moved resources are unchanged in the other stack, are no longer in the first stack, and no request is sent", async () => {
    await other.previewWithoutChanges(program);
    assert.deepEqual((await other.up(program)).changes, {});
    await stack.up(empty);
    await stack.destroy();
    assert.equal(emulator.journal.count(), 0);
    await assertPresent(resources, 1);
  });

  it("moved resources show no change after a refresh, and leave nothing behind when the other stack is destroyed", async () => {
    assert.deepEqual((await other.refresh()).changes, {});
    await other.previewWithoutChanges(program);
    await other.destroy();
    await assertPresent(resources, 0);
  });
});
