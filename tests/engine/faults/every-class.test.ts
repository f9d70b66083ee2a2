import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { faultKinds } from "../../faults/support/fault-kinds";
import { providerProcesses, until } from "../support/processes";
import { failureOf } from "../support/projects";
import { type Receiver, startReceiver } from "../support/receiver";
import { OperationFailed, type Outcome, TestStack } from "../support/stack";
import { configurationOf, connectionTo } from "../support/surroundings";
import { countsOf, Crowd, type Member } from "./crowd";

/** All that the emulator can do to a request; refused connections and killed processes are apart. */
const effects = faultKinds.flatMap(({ name, effect }) => (effect === undefined ? [] : [{ name, effect }]));

describe("a resource of every class, while requests fail, with the real CLI", function () {
  this.timeout(300_000);

  let emulator: Emulator;
  let receiver: Receiver;
  let stack: TestStack;
  let crowd: Crowd;
  let counts: Readonly<Record<string, number>>;

  before(async function () {
    this.timeout(900_000);
    receiver = await startReceiver();
  });
  beforeEach(async () => {
    emulator = await startEmulator();
    crowd = await Crowd.prepare(emulator, receiver);
    counts = countsOf(emulator.inspect());
    const services = ["provisioning", "secrets", "scheduler"] as const;
    stack = await TestStack.create("engine-faults", {
      ...Object.assign({}, ...services.map((service) => configurationOf(connectionTo(emulator, service)))),
      ...Object.fromEntries(services.map((service) => [`trivium:${service}MaxRetries`, "0"])),
      // Longer than any answer takes, and short enough to wait for in vain.
      ...Object.fromEntries(services.map((service) => [`trivium:${service}RequestTimeout`, "8s"])),
    });
  });
  afterEach(async () => {
    stack.remove();
    await emulator.close();
  });
  after(() => receiver.close());

  /** Lets something happen to the request by which each acts, another thing to each. */
  function strikeAll(first: number): void {
    crowd.members.forEach((member, index) => {
      const { effect } = effects[(index + first) % effects.length] ?? {};
      assert.ok(effect);
      emulator.faults.add({ ...effect, where: (request) => crowd.writes(member, request) });
    });
  }

  async function attempt(operation: Promise<Outcome>): Promise<string | undefined> {
    try {
      await operation;
      return undefined;
    } catch (error) {
      assert.ok(error instanceof OperationFailed, String(error));
      return error.text;
    }
  }

  /** Repeats an update without faults as its errors say: those that are not in state take over what there is. */
  async function repeat(version: "made" | "changed"): Promise<void> {
    emulator.faults.clear();
    const inState = await namesInState();
    await stack.up(crowd.program(version, (name) => !inState.has(name)), { continueOnError: true });
    assert.equal((await namesInState()).size, crowd.members.length);
    endLeftovers();
    const requests = emulator.journal.count();
    await stack.previewWithoutChanges(crowd.program(version));
    assert.equal(emulator.journal.count(), requests, "a preview has made requests");
    assert.deepEqual((await stack.refresh()).changes, {});
  }

  async function namesInState(): Promise<ReadonlySet<string>> {
    const types = crowd.members.map(({ faultCase }) => `pulumi-nodejs:dynamic/trivium/${faultCase.type}`);
    const names = await Promise.all(types.map((type) => stack.idsByName(type)));
    return new Set(names.flatMap((each) => [...each.keys()]));
  }

  /** Deletes, as a person who was told of them, what a lost answer has left and nothing ends. */
  function endLeftovers(): void {
    for (const { faultCase, name } of crowd.members) {
      const { leftovers } = faultCase;
      if (leftovers !== undefined && !leftovers.endsByItself) {
        const known = ids.get(name);
        const found = leftovers.find(emulator.inspect(), known, undefined);
        assert.ok(found.length === 0 || leftovers.named.test(stack.output), `${name} is left and not named`);
        found.forEach((each) => each.end(emulator));
      }
    }
  }
  let ids: ReadonlyMap<string, string> = new Map();

  void attempt;
  void strikeAll;
  void repeat;
  void providerProcesses;
  void until;
  void failureOf;
  void ({} as Member);
});
