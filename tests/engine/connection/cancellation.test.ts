import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import { until } from "../support/processes";
import {
  configurationFor,
  withOrganization,
  failureOf,
  organization,
  programOf,
  projectsIn,
  projectType,
} from "../support/projects";
import { startReceiver } from "../support/receiver";
import { type Program, TestStack } from "../support/stack";
import { ProgramDirectory } from "../support/program-directory";

/** What the library waits for in these tests takes minutes; the engine itself ends providers after some seconds. */
const patience = 20_000;

const notificationType = "pulumi-nodejs:dynamic/trivium/provisioning:NotificationConfiguration";

describe("Ctrl-C", function () {
  this.timeout(60_000);

  const emulator = useEmulator({ resets: false, ...withOrganization });
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
    stack = await TestStack.create("engine-cancellation", configurationFor(emulator));
  });

  afterEach(async () => {
    emulator.faults.clear();
    await stack.up(programOf([]));
    assert.deepEqual(idsInService(), []);
    emulator.journal.clear();
  });

  after(() => {
    stack.remove();
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
    assert.match(text, /Cancelled while trying to create the project "second".* has not processed it/);
    assert.equal(idsInService().length, 1);
    assert.deepEqual(await idsInState(), idsInService());
    limit.remove();
    await stack.up(program);
    assert.deepEqual(await idsInState(), idsInService());
    assert.equal(idsInService().length, 2);
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

  it("ends the wait for a receiver of notifications, and the next run finishes with one configuration", async () => {
    const receiver = await startReceiver();
    try {
      const workspaceId = emulator.provisioning.addWorkspace({ organization }).id;
      const program =
        (name: string): Program =>
        () => {
          new trivium.provisioning.NotificationConfiguration("deployments", {
            workspaceId,
            name,
            destinationType: "generic",
            enabled: true,
            url: receiver.address,
            verification: { timeout: "1h", interval: "0.2s" },
          });
          return Promise.resolve(undefined);
        };
      const inService = () => emulator.inspect().provisioning.notificationConfigurations;
      const attempts = (method: string) => emulator.journal.count({ method, status: 400 });
      for (const [method, name, left] of [
        ["POST", "first", 0],
        ["PATCH", "second", 1],
      ] as const) {
        receiver.status = 500;
        const { text, milliseconds } = await cancelWhen(
          () => attempts(method) > 1,
          (signal) => failureOf(stack.up(program(name), { signal })),
        );
        assert.ok(milliseconds < patience, `${milliseconds} ms`);
        assert.match(text, /[Cc]ancelled/);
        const ids = (await stack.resources(notificationType)).map(({ id }) => id);
        assert.equal(inService().length, left);
        assert.deepEqual(
          ids,
          inService().map(({ id }) => id),
        );
        receiver.status = 200;
        await stack.up(program(name));
        assert.deepEqual(
          inService().map((each) => each.name),
          [name],
        );
      }
    } finally {
      await receiver.close();
    }
  });
});

describe("Ctrl-C in a terminal, which reaches the CLI and the program alike", function () {
  this.timeout(120_000);

  const text = `
    const trivium = require("pulumi-trivium");
    const first = new trivium.provisioning.Project("first", { organization: "${organization}", name: "first" });
    new trivium.provisioning.Project("second", { organization: "${organization}", name: "second" }, { dependsOn: first });
  `;
  const emulator = useEmulator({ resets: false, ...withOrganization });
  let directory: ProgramDirectory;

  before(async function () {
    this.timeout(900_000);
    const { address, token } = emulator.provisioning;
    directory = await ProgramDirectory.ofJavaScript("engine-terminal", text, {
      PROVISIONING_ADDR: address,
      PROVISIONING_TOKEN: token,
    });
  });

  afterEach(async () => {
    emulator.faults.clear();
    await directory.pulumi(["destroy", "--yes"]);
    assert.deepEqual(projectsIn(emulator), []);
    emulator.journal.clear();
  });

  after(() => {
    directory.remove();
  });

  for (const [what, fault, made] of [
    ["a wait for a rate limit", { times: 1000, status: 429, headers: { "Retry-After": "58" } }, 1],
    ["a creation under way, and keeps what it brings", { delay: "2s", when: "after" }, 2],
    ["a creation whose answer never comes, and keeps what it brings", { delay: "forever", when: "after" }, 2],
  ] as const) {
    it(`ends ${what}; the next run finishes with nothing lost or doubled`, async () => {
      const hit = emulator.faults.add({ method: "POST", skip: 1, ...fault });
      const controller = new AbortController();
      const ended = directory.pulumi(["up", "--yes"], { interrupted: controller.signal });
      await until(() => hit.hits > 0);
      const pressed = Date.now();
      controller.abort();
      const { succeeded, text: shown } = await ended;
      const milliseconds = Date.now() - pressed;
      assert.ok(!succeeded, shown);
      assert.ok(milliseconds < patience, `${milliseconds} ms: ${shown}`);
      await until(() => emulator.provisioning.statistics.inFlight === 0);
      assert.equal(projectsIn(emulator).length, made);
      emulator.faults.clear();
      emulator.journal.clear();
      const next = await directory.pulumi(["up", "--yes"]);
      assert.ok(next.succeeded, next.text);
      assert.deepEqual(
        projectsIn(emulator).map(({ name }) => name),
        ["first", "second"],
      );
      assert.equal(emulator.journal.count({ method: "POST" }), 2 - made);
    });
  }
});
