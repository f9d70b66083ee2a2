import { defineCase } from "../support/case";

const pathOf = (id: string): string => `notification-configurations/${id}`;
const signingKey = "canary-signing-key-51c0";
const otherKey = "canary-signing-key-aa93";
const secretPath = "canary-url-path-7be4";
const ops = "ops@acme.example";
const ofOthers = "mails";
const noReceiver = { url: undefined, token: undefined };

export const notificationConfiguration = defineCase({
  type: "provisioning:NotificationConfiguration",
  async prepare(services) {
    const { provisioning } = services;
    const [organization = ""] = await provisioning.organizations(1);
    const context = services.context(
      "provisioning",
      (inspection) => inspection.provisioning.notificationConfigurations,
    );
    const member = context.emulator?.provisioning.addUser({ organization, username: "grace" });
    return {
      ...context,
      userIds: member === undefined ? [] : [member.id],
      receiver: await provisioning.receiver(),
      organization,
      workspaces: await provisioning.addWorkspaces(organization, 2),
      projects: await provisioning.addProjects(organization, 2),
      teams: await provisioning.addTeams(organization, 1),
    };
  },
  needs: ["provisioning service", "receiver"],
  count: ({ services }, ids) => services.provisioning.api.count(ids.map(pathOf)),
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
    { name: "releases" },
    { url: ({ receiver }) => `${receiver}/${secretPath}/changed` },
    { token: otherKey },
    { triggers: ["run:completed"] },
    { verification: { timeout: 10, interval: "1s" } },
    { verification: { timeout: 10, triggers: { receiver: "moved" } } },
    { enabled: false },
    { enabled: true },
    { destinationType: "chat-a", token: undefined },
    { workspaceId: ({ workspaces }) => workspaces[1] },
  ],
  alsoCreatedWith: [{ userIds: ({ userIds }) => userIds, destinationType: "email", ...noReceiver }],
  notCleared: ["url", "token", "userIds"],
  changeByHand: ({ services }, id, values) =>
    services.provisioning.api.change(pathOf(id), "notification-configuration", values),
  drifts: { name: { name: "renamed by hand" } },
  hashicorp: {
    changes: [
      { triggers: ["workspace:deleted", "assessment:check_failure"] },
      { destinationType: "email", ...noReceiver, emailAddresses: [ops] },
      { emailAddresses: [ops, "on-call@acme.example"], ...noReceiver, destinationType: "email" },
      { projectId: ({ projects }) => projects[0], workspaceId: undefined },
      { projectId: ({ projects }) => projects[1] },
      { teamId: ({ teams }) => teams[0], projectId: undefined, triggers: ["change_request:created"] },
    ],
    alsoCreatedWith: [
      { emailAddresses: [ops], destinationType: "email", ...noReceiver },
      { projectId: ({ projects }) => projects[0], workspaceId: undefined },
      { teamId: ({ teams }) => teams[0], workspaceId: undefined, triggers: ["change_request:created"] },
    ],
    drifts: {
      triggers: { triggers: ["workspace:deleted"] },
      emailAddresses: { "email-addresses": ["by-hand@acme.example"] },
    },
  },
  withoutWaiting: { verification: undefined },
  deleteByHand: ({ services }, id) => services.provisioning.api.remove(pathOf(id)),
  populate({ provisioning }, { organization, workspaces: [workspace = ""] }) {
    const userIds = [provisioning.addUser({ organization, username: "ada" }).id];
    const others = { destinationType: "email", enabled: false, triggers: ["run:errored"] } as const;
    provisioning.addNotificationConfiguration({ workspace, name: ofOthers, userIds, ...others });
  },
  // Names are not unique: a retry cannot find the object of a killed creation unless `adopt` is set.
  leftByLostResponse: {
    find: ({ provisioning }) =>
      provisioning.notificationConfigurations.filter(({ name }) => name !== ofOthers),
    named: /`adopt: true`/,
  },
  canaries: [signingKey, otherKey, secretPath],
});
