import assert from "node:assert/strict";
import { useEmulator } from "../../support/use-emulator";
import { describeWithAdapters } from "../support/adapter";
import { configurationOf, connectionTo } from "../support/surroundings";
import { type Program, TestStack } from "../support/stack";
import { kinds } from "./kinds";

describeWithAdapters("resources that `pulumi state move` takes to another stack", function (adapter) {
  this.timeout(900_000);

  const key = "moved";
  const emulator = useEmulator({ resets: false });
  let stack: TestStack;
  let other: TestStack;
  let program: Program;
  const empty: Program = () => Promise.resolve(undefined);
  const holdsAll = (): void =>
    kinds.forEach((kind) => assert.deepEqual(kind.held(emulator, key), kind.expected(key, false), kind.type));

  before(async () => {
    const configuration = {
      ...configurationOf(connectionTo(emulator, "provisioning")),
      ...configurationOf(connectionTo(emulator, "secrets")),
    };
    const args = kinds.map((kind) => kind.prepare(emulator, key));
    program = () => {
      kinds.forEach((kind, index) => kind.declare(`moved-${index}`, args[index] ?? {}, {}));
      return Promise.resolve(undefined);
    };
    stack = await TestStack.create("engine-state-move", configuration, {}, adapter);
    other = await stack.beside("other", configuration, adapter);
    await stack.up(program);
    await other.up(empty);
    const urns = (await stack.resources())
      .filter(({ type }) => /(?:^|\/)trivium[:/]/.test(type))
      .map(({ urn }) => urn);
    assert.equal(urns.length, kinds.length);
    emulator.journal.clear();
    await stack.moveTo(other, urns);
  });
  after(() => {
    stack.remove();
  });

  it("are unchanged there, and no request is made", async () => {
    await other.previewWithoutChanges(program);
    assert.deepEqual((await other.up(program)).changes, {});
    assert.equal(emulator.journal.count(), 0);
  });

  it("are no longer of the stack that they came from", async () => {
    await stack.up(empty);
    await stack.destroy();
    assert.equal(emulator.journal.count(), 0);
    holdsAll();
  });

  it("show no change after a refresh", async () => {
    assert.deepEqual((await other.refresh()).changes, {});
    await other.previewWithoutChanges(program);
  });

  it("leave nothing behind when that stack is destroyed", async () => {
    await other.destroy();
    kinds.forEach((kind) => assert.equal(kind.held(emulator, key), undefined, kind.type));
  });
});
