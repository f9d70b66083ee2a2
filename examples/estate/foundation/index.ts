import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";

const config = new pulumi.Config();
const organization = config.require("organization");
const teams = config.requireObject<readonly string[]>("teams");

// Everything below is what other stacks build on. A stack reference keeps secret what is secret here.

/** The project of each team. */
export const projectIds = Object.fromEntries(
  teams.map((name) => [name, new trivium.provisioning.Project(name, { organization, name }).id]),
);
/** Where workspaces go that a team gives up. */
export const fallbackProjectId = config.require("fallbackProjectId");
/** Who hears of all runs, and the key that notifications are signed with. */
export const receiver = {
  url: config.requireSecret("receiverUrl"),
  signingKey: config.requireSecret("signingKey"),
};
