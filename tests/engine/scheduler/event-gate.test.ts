import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { stepByStep } from "../../support/step-by-step";
import { useEmulator } from "../../support/use-emulator";
import { typeWith } from "../support/adapter";
import { connectionTo } from "../support/configuration";
import { until } from "../support/processes";
import { configurationFor, failureOf } from "../support/projects";
import { type Program, useSharedStack } from "../support/shared-stack";

const type = typeWith("dynamic", "scheduler:EventGate");
const event = {
  topic: "Deployment",
  type: "DeploymentStatusUpdate",
  key: "d1",
  filterKeys: ["web"],
} as const;
const id = `1/${event.topic}/${event.type}/d1`;
/** What the gates here would wait for takes minutes; the engine itself ends providers after some seconds. */
const patience = 20_000;

describe("an event gate in a program", function () {
  this.timeout(120_000);
  stepByStep();

  const emulator = useEmulator({ resets: false });
  const stack = useSharedStack("engine-event-gate", () => configurationFor(emulator, "scheduler"));

  const declare = (name = "deployed") => {
    const match = { type: event.type };
    return new trivium.scheduler.EventGate(name, { topics: ["Deployment:web"], match, timeout: "10m" });
  };
  const isWaiting = (): boolean => emulator.inspect().scheduler.subscriptions.length === 1;

  it("a gate ends soon after Ctrl-C, and leaves nothing", async () => {
    const controller = new AbortController();
    const ended = failureOf(stack.up(() => declare(), { signal: controller.signal }));
    await until(isWaiting);
    const pressed = Date.now();
    controller.abort();
    const text = await ended;
    assert.ok(Date.now() - pressed < patience);
    assert.match(text, /Cancelled while waiting for an event with type "DeploymentStatusUpdate"\./);
    assert.deepEqual(await stack.ids(type), []);
    await until(() => !isWaiting());
  });

  it("a gate waits, visibly, until the event arrives, and outputs it", async () => {
    const program: Program = () => {
      const { key, index } = declare().event;
      return { key, index };
    };
    // The display in detail, which is the default here, leaves out what is shown in passing.
    const outcome = stack.up(program, { diff: false });
    await until(isWaiting);
    emulator.events.disconnect();
    await until(isWaiting);
    emulator.events.emit(event);
    const { text, changes } = await outcome;
    assert.deepEqual(changes, { create: 1 });
    assert.match(
      text,
      /waiting for an event with type "DeploymentStatusUpdate" \(0 s of 600 s\): no other seen/,
    );
    assert.match(text, /created \(\d+(\.\d+)?s\) the event arrived at index 1/);
    const { key, index } = await stack.outputs();
    assert.deepEqual([key?.value, index?.value], ["d1", 1]);
    assert.deepEqual(await stack.ids(type), [id]);
  });

  it("two gates can take the same event", async () => {
    const both: Program = () => [declare(), declare("deployed too")];
    await stack.up(both);
    assert.deepEqual(await stack.ids(type), [id, id]);
    await stack.previewWithoutChanges(both);
  });

  it("a program with a gate has functions beside it that find the scheduler in stack configuration and in a provider", async () => {
    let keys: unknown;
    await stack.up(async () => {
      const provider = new trivium.Provider("again", connectionTo(emulator, "scheduler"));
      const topics = [event.topic];
      const [read] = await trivium.scheduler.readEvents({ topics, until: { count: 1 } });
      const waited = await trivium.scheduler.waitForEvent({ topics, timeout: "20s", provider });
      keys = [read?.key, waited.key];
    });
    assert.deepEqual(keys, ["d1", "d1"]);
    assert.ok(!(stack.output + (await stack.state())).includes(emulator.scheduler.token));
  });
});
