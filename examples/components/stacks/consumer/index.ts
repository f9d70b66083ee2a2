import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";

const config = new pulumi.Config();
const team = config.require("team");

// This stack uses only the outputs of the platform stack. Secret outputs stay secret.
const platform = new pulumi.StackReference(config.require("platform"));
const projectIds = platform.requireOutput("projectIds") as pulumi.Output<Record<string, string>>;
const libraries = platform.requireOutput("libraries") as pulumi.Output<Record<string, string>>;
const directoryMount = platform.requireOutput("directoryMount") as pulumi.Output<string>;
const deployToken = platform.requireOutput("deployToken") as pulumi.Output<string>;

const project = trivium.provisioning.getProjectOutput({ id: projectIds.apply((ids) => ids[team]) });

// The team's report job checks out one of the platform's accounts.
const account = new trivium.secrets.directory.LibraryCheckout("reports", {
  mount: directoryMount,
  setName: libraries.apply(({ reports = "reports" }) => reports),
  waitFor: "5m",
});

export const projectName = project.name;
export const reportAccount = account.serviceAccountName;
/** The environment variables of the team's jobs. */
export const jobEnvironment = {
  LDAP_USER: account.serviceAccountName,
  LDAP_PASSWORD: account.password,
  SCHEDULER_TOKEN: deployToken,
};
