import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";

const config = new pulumi.Config();
const organization = config.require("organization");
const teams = config.requireObject<readonly string[]>("teams");

// Outputs for other stacks. Secret outputs stay secret there.

/** The project of each team. */
export const projectIds = Object.fromEntries(
  teams.map((name) => [name, new trivium.provisioning.Project(name, { organization, name }).id]),
);
/** The project to which workspaces move when they leave a team. */
export const fallbackProjectId = config.require("fallbackProjectId");
/** The receiver of notifications about all runs, and their signing key. */
export const receiver = {
  url: config.requireSecret("receiverUrl"),
  signingKey: config.requireSecret("signingKey"),
};
