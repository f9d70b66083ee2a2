import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import type { Values } from "../../cases/support/case";
import { describeWithAdapters } from "../support/adapter";
import { cutPower, until } from "../support/processes";
import { configurationOf, connectionTo } from "../support/surroundings";
import { OperationFailed, type Program, TestStack } from "../support/stack";
import { type Kind, kinds } from "./kinds";

/** The engine deletes the entries of renamed and replaced resources last, when all others have been made. */
describeWithAdapters("a rename that is interrupted before the old entry is deleted", function (adapter) {
  this.timeout(900_000);

  const emulator = useEmulator({ resets: false });
  let stack: TestStack;
  let round = 0;
  let args: ReadonlyMap<Kind, Values>;
  const key = (): string => `interrupted-${round}`;

  before(async () => {
    stack = await TestStack.create(
      "engine-interrupted",
      {
        ...configurationOf(connectionTo(emulator, "provisioning")),
        ...configurationOf(connectionTo(emulator, "secrets")),
      },
      {},
      adapter,
    );
  });
  after(() => {
    stack.remove();
  });

  /** A program with a resource of each kind. */
  const declaring =
    (prefix: string, more: (made: readonly pulumi.Resource[]) => unknown = () => undefined): Program =>
    () => {
      const made = kinds.map((kind) => {
        const adopt = prefix !== "former" && kind.adopts ? { adopt: true } : {};
        return kind.declare(`${prefix}-${kinds.indexOf(kind)}`, { ...args.get(kind), ...adopt }, {});
      });
      more(made);
      return Promise.resolve(undefined);
    };
  const former = declaring("former");
  const renamed = declaring("renamed");
  /** The same with something that is made last, and takes for ever. */
  const renamedSlowly = declaring("renamed", (dependsOn) => {
    new trivium.provisioning.Project(
      "slow",
      { organization: "slow", name: "slow" },
      { dependsOn: [...dependsOn] },
    );
  });
  const holdsAll = (): void =>
    kinds.forEach((kind) =>
      assert.deepEqual(kind.held(emulator, key()), kind.expected(key(), false), kind.type),
    );
  const holdsNothing = (): void =>
    kinds.forEach((kind) => assert.equal(kind.held(emulator, key()), undefined, kind.type));
  const entries = async (): Promise<readonly string[]> =>
    (await stack.resources())
      .filter(({ type, urn }) => /(?:^|\/)trivium[:/]/.test(type) && !urn.endsWith("::slow"))
      .map(({ urn }) => urn.slice(urn.lastIndexOf("::") + 2))
      .sort();
  const entriesOf = (...prefixes: readonly string[]): readonly string[] =>
    prefixes.flatMap((prefix) => kinds.map((_kind, index) => `${prefix}-${index}`)).sort();

  /** Brings all that is made, and then the rename to where all that is left to do is to delete the old entries. */
  const interrupt = async (how: "Ctrl-C" | "power cut"): Promise<void> => {
    round += 1;
    emulator.reset();
    emulator.provisioning.addOrganization({ name: "slow" });
    args = new Map(kinds.map((kind) => [kind, kind.prepare(emulator, key())]));
    await stack.up(former);
    holdsAll();
    const slow = emulator.faults.add({
      method: "POST",
      path: /\/organizations\/slow\/projects$/,
      delay: "forever",
    });
    const controller = new AbortController();
    const ended = assert.rejects(
      stack.up(renamedSlowly, { signal: controller.signal }),
      (error) => error instanceof OperationFailed,
    );
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
    assert.deepEqual(await entries(), entriesOf("former", "renamed"));
    holdsAll();
  };
  const settled = async (program: Program): Promise<void> => {
    await stack.previewWithoutChanges(program, { refresh: true });
    await stack.previewWithoutChanges(program);
  };

  it("is completed by the next update after Ctrl-C", async () => {
    await interrupt("Ctrl-C");
    await stack.up(renamed);
    assert.deepEqual(await entries(), entriesOf("renamed"));
    holdsAll();
    await settled(renamed);
    await stack.destroy();
    holdsNothing();
  });

  it("is completed by the next update after a power cut and a refresh", async () => {
    await interrupt("power cut");
    await stack.refresh();
    assert.deepEqual(await entries(), entriesOf("former", "renamed"));
    await stack.up(renamed);
    assert.deepEqual(await entries(), entriesOf("renamed"));
    holdsAll();
    await settled(renamed);
    await stack.destroy();
    holdsNothing();
  });

  it("is undone by the program before it", async () => {
    await interrupt("Ctrl-C");
    await stack.up(former);
    assert.deepEqual(await entries(), entriesOf("former"));
    holdsAll();
    await settled(former);
    await stack.destroy();
    holdsNothing();
  });

  it("is no hindrance to the destruction of the stack", async () => {
    await interrupt("Ctrl-C");
    await stack.destroy();
    assert.deepEqual(await entries(), []);
    holdsNothing();
  });
});
