import { defineCase } from "../support/case";

const pathOf = (id: string): string => `notification-configurations/${id}`;
const signingKey = "canary-signing-key-51c0";
const otherKey = "canary-signing-key-aa93";
const secretPath = "canary-url-path-7be4";
const noReceiver = { url: undefined, token: undefined };

export const notificationConfiguration = defineCase({
  type: "provisioning:NotificationConfiguration",
  async prepare(services) {
    const { provisioning } = services;
    const [organization = ""] = await provisioning.organizations(1);
    return {
      ...services.context("provisioning", (inspection) => inspection.provisioning.notificationConfigurations),
      receiver: await provisioning.receiver(),
      organization,
      workspaces: await provisioning.addWorkspaces(organization, 2),
      projects: await provisioning.addProjects(organization, 2),
      teams: await provisioning.addTeams(organization, 1),
    };
  },
  live: {
    needs: ["provisioning service", "receiver"],
    count: ({ services }, ids) => services.provisioning.api.count(ids.map(pathOf)),
  },
  valid: ({ workspaces, receiver }) => ({
    workspaceId: workspaces[0],
    name: "deployments",
    destinationType: "generic",
    enabled: true,
    url: `${receiver}/${secretPath}`,
    token: signingKey,
    triggers: ["run:errored", "run:created"],
    verification: { timeout: "5s" },
  }),
  spellings: () => ({ triggers: ["run:created", "run:errored", "run:created"] }),
  changes: [
    { argument: "name", to: "releases" },
    { argument: "url", toIn: ({ receiver }) => `${receiver}/${secretPath}/changed` },
    { argument: "token", to: otherKey },
    { argument: "triggers", to: ["run:completed"] },
    { argument: "verification", to: { timeout: 10, interval: "1s" } },
    { argument: "verification", to: { timeout: 10, triggers: { receiver: "moved" } } },
    { argument: "enabled", to: false },
    { argument: "enabled", to: true },
    { argument: "destinationType", to: "chat-a", replaces: true, also: { token: undefined } },
    { argument: "workspaceId", toIn: ({ workspaces }) => workspaces[1], replaces: true },
  ],
  hashicorp: {
    changes: [
      { argument: "triggers", to: ["workspace:deleted", "assessment:check_failure"] },
      {
        argument: "destinationType",
        to: "email",
        replaces: true,
        also: { ...noReceiver, emailAddresses: ["ops@acme.example"] },
      },
      {
        argument: "emailAddresses",
        to: ["ops@acme.example", "on-call@acme.example"],
        also: { ...noReceiver, destinationType: "email" },
      },
      {
        argument: "projectId",
        toIn: ({ projects }) => projects[0],
        replaces: true,
        also: { workspaceId: undefined },
      },
      { argument: "projectId", toIn: ({ projects }) => projects[1], replaces: true },
      {
        argument: "teamId",
        toIn: ({ teams }) => teams[0],
        replaces: true,
        also: { projectId: undefined, triggers: ["change_request:created"] },
      },
    ],
    cleared: ["emailAddresses"],
    drifts: [
      {
        argument: "triggers",
        cause: ({ services }, id) =>
          services.provisioning.api.change(pathOf(id), "notification-configuration", {
            triggers: ["workspace:deleted"],
          }),
        beside: () => ({ name: "releases" }),
      },
      {
        argument: "emailAddresses",
        cause: ({ services }, id) =>
          services.provisioning.api.change(pathOf(id), "notification-configuration", {
            "email-addresses": ["by-hand@acme.example"],
          }),
        beside: () => ({ name: "releases" }),
      },
    ],
  },
  cleared: ["triggers", "enabled", "verification"],
  drift: {
    argument: "name",
    cause: ({ services }, id) =>
      services.provisioning.api.change(pathOf(id), "notification-configuration", { name: "renamed by hand" }),
    beside: ({ receiver }) => ({ url: `${receiver}/${secretPath}/changed/again` }),
  },
  untold: ["verification"],
  whenRecorded: { enabled: false },
  whenFailing: { verification: undefined },
  namesRepeat: true,
  vanish: ({ services }, id) => services.provisioning.api.remove(pathOf(id)),
  populate({ provisioning }, { organization, workspaces: [workspace = ""] }) {
    const userIds = [provisioning.addUser({ organization, username: "ada" }).id];
    const others = { destinationType: "email", enabled: false, triggers: ["run:errored"] } as const;
    provisioning.addNotificationConfiguration({ workspace, name: "mails", userIds, ...others });
  },
  // Names are not unique: a retry cannot find the object of a killed creation unless it may adopt.
  leftovers: {
    find: ({ provisioning }, known) =>
      provisioning.notificationConfigurations
        .filter(({ id, destinationType }) => !known(id) && destinationType !== "email")
        .map(({ id }) => ({
          expiresAt: null,
          end: (operator) => operator.provisioning.removeNotificationConfiguration(id),
        })),
    named: /`adopt: true`/,
    endsByItself: false,
  },
  canaries: [signingKey, otherKey, secretPath],
});
