import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../support/lifecycle";
import { type Receiver, startReceiver } from "../support/receiver";

const token = "canary-token-8d2f61";
const signingKey = "canary-signing-key-51c0";
const otherKey = "canary-signing-key-aa93";
const secretPath = "canary-url-path-7be4";

let emulator: Emulator;
let receiver: Receiver;
let workspaces: readonly string[];

describe("provisioning.NotificationConfiguration, in its service", () => {
  before(async () => {
    receiver = await startReceiver();
    emulator = await startEmulator({ tokens: { provisioning: token } });
    emulator.provisioning.addOrganization({ name: "acme" });
    workspaces = ["web", "api"].map(
      (name) => emulator.provisioning.addWorkspace({ organization: "acme", name }).id,
    );
  });

  after(async () => {
    await receiver.close();
    await emulator.close();
  });

  describeLifecycle({
    className: "provisioning.NotificationConfiguration",
    type: "pulumi-nodejs:dynamic/trivium/provisioning:NotificationConfiguration",
    prepare: () =>
      Promise.resolve({
        configuration: {
          "trivium:provisioningAddress": emulator.provisioning.address,
          "trivium:provisioningToken": { secret: token },
        },
        objects: () =>
          emulator
            .inspect()
            .provisioning.notificationConfigurations.map((configuration) => ({ ...configuration })),
        requests: () => emulator.journal.count(),
        close: () => Promise.resolve(),
      }),
    declare: (name, args, options) =>
      new trivium.provisioning.NotificationConfiguration(
        name,
        args as unknown as trivium.provisioning.NotificationConfigurationArgs,
        options,
      ),
    valid: () => ({
      workspaceId: workspaces[0],
      name: "deployments",
      destinationType: "generic",
      enabled: true,
      url: `${receiver.address}/${secretPath}`,
      token: signingKey,
      triggers: ["run:errored", "run:created"],
      verification: { timeout: "5s" },
    }),
    spellings: { triggers: ["run:created", "run:errored", "run:created"] },
    changes: [
      { argument: "name", to: "releases" },
      { argument: "url", to: () => `${receiver.address}/${secretPath}/changed` },
      { argument: "token", to: otherKey },
      { argument: "triggers", to: ["run:completed"] },
      { argument: "verification", to: { timeout: 10, interval: "1s" } },
      { argument: "enabled", to: false },
      { argument: "enabled", to: true },
      { argument: "destinationType", to: "chat-a", replaces: true, also: { token: undefined } },
      { argument: "workspaceId", to: () => workspaces[1], replaces: true },
    ],
    cleared: ["triggers", "enabled", "verification"],
    drift: {
      argument: "name",
      cause: (_surroundings, id) =>
        emulator.provisioning.changeNotificationConfiguration(id, { name: "renamed by hand" }),
    },
    get: (name, id) => trivium.provisioning.NotificationConfiguration.get(name, id),
    // The service never returns the token.
    writeOnly: ["token", "verification"],
    adopt: true,
    vanish: (_surroundings, id) => emulator.provisioning.removeNotificationConfiguration(id),
    canaries: [token, signingKey, otherKey, secretPath],
  });

  describe("the receiver of a notification configuration", () => {
    it("was asked for verification with the right signature each time", () => {
      assert.ok(receiver.requests.length > 0);
      for (const request of receiver.requests.filter(({ path }) => !path.includes("changed"))) {
        assert.equal(
          trivium.provisioning.webhook.parse(request.body, {
            signature: request.headers[trivium.provisioning.webhook.signatureHeader],
            token: signingKey,
          }).kind,
          "verification",
        );
      }
    });
  });
});
