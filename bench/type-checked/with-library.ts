import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";

const configuration = new pulumi.Config();

const project = new trivium.provisioning.Project("payments", { organization: "acme", name: "payments" });

new trivium.provisioning.NotificationConfiguration("failures", {
  workspaceId: configuration.require("workspaceId"),
  name: "failures",
  destinationType: "generic",
  url: configuration.requireSecret("url"),
  triggers: ["run:errored"],
});

const method = new trivium.secrets.mfa.TotpMethod("codes", { issuer: "Acme", period: "30s", digits: 6 });

new trivium.secrets.identity.EntityAlias("person", {
  name: "person",
  canonicalId: configuration.require("entityId"),
  mountAccessor: configuration.require("accessor"),
});

new trivium.secrets.directory.StaticRole("database", {
  roleName: "database",
  username: "database",
  dn: "cn=database,dc=example,dc=com",
  rotationPeriod: "1h",
});

new trivium.secrets.scheduler.Role("deployer", { name: "deployer", policies: ["deploy"] });

export const projectId = project.id;
export const methodId = method.id;
