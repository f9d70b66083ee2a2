import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { describeLifecycle } from "../support/lifecycle";

const pathOf = (id: string): string => `notification-configurations/${id}`;
const signingKey = "canary-signing-key-51c0";
const otherKey = "canary-signing-key-aa93";
const secretPath = "canary-url-path-7be4";

describeLifecycle({
  className: "provisioning.NotificationConfiguration",
  type: "pulumi-nodejs:dynamic/trivium/provisioning:NotificationConfiguration",
  async prepare(world) {
    const { provisioning } = world;
    const [organization = ""] = await provisioning.organizations(1);
    return {
      ...world.surroundings(
        "provisioning",
        (inspection) => inspection.provisioning.notificationConfigurations,
      ),
      receiver: await provisioning.receiver(),
      workspaces: await provisioning.addWorkspaces(organization, 2),
    };
  },
  live: {
    needs: ["provisioning service", "receiver"],
    count: async ({ world }, ids) => {
      const found = await Promise.all(ids.map((id) => world.provisioning.has(pathOf(id))));
      return found.filter(Boolean).length;
    },
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
    { argument: "verification", to: { timeout: 10, triggers: { receiver: "moved" } } },
    { argument: "enabled", to: false },
    { argument: "enabled", to: true },
    { argument: "destinationType", to: "chat-a", replaces: true, also: { token: undefined } },
    { argument: "workspaceId", toIn: ({ workspaces }) => workspaces[1], replaces: true },
  ],
  cleared: ["triggers", "enabled", "verification"],
  drift: {
    argument: "name",
    cause: ({ world }, id) =>
      world.provisioning.change(pathOf(id), "notification-configurations", { name: "renamed by hand" }),
    beside: ({ receiver }) => ({ url: `${receiver.address}/${secretPath}/changed/again` }),
  },
  get: (name, id, options) => trivium.provisioning.NotificationConfiguration.get(name, id, options),
  // The service never returns the token.
  writeOnly: ["token", "verification"],
  adopt: true,
  namesRepeat: true,
  vanish: ({ world }, id) => world.provisioning.remove(pathOf(id)),
  canaries: [signingKey, otherKey, secretPath],
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
