import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import type { Values } from "../../cases/support/case";
import { stepByStep } from "../../support/step-by-step";
import { useEmulator } from "../../support/use-emulator";
import { describeWithAdapters } from "../support/adapter";
import { cutPower, until } from "../support/processes";
import { configurationFor } from "../support/projects";
import { nameIn } from "../support/outcome";
import { OperationFailed, type Program, type SharedStack, useSharedStack } from "../support/shared-stack";
import { classOf } from "../support/tested-resource";
import { kinds } from "./kinds";

/** A resource of each kind in a program, and its object in the services. */
class ResourceOfEachKind {
  private readonly args: readonly Values[];

  constructor(
    private readonly emulator: Emulator,
    private readonly key: string,
  ) {
    this.args = kinds.map((kind) => kind.prepare(emulator, key));
  }

  /** A program that declares them all under these names, and then something else. */
  program(prefix: string, adopt: boolean, more: (made: pulumi.Resource[]) => unknown = () => 0): Program {
    return () => {
      const made = kinds.map((kind, index) => {
        const args = { ...this.args[index], ...(adopt && kind.adopts ? { adopt } : {}) };
        return new (classOf(kind))(`${prefix}-${index}`, args);
      });
      more(made);
    };
  }

  /** That the services hold all objects as the program says, or none. */
  assertHeld(isHeld: boolean): void {
    for (const kind of kinds) {
      const expected = isHeld ? kind.expected(this.key, false) : undefined;
      assert.deepEqual(kind.held(this.emulator, this.key), expected, kind.type);
    }
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
  const stack = useSharedStack(
    "engine-interrupted",
    () => configurationFor(emulator, "provisioning", "secrets"),
    {
      adapter,
    },
  );
  let round = 0;
  let resources: ResourceOfEachKind;
  const former: Program = () => resources.program("former", false)();
  const renamed: Program = () => resources.program("renamed", true)();
  /** The same with something that is made last, and takes for ever. */
  const renamedSlowly: Program = () =>
    resources.program("renamed", true, (dependsOn) => {
      const args = { organization: "slow", name: "slow" };
      return new trivium.provisioning.Project("slow", args, { dependsOn });
    })();
  const assertEntries = async (...prefixes: readonly string[]): Promise<void> => {
    const names = (await urnsOf(stack)).map(nameIn);
    assert.deepEqual(
      names.filter((name) => name !== "slow").sort(),
      prefixes.flatMap((prefix) => kinds.map((_kind, index) => `${prefix}-${index}`)).sort(),
    );
  };

  /** Brings all that is made, and then the rename to where all that is left to do is to delete the old entries. */
  const interrupt = async (how: "Ctrl-C" | "power cut"): Promise<void> => {
    round += 1;
    emulator.reset();
    emulator.provisioning.addOrganization({ name: "slow" });
    resources = new ResourceOfEachKind(emulator, `interrupted-${round}`);
    await stack.up(former);
    resources.assertHeld(true);
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
    if (how === "power cut") {
      await stack.unlock();
    }
    await assertEntries("former", "renamed");
    resources.assertHeld(true);
  };

  for (const [title, how, isRefreshed, prefix, program] of [
    ["a rename is completed by the next update after Ctrl-C", "Ctrl-C", false, "renamed", renamed],
    ["a rename is completed by the next update after a power cut", "power cut", true, "renamed", renamed],
    ["an interrupted rename is undone by the program before it", "Ctrl-C", false, "former", former],
    [
      "an interrupted rename does not keep the stack from being destroyed",
      "Ctrl-C",
      false,
      undefined,
      undefined,
    ],
  ] as const) {
    it(title, async () => {
      await interrupt(how);
      if (isRefreshed) {
        await stack.refresh();
        await assertEntries("former", "renamed");
      }
      if (program !== undefined) {
        await stack.up(program);
        await assertEntries(prefix);
        resources.assertHeld(true);
        await stack.previewWithoutChanges(program, { refresh: true });
        await stack.previewWithoutChanges(program);
      }
      await stack.destroy();
      await assertEntries();
      resources.assertHeld(false);
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
  let resources: ResourceOfEachKind;
  const program: Program = () => resources.program("moved", false)();
  const empty: Program = () => undefined;

  before(async () => {
    resources = new ResourceOfEachKind(emulator, "moved");
    other = await stack.beside("other", configuration(), adapter);
    await stack.up(program);
    await other.up(empty);
    const urns = await urnsOf(stack);
    assert.equal(urns.length, kinds.length);
    emulator.journal.clear();
    await stack.moveTo(other, urns);
  });

  it("moved resources are unchanged there, no longer of the stack that they came from, and no request is made", async () => {
    await other.previewWithoutChanges(program);
    assert.deepEqual((await other.up(program)).changes, {});
    await stack.up(empty);
    await stack.destroy();
    assert.equal(emulator.journal.count(), 0);
    resources.assertHeld(true);
  });

  it("moved resources show no change after a refresh, and leave nothing behind when that stack is destroyed", async () => {
    assert.deepEqual((await other.refresh()).changes, {});
    await other.previewWithoutChanges(program);
    await other.destroy();
    resources.assertHeld(false);
  });
});
