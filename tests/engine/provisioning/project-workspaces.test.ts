import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { type Emulator, startEmulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../support/lifecycle";

const token = "canary-token-8d2f61";

let emulator: Emulator;
let workspaces: string[];
let projects: string[];

const inside = (): string[] =>
  emulator
    .inspect()
    .provisioning.workspaces.filter(({ projectId }) => projects.includes(projectId))
    .map(({ id }) => id);

describe("provisioning.ProjectWorkspaces, in its service", () => {
  before(async () => {
    emulator = await startEmulator({ tokens: { provisioning: token } });
    emulator.provisioning.addOrganization({ name: "acme" });
    workspaces = ["a", "b", "c"].map(
      (name) => emulator.provisioning.addWorkspace({ organization: "acme", name }).id,
    );
    projects = ["first", "second"].map(
      (name) => emulator.provisioning.addProject({ organization: "acme", name }).id,
    );
  });

  after(() => emulator.close());

  describeLifecycle({
    className: "provisioning.ProjectWorkspaces",
    type: "pulumi-nodejs:dynamic/trivium/provisioning:ProjectWorkspaces",
    prepare: () =>
      Promise.resolve({
        configuration: {
          "trivium:provisioningAddress": emulator.provisioning.address,
          "trivium:provisioningToken": { secret: token },
        },
        // The resource is there when its first workspace is where it should be.
        objects: () =>
          inside()
            .filter((id) => id === workspaces[0])
            .map((id) => ({ id })),
        requests: () => emulator.journal.count(),
        close: () => Promise.resolve(),
      }),
    declare: (name, args, options) =>
      new trivium.provisioning.ProjectWorkspaces(
        name,
        args as unknown as trivium.provisioning.ProjectWorkspacesArgs,
        options,
      ),
    valid: () => ({ projectId: projects[0], workspaceIds: [workspaces[0], workspaces[1]] }),
    spellings: {},
    changes: [
      { argument: "workspaceIds", to: () => [workspaces[1], workspaces[0], workspaces[2]] },
      {
        argument: "fallbackProjectId",
        to: () => emulator.inspect().provisioning.projects.find(({ isDefault }) => isDefault)?.id,
      },
      { argument: "workspaceIds", to: () => [workspaces[0], workspaces[2]] },
      { argument: "projectId", to: () => projects[1] },
    ],
    cleared: [],
    adopt: false,
    canaries: [token],
  });

  describe("workspaces that were moved", () => {
    it("were moved in one request for each change, and only those that had to", () => {
      const moves = emulator.journal.requests({
        method: "POST",
        path: "/api/v2/projects/:id/relationships/workspaces",
      });
      assert.deepEqual(
        moves.map(({ body }) =>
          (body as { data: { id: string }[] }).data.map(({ id }) => workspaces.indexOf(id)),
        ),
        [[0, 1], [2], [1], [0, 2], [0, 2]],
      );
    });
  });
});
