import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";

const config = new pulumi.Config();
const schedulerAddress = config.require("schedulerAddress");

// The secrets service creates tokens in the scheduler, with a management token that only it needs to know.
const access = new trivium.secrets.scheduler.Access("scheduler", {
  address: schedulerAddress,
  token: config.requireSecret("managementToken"),
});
const lease = new trivium.secrets.scheduler.Lease("scheduler", { ttl: "8h", maxTtl: "1d" });

const watch = new trivium.secrets.scheduler.Role("watch", { name: "watch", policies: ["node-read"] });
const deploy = new trivium.secrets.scheduler.Role("deploy", {
  name: "deploy",
  policies: ["job-submit", "node-read"],
});

// After this, the program reads the scheduler with a token that expires.
const watcher = new trivium.secrets.scheduler.Token(
  "watcher",
  { roleName: watch.name, renewBefore: "1h" },
  { dependsOn: [access, lease] },
);
const scheduler = new trivium.Provider("scheduler", {
  scheduler: { address: schedulerAddress, token: watcher.secretId },
});

// Waits once until a node registers. Recent events that the scheduler still has in its buffer count too.
const node = new trivium.scheduler.EventGate(
  "node",
  {
    topics: ["Node"],
    match: { type: "NodeRegistration" },
    timeout: config.require("nodeTimeout"),
    triggers: { version: 1 },
  },
  { provider: scheduler },
);

// The token for deployments is issued only if there is a node to deploy to.
const deployer = new trivium.secrets.scheduler.Token(
  "deployer",
  { roleName: deploy.name, renewBefore: "1h" },
  { dependsOn: [access, lease, node] },
);

export const nodeId = node.event.apply(({ key }) => key);
export const deployToken = deployer.secretId;
export const deployTokenEnds = deployer.expiresAt;
