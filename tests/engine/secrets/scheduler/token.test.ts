import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import type { Emulator } from "pulumi-trivium/testing";
import { token } from "../../../cases/secrets/scheduler/token";
import { describeLifecycle } from "../../support/lifecycle";
import { type Program, TestStack } from "../../support/stack";
import { configurationFor, otherMount, schedulerEngine, usualMount } from "./surroundings";

const { Token } = trivium.secrets.scheduler;

async function engineWithRoles(): Promise<Emulator> {
  const emulator = await schedulerEngine();
  for (const mount of [usualMount(emulator), otherMount]) {
    for (const name of ["deploy", "operations"]) {
      emulator.secrets.addSchedulerRole({ name, type: "management" }, mount);
    }
    emulator.secrets.changeSchedulerLease({ ttl: 3_600 }, mount);
  }
  return emulator;
}

describeLifecycle(token);

describe("tokens of the scheduler engine", function () {
  this.timeout(120_000);

  let emulator: Emulator;
  let stack: TestStack;
  const program =
    (renewBefore?: string): Program =>
    () => {
      const token = new Token("token", {
        roleName: "deploy",
        ...(renewBefore === undefined ? {} : { renewBefore }),
      });
      return Promise.resolve({ id: token.id, secret: token.secretId, expiresAt: token.expiresAt });
    };
  const events = (): string[] =>
    emulator
      .inspect()
      .scheduler.frames.flatMap(({ Events }) => Events.map(({ Type, Key }) => `${Type} ${Key}`));

  before(async function () {
    this.timeout(900_000);
    emulator = await engineWithRoles();
    stack = await TestStack.create("engine-scheduler-tokens", configurationFor(emulator));
  });
  after(async () => {
    stack.remove();
    await emulator.close();
  });

  const everIssued = new Set<string>();
  afterEach(() => {
    for (const { secretId } of emulator.inspect().scheduler.aclTokens) {
      everIssued.add(secretId);
    }
  });

  it("are issued once and outlive later runs, and nobody sees them", async () => {
    await stack.up(program());
    await stack.refresh();
    await stack.up(program());
    const [token, ...more] = emulator.inspect().scheduler.aclTokens;
    assert.deepEqual(more, []);
    const outputs = await stack.outputs();
    assert.deepEqual(outputs.secret, { value: token?.secretId, secret: true });
    assert.equal(outputs.id?.value, token?.accessorId);
  });

  it("are replaced when they have less than renewBefore left: the plan says why, and asks nothing", async () => {
    const requests = emulator.journal.count();
    const former = (await stack.outputs()).id?.value;
    const plan = await stack.preview(program("2h"));
    assert.deepEqual(plan.changes, { replace: 1 });
    assert.match(
      plan.text.replace(/\s+/g, " "),
      /The token \S+ of the scheduler role deploy expires at .* within renewBefore/,
    );
    assert.equal(emulator.journal.count(), requests);
    const { text } = await stack.up(program("2h"));
    assert.match(text.replace(/\s+/g, " "), /does not live longer than renewBefore/);
    const present = (await stack.outputs()).id?.value;
    assert.notEqual(present, former);
    assert.deepEqual(events(), [`ACLTokenUpserted ${String(former)}`, `ACLTokenUpserted ${String(present)}`]);
  });

  it("are shown nowhere in clear", async () => {
    const shown = stack.output + (await stack.state());
    assert.equal(everIssued.size, 2);
    for (const secretId of everIssued) {
      assert.ok(!shown.includes(secretId), "a token was shown");
    }
  });
});
