import * as pulumi from "@pulumi/pulumi";
import { DirectoryEngine, LandingZone, SchedulerEngine } from "platform-components";
import * as trivium from "pulumi-trivium";

/** A team, as the configuration describes it. */
interface Team {
  /** The IDs of its workspaces, by short names. */
  readonly workspaces: Readonly<Record<string, string>>;
}

const config = new pulumi.Config();
const teams = config.requireObject<Readonly<Record<string, Team>>>("teams");
const baseDn = config.require("baseDn");

// All resources in the components use this provider, so nothing depends on the environment of the person who runs the
// program.
const services = new trivium.Provider("services", {
  provisioning: {
    address: config.require("provisioningAddress"),
    token: config.requireSecret("provisioningToken"),
  },
  secrets: { address: config.require("secretsAddress"), token: config.requireSecret("secretsToken") },
});

const landingZones = Object.entries(teams).map(([team, { workspaces }]) => ({
  team,
  zone: new LandingZone(
    team,
    {
      organization: config.require("organization"),
      workspaces,
      fallbackProjectId: config.require("fallbackProjectId"),
      notifications: {
        url: config.requireSecret("receiverUrl"),
        signingKey: config.requireSecret("signingKey"),
      },
    },
    { provider: services },
  ),
}));

const directory = new DirectoryEngine(
  "directory",
  {
    url: config.require("directoryUrl"),
    bindDn: `cn=admin,${baseDn}`,
    bindPassword: config.requireSecret("bindPassword"),
    accountsDn: `ou=services,${baseDn}`,
    rotation: config.require("rotation"),
    rotatedAccounts: { payments: { username: "svc-payments" } },
    temporaryAccounts: { operators: { lifetime: "1h" } },
    libraries: { reports: { accounts: ["svc-report-1", "svc-report-2"], maxCheckOut: 0 } },
  },
  { providers: [services] },
);

const scheduler = new SchedulerEngine(
  "scheduler",
  {
    address: config.require("schedulerAddress"),
    managementToken: config.requireSecret("managementToken"),
    roles: {
      deploy: { policies: ["job-submit"], issueToken: true },
      watch: { policies: ["node-read"] },
    },
  },
  { providers: [services] },
);

// Outputs for other stacks. Secret outputs stay secret there.
export const projectIds = Object.fromEntries(landingZones.map(({ team, zone }) => [team, zone.projectId]));
export const directoryMount = directory.mount;
export const libraries = directory.libraries;
export const paymentsPassword = directory.credentials("payments").password;
export const deployToken = scheduler.token("deploy");
