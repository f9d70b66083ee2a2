import assert from "node:assert/strict";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { faultKinds } from "../../faults/support/fault-kinds";
import { tokens } from "../../faults/support/laboratory";
import { providerProcesses, until } from "../support/processes";
import { failureOf } from "../support/projects";
import { type Receiver, startReceiver } from "../support/receiver";
import { TestStack } from "../support/stack";
import { configurationOf, connectionTo } from "../support/surroundings";
import { countsOf, Crowd } from "./crowd";

/** All that the emulator can do to a request; processes that are killed are apart. */
const effects = faultKinds.flatMap(({ effect }) => (effect === undefined ? [] : [effect]));

describe("a resource of every class, while requests fail, with the real CLI", function () {
  this.timeout(300_000);

  let emulator: Emulator;
  let receiver: Receiver;
  let stack: TestStack;
  let crowd: Crowd;
  let counts: Readonly<Record<string, number>>;

  before(async () => {
    receiver = await startReceiver();
  });
  beforeEach(async () => {
    emulator = await startEmulator({ tokens });
    crowd = await Crowd.prepare(emulator, receiver);
    counts = countsOf(emulator.inspect());
    const services = ["provisioning", "secrets", "scheduler"] as const;
    const settings = services.map((service) => ({
      ...configurationOf(connectionTo(emulator, service)),
      [`trivium:${service}MaxRetries`]: "0",
      // Longer than any answer takes, and short enough to be waited for in vain.
      [`trivium:${service}RequestTimeout`]: "8s",
    }));
    stack = await TestStack.create("engine-faults", Object.assign({}, ...settings) as Record<string, string>);
  });
  afterEach(async () => {
    stack.remove();
    await emulator.close();
  });
  after(() => receiver.close());

  /** Lets something happen to the request by which each member changes its service, another thing to each. */
  function strikeEach(first: number): () => number {
    const faults = crowd.members.flatMap((member, index) => {
      const effect = effects[(index + first) % effects.length];
      return effect === undefined
        ? []
        : [emulator.faults.add({ ...effect, where: (request) => member.writes(request) })];
    });
    return () => faults.filter(({ hits }) => hits > 0).length;
  }

  /** The names of those that are in state. */
  async function kept(): Promise<ReadonlySet<string>> {
    const names = await Promise.all(crowd.members.map(({ type }) => stack.idsByName(type)));
    return new Set(names.flatMap((each) => [...each.keys()]));
  }

  /** Runs the program again without faults, as its errors say: what is not in state takes over what there is. */
  async function again(version: "made" | "changed"): Promise<void> {
    emulator.faults.clear();
    const before = await kept();
    await stack.up(crowd.program(version, (name) => !before.has(name)));
    assert.equal((await kept()).size, crowd.members.length);
    const requests = emulator.journal.count();
    await stack.previewWithoutChanges(crowd.program(version));
    assert.equal(emulator.journal.count(), requests, "a preview has made requests");
    assert.deepEqual((await stack.refresh()).changes, {});
  }

  /** Nothing is left when everything is deleted and what ends by itself has ended. */
  async function assertNothingLeft(): Promise<void> {
    assert.equal((await kept()).size, 0);
    crowd.endLeftovers(emulator, stack.output);
    emulator.advance("60d");
    assert.deepEqual(countsOf(emulator.inspect()), counts);
  }

  it("is made, changed, read and deleted in the end, each once", async () => {
    const struckFirst = strikeEach(0);
    await failureOf(stack.up(crowd.program("made"), { continueOnError: true }));
    assert.equal(struckFirst(), crowd.members.length);
    await again("made");

    const struckThen = strikeEach(5);
    await failureOf(stack.up(crowd.program("changed"), { continueOnError: true }));
    assert.ok(struckThen() > effects.length, String(struckThen()));
    await again("changed");

    const outage = emulator.faults.add({ drop: "before", times: Infinity });
    await failureOf(stack.refresh());
    assert.ok(outage.hits > 0);
    assert.equal((await kept()).size, crowd.members.length);
    emulator.faults.clear();

    emulator.faults.add({ method: ["DELETE", "POST", "PATCH"], drop: "after", times: Infinity });
    await failureOf(stack.destroy({ continueOnError: true }));
    emulator.faults.clear();
    await stack.destroy();
    await assertNothingLeft();
  });

  it("is neither lost nor doubled when the provider process is killed, which the engine reports", async () => {
    const type = "pulumi-nodejs:dynamic/trivium/provisioning:Project";
    const project = crowd.members.find((member) => member.type === type);
    assert.ok(project);
    emulator.faults.add({ delay: "forever", when: "after", where: (request) => project.writes(request) });
    const interrupted = failureOf(stack.up(crowd.program("made"), { continueOnError: true }));
    await until(() => emulator.journal.requests().some((request) => project.writes(request)));
    providerProcesses().forEach((id) => process.kill(id, "SIGKILL"));
    const text = await interrupted;
    assert.match(text, /Project \S+ .*(?:error|failed)/);
    assert.equal((await kept()).has(project.name), false);

    emulator.faults.clear();
    const refused = await failureOf(stack.up(crowd.program("made"), { continueOnError: true }));
    assert.match(refused, /provisioning:Project already exists \(id \S+\); set adopt to take it over/);
    await again("made");
    await stack.destroy();
    await assertNothingLeft();
  });
});
