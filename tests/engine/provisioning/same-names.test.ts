import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { useEmulator } from "../../support/use-emulator";
import { type Program, TestStack } from "../support/stack";

const type = "pulumi-nodejs:dynamic/trivium/provisioning:NotificationConfiguration";

describe("notification configurations of one name", function () {
  this.timeout(900_000);

  const emulator = useEmulator({ resets: false });
  let stack: TestStack;
  let workspaceId: string;
  let existing: string;
  before(async () => {
    emulator.provisioning.addOrganization({ name: "acme" });
    workspaceId = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
    existing = emulator.provisioning.addNotificationConfiguration({
      workspace: workspaceId,
      name: "runs",
      url: "https://hooks.example.com/",
    }).id;
    stack = await TestStack.create("engine-same-names", {
      "trivium:provisioningAddress": emulator.provisioning.address,
      "trivium:provisioningToken": { secret: emulator.provisioning.token },
    });
  });
  after(() => {
    stack.remove();
  });

  const declaring =
    (...destinationTypes: readonly ("generic" | "chat-a")[]): Program =>
    () => {
      destinationTypes.forEach((destinationType, index) => {
        new trivium.provisioning.NotificationConfiguration(`runs-${index}`, {
          workspaceId,
          name: "runs",
          destinationType,
          url: "https://hooks.example.com/",
        });
      });
      return Promise.resolve(undefined);
    };
  const configurations = (): string[] =>
    emulator.inspect().provisioning.notificationConfigurations.map(({ id }) => id);

  it("are created although one exists, which a warning names, and although a response is lost", async () => {
    emulator.faults.add({
      method: "POST",
      path: "/api/v2/workspaces/:id/notification-configurations",
      drop: "after",
    });
    const { text } = await stack.up(declaring("generic", "generic"));
    assert.match(text, new RegExp(`warning: The workspace ${workspaceId} already has .*${existing}`));
    const ids = await stack.ids(type);
    assert.equal(ids.length, 2);
    assert.deepEqual([existing, ...ids].toSorted(), configurations().toSorted());
  });

  it("get another destination type in a workspace that is full", async () => {
    for (let number = configurations().length; number < 20; number++) {
      emulator.provisioning.addNotificationConfiguration({ workspace: workspaceId, name: `n-${number}` });
    }
    const { steps } = await stack.up(declaring("generic", "chat-a"));
    assert.equal(configurations().length, 20);
    assert.equal(steps.has("runs-0"), false);
    await stack.destroy();
    assert.equal(configurations().length, 18);
  });
});
