import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { startEmulator } from "pulumi-trivium/testing";
import { describeLifecycle } from "../support/lifecycle";
import { surroundingsOf } from "../support/surroundings";

const token = "canary-token-8d2f61";

describeLifecycle({
  className: "provisioning.ProjectWorkspaces",
  type: "pulumi-nodejs:dynamic/trivium/provisioning:ProjectWorkspaces",
  async prepare(dialect) {
    const emulator = await startEmulator({ dialect, tokens: { provisioning: token } });
    emulator.provisioning.addOrganization({ name: "acme" });
    const workspaces = ["a", "b", "c"].map(
      (name) => emulator.provisioning.addWorkspace({ organization: "acme", name }).id,
    );
    const projects = ["first", "second"].map(
      (name) => emulator.provisioning.addProject({ organization: "acme", name }).id,
    );
    return {
      // The resource is there when its first workspace is where it should be.
      ...surroundingsOf(emulator, "provisioning", () =>
        emulator
          .inspect()
          .provisioning.workspaces.filter(
            ({ id, projectId }) => id === workspaces[0] && projects.includes(projectId),
          ),
      ),
      workspaces,
      projects,
    };
  },
  declare: (name, args, options) =>
    new trivium.provisioning.ProjectWorkspaces(
      name,
      args as unknown as trivium.provisioning.ProjectWorkspacesArgs,
      options,
    ),
  valid: ({ workspaces, projects }) => ({
    projectId: projects[0],
    workspaceIds: [workspaces[0], workspaces[1]],
  }),
  spellings: ({ workspaces }) => ({ workspaceIds: [workspaces[1], workspaces[0], workspaces[1]] }),
  changes: [
    {
      argument: "workspaceIds",
      toIn: ({ workspaces }) => [workspaces[1], workspaces[0], workspaces[2]],
    },
    {
      argument: "fallbackProjectId",
      toIn: ({ emulator }) => emulator.inspect().provisioning.projects.find(({ isDefault }) => isDefault)?.id,
    },
    { argument: "workspaceIds", toIn: ({ workspaces }) => [workspaces[0], workspaces[2]] },
    { argument: "projectId", toIn: ({ projects }) => projects[1] },
  ],
  cleared: [],
  adopt: false,
  canaries: [token],
  finally: {
    "has moved workspaces in one request for each change, and only those that had to": ({
      emulator,
      workspaces,
    }) => {
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
    },
  },
});
