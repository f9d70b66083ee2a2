import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { Project, ProjectWorkspaces, type ProjectWorkspacesArgs } from "../../sdk/provisioning";
import { declared, useMocks, warningsOf } from "../resource/mocks";

const workspaceIds = ["ws-1"];

for (const preview of [true, false]) {
  describe(`workspaces in a project of the same program, ${preview ? "in a preview" : "in an update"}`, () => {
    useMocks({ preview });

    const warningsFor = (
      argsFor: (project: Project) => ProjectWorkspacesArgs,
      options: pulumi.CustomResourceOptions = {},
    ): Promise<readonly string[]> =>
      warningsOf(async () => {
        const project = new Project("payments", { organization: "acme", name: "payments" }, options);
        await declared(project, new ProjectWorkspaces("payments", argsFor(project)));
      });
    const expected = [
      'ProjectWorkspaces "payments" has no `fallbackProjectId`, and this program manages its project: the project ' +
        "cannot be destroyed while it contains workspaces. Set `fallbackProjectId` to the project that the workspaces " +
        "are moved to on deletion.",
    ];

    const stuck: Readonly<Record<string, (project: Project) => ProjectWorkspacesArgs>> = {
      "its id": ({ id }) => ({ projectId: id, workspaceIds }),
      "something made of its id": ({ id }) => ({ projectId: pulumi.interpolate`${id}`, workspaceIds }),
      "its id, and null as the fallback": ({ id }) => ({
        projectId: id,
        workspaceIds,
        fallbackProjectId: null,
      }),
    };
    for (const [what, argsFor] of Object.entries(stuck)) {
      it(`are warned of: ${what}`, async () => assert.deepEqual(await warningsFor(argsFor), expected));
    }

    const free: Readonly<Record<string, (project: Project) => ProjectWorkspacesArgs>> = {
      "a fallback": ({ id }) => ({ projectId: id, workspaceIds, fallbackProjectId: "prj-default" }),
      "a fallback that is an output": ({ id }) => ({
        projectId: id,
        workspaceIds,
        fallbackProjectId: pulumi.output("prj-default"),
      }),
      "a project from elsewhere": () => ({ projectId: "prj-other", workspaceIds }),
    };
    for (const [what, argsFor] of Object.entries(free)) {
      it(`are not warned of with ${what}`, async () => assert.deepEqual(await warningsFor(argsFor), []));
    }

    it("are not warned of where the project is only read, or is kept on deletion", async () => {
      assert.deepEqual(
        await warningsFor(({ id }) => ({ projectId: id, workspaceIds }), { retainOnDelete: true }),
        [],
      );
      const warnings = await warningsOf(async () => {
        const { id } = Project.get("shared", "prj-shared");
        await declared(new ProjectWorkspaces("payments", { projectId: id, workspaceIds }));
      });
      assert.deepEqual(warnings, []);
    });
  });
}
