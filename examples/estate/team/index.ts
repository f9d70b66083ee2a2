import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";

/** The foundation's output about the receiver of notifications. */
interface Receiver {
  readonly url: string;
  readonly signingKey: string;
}

const config = new pulumi.Config();
const team = pulumi.getStack();
const workspaces = config.requireObject<Readonly<Record<string, string>>>("workspaces");

// This stack uses only the foundation's outputs, which it reads from the shared state.
const foundation = new pulumi.StackReference(config.require("foundation"));
const projectIds = foundation.requireOutput("projectIds") as pulumi.Output<Partial<Record<string, string>>>;
const fallbackProjectId = foundation.requireOutput("fallbackProjectId") as pulumi.Output<string>;
const receiver = foundation.requireOutput("receiver") as pulumi.Output<Receiver>;

const projectId = projectIds.apply((ids) => {
  const id = ids[team];
  if (id === undefined) {
    throw new Error(`The foundation has no team ${team}, only: ${Object.keys(ids).join(", ")}.`);
  }
  return id;
});

const membership = new trivium.provisioning.ProjectWorkspaces("workspaces", {
  projectId,
  workspaceIds: Object.values(workspaces),
  fallbackProjectId,
});

const notifications = Object.entries(workspaces).map(
  ([name, workspaceId]) =>
    new trivium.provisioning.NotificationConfiguration(name, {
      workspaceId,
      name: `${team}-${name}`,
      destinationType: "generic",
      enabled: true,
      url: receiver.url,
      token: receiver.signingKey,
      triggers: ["run:completed", "run:errored"],
      verification: { timeout: "1m" },
    }),
);

export const project = membership.projectId;
export const notificationIds = notifications.map(({ id }) => id);
