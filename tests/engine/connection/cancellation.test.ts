import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { until } from "../support/processes";
import {
  configurationFor,
  emulatorWithOrganization,
  failureOf,
  organization,
  programOf,
  projectsIn,
  projectType,
} from "../support/projects";
import { type Program, TestStack } from "../support/stack";

/** What the library waits for in these tests takes minutes; the engine itself ends providers after some seconds. */
const patience = 20_000;

describe("Ctrl-C", function () {
  this.timeout(60_000);

  let emulator: Emulator;
  let stack: TestStack;
  const idsInState = async (): Promise<unknown[]> =>
    (await stack.resources(projectType)).map(({ id }) => id).sort();
  const idsInService = (): string[] =>
    projectsIn(emulator)
      .map(({ id }) => id)
      .sort();
  /** Presses Ctrl-C once something has happened. @returns what the CLI printed, and how long it then took to end */
  const cancelWhen = async (
    happened: () => boolean,
    operation: (signal: AbortSignal) => Promise<string>,
  ): Promise<{ readonly text: string; readonly milliseconds: number }> => {
    const controller = new AbortController();
    const ended = operation(controller.signal);
    await until(happened);
    const pressed = Date.now();
    controller.abort();
    return { text: await ended, milliseconds: Date.now() - pressed };
  };

  before(async function () {
    this.timeout(900_000);
    emulator = await emulatorWithOrganization();
    stack = await TestStack.create("engine-cancellation", configurationFor(emulator));
  });

  afterEach(async () => {
    emulator.faults.clear();
    await stack.up(programOf([]));
    assert.deepEqual(idsInService(), []);
    emulator.journal.clear();
  });

  after(async () => {
    stack.remove();
    await emulator.close();
  });

  it("ends a wait for a rate limit, and state says what was done before", async () => {
    const program: Program = () => {
      const first = new trivium.provisioning.Project("first", { organization, name: "first" });
      new trivium.provisioning.Project("second", { organization, name: "second" }, { dependsOn: first });
      return Promise.resolve(undefined);
    };
    const limit = emulator.faults.add({
      method: "POST",
      skip: 1,
      times: 1000,
      status: 429,
      headers: { "Retry-After": "58" },
    });
    const { text, milliseconds } = await cancelWhen(
      () => limit.hits > 0,
      (signal) => failureOf(stack.up(program, { signal })),
    );
    assert.ok(milliseconds < patience, `${milliseconds} ms`);
    assert.match(text, /Cancelled while trying to create the project "second".* has not acted on it/);
    assert.equal(idsInService().length, 1);
    assert.deepEqual(await idsInState(), idsInService());
  });

  it("ends a wait for a rate limit while projects are read", async () => {
    await stack.up(programOf(["payments"]));
    const limit = emulator.faults.add({
      method: "GET",
      times: 1000,
      status: 429,
      headers: { "Retry-After": "58" },
    });
    const before = await stack.resources();
    const { milliseconds } = await cancelWhen(
      () => limit.hits > 0,
      (signal) => failureOf(stack.refresh({ signal })),
    );
    assert.ok(milliseconds < patience, `${milliseconds} ms`);
    assert.deepEqual(await stack.resources(), before);
  });

  for (const [moment, delay, when] of [
    ["is about to act", "1s", "before"],
    ["has acted", "1s", "after"],
    ["has acted but never answers", "forever", "after"],
  ] as const) {
    it(`keeps what a creation brings that is under way when the service ${moment}`, async () => {
      emulator.faults.add({ method: "POST", delay, when });
      const { milliseconds } = await cancelWhen(
        () => emulator.journal.count({ method: "POST" }) > 0,
        (signal) => failureOf(stack.up(programOf(["payments"]), { signal })),
      );
      assert.ok(milliseconds < patience, `${milliseconds} ms`);
      await until(() => emulator.provisioning.statistics.inFlight === 0);
      assert.deepEqual(await idsInState(), idsInService());
      assert.equal(idsInService().length, 1);
      await stack.up(programOf(["payments"]));
      assert.equal(emulator.journal.count({ method: "POST" }), 1);
    });
  }
});
