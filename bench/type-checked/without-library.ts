import * as pulumi from "@pulumi/pulumi";

class Untyped extends pulumi.CustomResource {}

const configuration = new pulumi.Config();
const workspaceId: string = configuration.require("workspaceId");
const canonicalId: string = configuration.require("entityId");
const mountAccessor: string = configuration.require("accessor");

const project = new Untyped("trivium:provisioning:Project", "payments", {
  organization: "acme",
  name: "payments",
});

new Untyped("trivium:provisioning:NotificationConfiguration", "failures", {
  workspaceId,
  name: "failures",
  destinationType: "generic",
  url: configuration.requireSecret("url"),
  triggers: ["run:errored"],
});

const method = new Untyped("trivium:secrets:TotpMethod", "codes", {
  issuer: "Acme",
  period: "30s",
  digits: 6,
});

new Untyped("trivium:secrets:EntityAlias", "person", {
  name: "person",
  canonicalId,
  mountAccessor,
});

new Untyped("trivium:secrets:StaticRole", "database", {
  roleName: "database",
  username: "database",
  dn: "cn=database,dc=example,dc=com",
  rotationPeriod: "1h",
});

new Untyped("trivium:secrets:Role", "deployer", { name: "deployer", policies: ["deploy"] });

export const projectId = project.id;
export const methodId = method.id;
