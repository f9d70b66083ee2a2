import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";

const config = new pulumi.Config();
const organization = config.require("organization");

const project = new trivium.provisioning.Project("payments", {
  organization,
  name: config.require("projectName"),
});

const projects = trivium.provisioning.listProjectsOutput({ organization }, { dependsOn: project });

export const projectId = project.id;
export const projectName = project.name;
export const mayCreateWorkspaces = project.permissions.canCreateWorkspace;
export const projectsInOrganization = projects.projects.apply((list) => list.map(({ name }) => name));
