import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import { typeWith } from "../support/adapter";
import { until } from "../support/processes";
import { configurationFor } from "../support/projects";
import { type Program, useSharedStack } from "../support/shared-stack";

const event = {
  topic: "Deployment",
  type: "DeploymentStatusUpdate",
  key: "d1",
  filterKeys: ["web"],
} as const;

describe("an event gate in a program", function () {
  this.timeout(120_000);

  const emulator = useEmulator({ resets: false });
  const stack = useSharedStack("engine-event-gate", () => configurationFor(emulator, "scheduler"));
  const isWaiting = (): boolean => emulator.inspect().scheduler.subscriptions.length === 1;

  it("a gate shows that it waits until the event arrives, and outputs the event", async () => {
    const program: Program = () => {
      const args = { topics: ["Deployment:web"], match: { type: event.type }, timeout: "10m" };
      const gate = new trivium.scheduler.EventGate("deployed", args);
      const { key, index } = gate.event;
      return { key, index };
    };
    // The display in detail, which is the default here, leaves out what is shown in passing.
    const outcome = stack.up(program, { diff: false });
    await until(isWaiting);
    emulator.events.disconnect();
    await until(isWaiting);
    emulator.events.emit(event);
    const { text, changes } = await outcome;
    assert.deepEqual(changes, { create: 2 });
    assert.match(
      text,
      /waiting for an event with type "DeploymentStatusUpdate" \(0 s of 600 s\): no other seen/,
    );
    assert.match(text, /created \(\d+(\.\d+)?s\) the event arrived at index 1/);
    const { key, index } = await stack.outputs();
    assert.deepEqual([key?.value, index?.value], ["d1", 1]);
    const ids = await stack.idsByName(typeWith("dynamic", "scheduler:EventGate"));
    assert.equal(ids.get("deployed"), `1/${event.topic}/${event.type}/d1`);
    assert.ok(!(stack.output + (await stack.state())).includes(emulator.scheduler.token));
  });
});
