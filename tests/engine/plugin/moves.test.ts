import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { stepByStep } from "../../support/step-by-step";
import { useEmulator } from "../../support/use-emulator";
import { configurationFor } from "../support/projects";
import { type Program, useSharedStack } from "../support/shared-stack";

const { Access, Lease, Role, Token } = trivium.secrets.scheduler;

/** Without changes on the way, every-class.test.ts moves all classes. */
describe("a stack that moves to the plugin and back with changes on the way", function () {
  this.timeout(240_000);
  stepByStep();

  const emulator = useEmulator({ resets: false });
  const stack = useSharedStack("plugin-changes", () => configurationFor(emulator, "secrets"));
  before(() => emulator.secrets.addMount({ type: "scheduler", path: "teams/scheduler" }));

  /** A chain of three, whose head replaces all of it; and one that leaves the program. */
  const chain =
    (mount: string, hasLease: boolean): Program =>
    () => {
      const { address, token } = emulator.scheduler;
      const access = new Access("access", { mount, address, token });
      const role = new Role("role", { mount: access.mount, name: "role", type: "management" });
      new Token("token", { mount: role.mount, roleName: role.name });
      if (hasLease) {
        new Lease("lease", { mount: "teams/scheduler", ttl: "1h" });
      }
    };
  const [first, second] = [chain("scheduler", true), chain("teams/scheduler", false)];
  const mounts = () => emulator.inspect().secrets.schedulerRoles.map(({ mount }) => mount);

  it("an update after the move back replaces a chain and deletes resources that have left the program, with dynamic resources", async () => {
    await stack.useAdapter("plugin");
    await stack.up(first);
    await stack.useAdapter("dynamic");
    assert.match(await stack.library("use-dynamic"), /still lists the plugin: .* in the state of test\./);
    for (const { changes, text } of [await stack.preview(second), await stack.up(second)]) {
      assert.deepEqual(changes, { replace: 3, delete: 1 }, text);
    }
    assert.deepEqual(mounts(), ["teams/scheduler"]);
  });

  it("the stack no longer needs the plugin after that, as use-dynamic reports", async () => {
    assert.match(await stack.library("use-dynamic"), /no longer lists the plugin/);
    await stack.refresh();
    await stack.previewWithoutChanges(second);
  });

  it("an update with the plugin also replaces the chain, and dynamic resources destroy a stack that has not moved back", async () => {
    await stack.useAdapter("plugin");
    const { changes, text } = await stack.up(first);
    assert.deepEqual(changes, { create: 1, replace: 3 }, text);
    await stack.useAdapter("dynamic");
    await stack.refresh();
    await stack.destroy();
    assert.deepEqual(mounts(), []);
  });
});
