import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { describeLifecycle } from "../support/lifecycle";

describeLifecycle({
  className: "provisioning.ProjectWorkspaces",
  type: "pulumi-nodejs:dynamic/trivium/provisioning:ProjectWorkspaces",
  async prepare(world) {
    const { provisioning } = world;
    const [organization = ""] = await provisioning.organizations(1);
    // The last made goes first, and a project only when it is empty.
    const projects = await provisioning.addProjects(organization, 2);
    const workspaces = await provisioning.addWorkspaces(organization, 3);
    return {
      // The resource is there when its first workspace is where it should be.
      ...world.surroundings("provisioning", (inspection) =>
        inspection.provisioning.workspaces.filter(
          ({ id, projectId }) => id === workspaces[0] && projects.includes(projectId),
        ),
      ),
      workspaces,
      projects,
      defaultProject: await provisioning.defaultProject(organization),
    };
  },
  live: {
    needs: ["provisioning service"],
    count: async ({ world, workspaces, projects }) =>
      projects.includes(await world.provisioning.projectOf(workspaces[0] ?? "")) ? 1 : 0,
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
      toIn: ({ defaultProject }) => defaultProject,
    },
    { argument: "workspaceIds", toIn: ({ workspaces }) => [workspaces[0], workspaces[2]] },
    { argument: "projectId", toIn: ({ projects }) => projects[1] },
  ],
  cleared: [],
  adopt: false,
  inPlace: true,
  canaries: [],
  finally: {
    "has moved workspaces in one request for each change, and only those that had to": ({
      emulator,
      workspaces,
    }) => {
      assert.ok(emulator);
      const moves = emulator.journal.requests({
        method: "POST",
        path: "/api/v2/projects/:id/relationships/workspaces",
      });
      assert.deepEqual(
        moves.map(({ body }) =>
          (body as { data: { id: string }[] }).data.map(({ id }) => workspaces.indexOf(id)),
        ),
        [
          [0, 1],
          [2],
          [1],
          [0, 2],
          // Renamed twice and replaced by hand, it makes sure, and takes nothing away; then it is destroyed.
          [0, 2],
          [0, 2],
          [0, 2],
          [0, 2],
        ],
      );
    },
  },
});
