import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { startEmulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../support/lifecycle";
import { startReceiver } from "../support/receiver";
import { surroundingsOf } from "../support/surroundings";

const token = "canary-token-8d2f61";
const signingKey = "canary-signing-key-51c0";
const otherKey = "canary-signing-key-aa93";
const secretPath = "canary-url-path-7be4";

describeLifecycle({
  className: "provisioning.NotificationConfiguration",
  type: "pulumi-nodejs:dynamic/trivium/provisioning:NotificationConfiguration",
  async prepare(dialect) {
    const receiver = await startReceiver();
    const emulator = await startEmulator({ dialect, tokens: { provisioning: token } });
    emulator.provisioning.addOrganization({ name: "acme" });
    const workspaces = ["web", "api"].map(
      (name) => emulator.provisioning.addWorkspace({ organization: "acme", name }).id,
    );
    const surroundings = surroundingsOf(
      emulator,
      "provisioning",
      () => emulator.inspect().provisioning.notificationConfigurations,
    );
    return {
      ...surroundings,
      receiver,
      workspaces,
      close: async () => {
        await receiver.close();
        await surroundings.close();
      },
    };
  },
  declare: (name, args, options) =>
    new trivium.provisioning.NotificationConfiguration(
      name,
      args as unknown as trivium.provisioning.NotificationConfigurationArgs,
      options,
    ),
  valid: ({ workspaces, receiver }) => ({
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
    { argument: "url", toIn: ({ receiver }) => `${receiver.address}/${secretPath}/changed` },
    { argument: "token", to: otherKey },
    { argument: "triggers", to: ["run:completed"] },
    { argument: "verification", to: { timeout: 10, interval: "1s" } },
    { argument: "enabled", to: false },
    { argument: "enabled", to: true },
    { argument: "destinationType", to: "chat-a", replaces: true, also: { token: undefined } },
    { argument: "workspaceId", toIn: ({ workspaces }) => workspaces[1], replaces: true },
  ],
  cleared: ["triggers", "enabled", "verification"],
  drift: {
    argument: "name",
    cause: ({ emulator }, id) =>
      emulator.provisioning.changeNotificationConfiguration(id, { name: "renamed by hand" }),
  },
  get: (name, id, options) => trivium.provisioning.NotificationConfiguration.get(name, id, options),
  // The service never returns the token.
  writeOnly: ["token", "verification"],
  adopt: true,
  vanish: ({ emulator }, id) => emulator.provisioning.removeNotificationConfiguration(id),
  canaries: [token, signingKey, otherKey, secretPath],
  finally: {
    "has had its receiver verified with the right signature each time": ({ receiver }) => {
      const requests = receiver.requests.filter(({ path }) => !path.includes("changed"));
      assert.ok(requests.length > 0);
      for (const { body, headers } of requests) {
        const signature = Object.entries(headers).find(([name]) => name.endsWith("-notification-signature"));
        const [, value] = signature ?? assert.fail("the notification was not signed");
        const { kind } = trivium.provisioning.webhook.parse(body, { signature: value, token: signingKey });
        assert.equal(kind, "verification");
      }
    },
  },
});
