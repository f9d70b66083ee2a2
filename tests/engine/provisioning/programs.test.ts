import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import { configurationFor, withOrganization, failureOf, organization } from "../support/projects";
import { type Program, TestStack } from "../support/stack";

const { AdminOrganization, ModuleConsumers } = trivium.provisioning;

const shareWithAll: Program = () => {
  new AdminOrganization("all", { name: organization, globalModuleSharing: true });
  return Promise.resolve(undefined);
};
const shareWithSome: Program = () => {
  new ModuleConsumers("some", { organization, consumers: ["payments"] });
  return Promise.resolve(undefined);
};

describe("programs that the library refuses", function () {
  this.timeout(60_000);

  const emulator = useEmulator({ resets: false, ...withOrganization });
  let stacks: TestStack[];
  const [first, second] = [() => stacks[0]!, () => stacks[1]!];
  const outputs = { name: pulumi.output(organization), shared: pulumi.output(true) };

  before(async function () {
    this.timeout(900_000);
    stacks = await Promise.all(
      ["one", "two"].map((name) => TestStack.create(`engine-programs-${name}`, configurationFor(emulator))),
    );
  });
  after(() => {
    stacks.forEach((stack) => stack.remove());
  });

  for (const [how, name, shared] of [
    ["with plain values", organization, true],
    ["with outputs", outputs.name, outputs.shared],
  ] as const) {
    it(`share modules with everybody and with some, ${how}`, async () => {
      const text = await failureOf(
        first().preview(() => {
          new AdminOrganization("all", { name, globalModuleSharing: shared });
          new ModuleConsumers("some", { organization: name, consumers: ["payments"] });
          return Promise.resolve(undefined);
        }),
      );
      assert.match(
        text,
        /The organization acme cannot both share its modules with all organizations and name consumers/,
      );
      assert.equal(emulator.journal.count(), 0);
    });
  }

  it("are not refused for what another program in the same process does", async () => {
    const [all, some] = await Promise.all([first().preview(shareWithAll), second().preview(shareWithSome)]);
    assert.deepEqual([all.changes, some.changes], [{ create: 2 }, { create: 2 }]);
    const { changes } = await first().preview(shareWithSome);
    assert.deepEqual(changes, { create: 2 }, "nor for what an earlier one did");
  });
});
