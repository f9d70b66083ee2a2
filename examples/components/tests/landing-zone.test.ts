import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { LandingZone, type LandingZoneArgs } from "../landing-zone";
import { declare, useMocks, valueOf } from "./mocks";

const projectType = "pulumi-nodejs:dynamic/trivium/provisioning:Project";
const workspacesType = "pulumi-nodejs:dynamic/trivium/provisioning:ProjectWorkspaces";
const notificationType = "pulumi-nodejs:dynamic/trivium/provisioning:NotificationConfiguration";

const args: LandingZoneArgs = {
  organization: "acme",
  workspaces: { web: "ws-1", worker: "ws-2" },
  notifications: { url: "https://hooks.example.com/runs", signingKey: "key" },
};

describe("LandingZone", () => {
  const mocked = useMocks();
  const ofType = (type: string) => mocked.resources.filter((resource) => resource.type === type);

  it("creates a project with the name of the team, and moves the team's workspaces into it", async () => {
    const zone = await declare(() => new LandingZone("payments", args));
    const [project] = ofType(projectType);
    assert.deepEqual([project?.inputs.organization, project?.inputs.name], ["acme", "payments"]);
    const [workspaces] = ofType(workspacesType);
    assert.equal(workspaces?.inputs.projectId, "payments-id");
    assert.deepEqual(workspaces.inputs.workspaceIds, ["ws-1", "ws-2"]);
    assert.equal(await valueOf(zone.projectId), "payments-id");
  });

  it("creates notifications about the runs of each workspace", async () => {
    const zone = await declare(() => new LandingZone("payments", args));
    assert.deepEqual(
      ofType(notificationType).map(({ inputs }) => [inputs.workspaceId, inputs.name, inputs.triggers]),
      [
        ["ws-1", "payments-web", ["run:completed", "run:errored"]],
        ["ws-2", "payments-worker", ["run:completed", "run:errored"]],
      ],
    );
    assert.deepEqual(await valueOf(zone.notificationIds), {
      web: "payments-web-id",
      worker: "payments-worker-id",
    });
  });

  it("creates only a project without workspaces and notifications", async () => {
    const zone = await declare(() => new LandingZone("search", { organization: "acme" }));
    assert.deepEqual(
      mocked.resources.map(({ type }) => type),
      ["acme:platform:LandingZone", projectType],
    );
    assert.deepEqual(await valueOf(zone.notificationIds), {});
  });

  it("passes its provider to all its resources", async () => {
    await declare(() => {
      const provider = new trivium.Provider("europe", {
        provisioning: { address: "https://provisioning.eu.example.com", token: "token" },
      });
      return new LandingZone("payments", args, { provider });
    });
    const children = mocked.resources.filter(({ type }) => type.startsWith("pulumi-nodejs:"));
    assert.equal(children.length, 4);
    assert.deepEqual(
      children.filter(({ provider }) => !provider.includes("europe")),
      [],
    );
  });
});
