import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { token } from "../../../cases/secrets/scheduler/token";
import { useEmulator } from "../../../support/use-emulator";
import { describeLifecycle } from "../../support/lifecycle";
import { useStack } from "../../support/stack";
import { configurationOf, connectionTo } from "../../support/surroundings";

describeLifecycle(token);

describe("a token of the scheduler engine", function () {
  this.timeout(120_000);

  const emulator = useEmulator({ resets: false });
  const stack = useStack("engine-scheduler-tokens", () => configurationOf(connectionTo(emulator, "secrets")));
  const program = (renewBefore: string | null) => () => {
    const { id } = new trivium.secrets.scheduler.Token("token", { roleName: "deploy", renewBefore });
    return { id };
  };
  const inOneLine = ({ text }: { readonly text: string }): string => text.replace(/\s+/g, " ");

  it("is replaced when it has less than renewBefore left: the plan says why, without a request", async () => {
    emulator.secrets.addSchedulerRole({ name: "deploy", type: "management" });
    emulator.secrets.changeSchedulerLease({ ttl: 3_600 });
    await stack.up(program(null));
    const requests = emulator.journal.count();
    const plan = await stack.preview(program("2h"));
    assert.deepEqual(plan.changes, { replace: 1 });
    assert.match(
      inOneLine(plan),
      /The token \S+ of the scheduler role deploy expires at .* within renewBefore/,
    );
    assert.equal(emulator.journal.count(), requests);
    assert.match(inOneLine(await stack.up(program("2h"))), /does not live longer than renewBefore/);
    const { id } = await stack.outputs();
    const issued = emulator.inspect().scheduler.aclTokens.map(({ accessorId }) => accessorId);
    assert.deepEqual([issued.length, issued.at(-1)], [2, id?.value]);
  });
});
