import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";

const config = new pulumi.Config();
const organization = config.require("organization");

const project = new trivium.provisioning.Project("payments", {
  organization,
  name: config.require("projectName"),
});

// A receiver is notified about runs of this workspace; the service verifies it first.
const notification = new trivium.provisioning.NotificationConfiguration("runs", {
  workspaceId: config.require("workspaceId"),
  name: "runs",
  destinationType: "generic",
  enabled: true,
  url: config.requireSecret("receiverUrl"),
  token: config.requireSecret("signingKey"),
  triggers: ["run:completed", "run:errored"],
  verification: { timeout: "30s" },
});

const projects = trivium.provisioning.listProjectsOutput({ organization }, { dependsOn: project });

export const projectId = project.id;
export const projectName = project.name;
export const mayCreateWorkspaces = project.permissions.canCreateWorkspace;
export const projectsInOrganization = projects.projects.apply((list) => list.map(({ name }) => name));
export const notifiesAbout = notification.triggers;
export const receiverResponded = notification.deliveryResponses.apply((responses) => responses[0]?.code);
