import assert from "node:assert/strict";
import { projectWorkspacesDefinition, moveWorkspaces } from "../../sdk/provisioning/project-workspaces";
import { json, startServer, stopServers } from "../http/server";
import { Managed } from "../support/managed";
import { useEmulator } from "../support/use-emulator";
import { clientOf, type Surroundings } from "./emulated-client";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import * as pulumi from "@pulumi/pulumi";
import { Project, ProjectWorkspaces, type ProjectWorkspacesArgs } from "../../sdk/provisioning";
import { declared, useMocks, warningsOf } from "../resource/mocks";

describe("provisioning.ProjectWorkspaces", () => {
  const emulator = useEmulator();
  let projectId: string;
  let otherId: string;
  let fallbackProjectId: string;
  const moves = { method: "POST", path: "/api/v2/projects/:id/relationships/workspaces" };

  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
    [projectId = "", otherId = "", fallbackProjectId = ""] = ["payments", "other", "fallback"].map(
      (name) => emulator.provisioning.addProject({ organization: "acme", name }).id,
    );
  });

  const add = (count: number): string[] =>
    Array.from({ length: count }, () => emulator.provisioning.addWorkspace({ organization: "acme" }).id);
  const inside = (project: string): string[] =>
    emulator
      .inspect()
      .provisioning.workspaces.filter((workspace) => workspace.projectId === project)
      .map(({ id }) => id);
  const moved = (): [string, string[]][] =>
    emulator.journal
      .requests(moves)
      .map(({ path, body }) => [
        path.split("/")[4] ?? "",
        (body as { data: { id: string }[] }).data.map(({ id }) => id),
      ]);
  const manage = async (workspaceIds: readonly string[], more: object = {}): Promise<Managed> => {
    const managed = new Managed(projectWorkspacesDefinition, emulator);
    await managed.up({ projectId, workspaceIds: [...workspaceIds], ...more });
    return managed;
  };

  it("moves 60 workspaces in one request, each once", async () => {
    const workspaces = add(60);
    const managed = await manage([...workspaces, ...workspaces]);
    assert.deepEqual(moved(), [[projectId, workspaces]]);
    assert.deepEqual(inside(projectId), workspaces);
    assert.equal(managed.id, projectId);
    assert.equal(managed.outputs.organization, "acme");
    assert.equal(await managed.up({ projectId, workspaceIds: workspaces.toReversed() }), "same");
  });

  it("moves none when one of them cannot be moved, and lists what was asked for", async () => {
    const workspaces = add(3);
    const ids = [...workspaces, "ws-nobody"];
    await assert.rejects(manage(ids), {
      message: new RegExp(
        `returned 403: .*No workspace was moved: one of them does not exist.* Requested: ${ids.join(", ")}\\.$`,
      ),
    });
    assert.deepEqual(inside(projectId), []);
  });

  it("says that it may be the project that is missing", async () => {
    const workspaces = add(2);
    projectId = "prj-nobody";
    await assert.rejects(manage(workspaces), {
      message: new RegExp(
        `returned 404: .*No workspace was moved: the project prj-nobody does not exist.* Requested: ${workspaces.join(", ")}\\.$`,
      ),
    });
  });

  it("makes no request for an empty list but to read the project", async () => {
    const managed = await manage([]);
    assert.deepEqual(moved(), []);
    assert.equal(managed.outputs.organization, "acme");
    await managed.destroy();
    assert.deepEqual(moved(), []);
  });

  it("moves what is taken out to the fallback, and leaves it without one", async () => {
    const [first = "", second = "", third = ""] = add(3);
    const managed = await manage([first, second, third]);
    await managed.up({ projectId, workspaceIds: [first, second] });
    assert.deepEqual(inside(projectId), [first, second, third]);
    await managed.up({ projectId, workspaceIds: [first], fallbackProjectId });
    assert.deepEqual(inside(fallbackProjectId), [second]);
    assert.deepEqual(moved().slice(1), [[fallbackProjectId, [second]]]);
  });

  it("repeats what an update could not finish", async () => {
    const [first = "", second = ""] = add(2);
    const managed = await manage([first], { fallbackProjectId });
    const next = { projectId, workspaceIds: [second], fallbackProjectId };
    emulator.faults.add({ ...moves, skip: 1, status: 500 });
    await assert.rejects(managed.up(next));
    assert.equal(await managed.up(next), "updated");
    assert.deepEqual(inside(projectId), [second]);
    assert.deepEqual(inside(fallbackProjectId), [first]);
  });

  it("needs no request to learn of another fallback, which deletion then uses", async () => {
    const workspaces = add(2);
    const managed = await manage(workspaces);
    const before = emulator.journal.count();
    assert.equal(await managed.up({ projectId, workspaceIds: workspaces, fallbackProjectId }), "updated");
    assert.equal(emulator.journal.count(), before);
    await managed.destroy();
    assert.deepEqual(inside(fallbackProjectId), workspaces);
  });

  it("is gone in a refresh after its project was deleted", async () => {
    const [workspace = ""] = add(1);
    const managed = await manage([workspace]);
    assert.equal(await managed.refresh(), true);
    assert.deepEqual(managed.outputs.workspaceIds, [workspace]);
    emulator.provisioning.moveWorkspace(workspace, "fallback");
    emulator.provisioning.removeProject(projectId);
    assert.equal(await managed.refresh(), false);
  });

  it("is not gone when the project that it was made for is, but not the one that it is for now", async () => {
    const managed = await manage(add(1));
    await managed.up({ projectId: otherId, workspaceIds: inside(projectId) });
    emulator.provisioning.removeProject(projectId);
    assert.equal(await managed.refresh(), true);
  });

  describe("when something cannot be moved away", () => {
    afterEach(() => stopServers());

    let said: string[];
    beforeEach(() => {
      said = [];
    });
    const step = (surroundings: Surroundings = emulator) => ({
      client: clientOf(surroundings),
      signal: new AbortController().signal,
      progress: () => undefined,
      announce: (kind: string, message: string) => void said.push(`${kind}: ${message}`),
      memory: {},
      managed: new Set<string>(),
    });
    const destroy = (workspaceIds: readonly string[], surroundings?: Surroundings): Promise<void> =>
      projectWorkspacesDefinition.delete(step(surroundings), projectId, {
        projectId,
        workspaceIds,
        fallbackProjectId,
      });
    const keep = (kept: readonly string[], former: readonly string[], surroundings?: Surroundings) =>
      projectWorkspacesDefinition.update(
        step(surroundings),
        projectId,
        { projectId, workspaceIds: [...kept], fallbackProjectId },
        new Set(["workspaceIds"]),
        { workspaceIds: former },
      );
    const gone = (ids: string): string =>
      `warning: Not moved into the project ${fallbackProjectId}: ${ids}. Each of them no longer exists, or the ` +
      "token may not move it. Existing workspaces stay in their project. This resource no longer manages them.";

    it("is destroyed although a workspace is gone, and moves the others", async () => {
      const [first = "", second = "", third = ""] = add(3);
      const managed = await manage([first, second, third], { fallbackProjectId });
      emulator.provisioning.removeWorkspace(second);
      await managed.destroy();
      assert.deepEqual(inside(fallbackProjectId), [first, third]);
    });

    it("lets one that is gone be taken out of the list, and moves what is taken out with it", async () => {
      const [first = "", second = "", third = ""] = add(3);
      const managed = await manage([first, second, third], { fallbackProjectId });
      emulator.provisioning.removeWorkspace(second);
      assert.equal(await managed.up({ projectId, workspaceIds: [first], fallbackProjectId }), "updated");
      assert.deepEqual([inside(projectId), inside(fallbackProjectId)], [[first], [third]]);
      assert.deepEqual(managed.outputs.workspaceIds, [first]);
    });

    it("names in a warning what could not be moved, and nothing where all could", async () => {
      const [first = "", second = "", third = ""] = add(3);
      await destroy([first, "ws-gone", second, "ws-lost"]);
      assert.deepEqual(said, [gone("ws-gone, ws-lost")]);
      await keep([third], [third, "ws-gone"]);
      assert.deepEqual(said.slice(1), [gone("ws-gone")]);
      await destroy([first, second]);
      assert.equal(said.length, 2);
      assert.deepEqual(inside(fallbackProjectId), [first, second]);
    });

    it("is destroyed although the fallback is gone, and says where the workspaces are", async () => {
      const workspaces = add(2);
      await manage(workspaces, { fallbackProjectId });
      emulator.provisioning.removeProject(fallbackProjectId);
      await destroy(workspaces);
      assert.equal(emulator.journal.count(moves), 2, "the move, and no further one");
      assert.deepEqual(said, [
        `warning: No workspace was moved: the project ${fallbackProjectId} does not exist, or the token may not move ` +
          `workspaces into it. These stay in their project: ${workspaces.join(", ")}.`,
      ]);
    });

    it("cannot be updated with a fallback that is gone, so that another one can be given", async () => {
      const [first = "", second = ""] = add(2);
      const managed = await manage([first, second], { fallbackProjectId });
      emulator.provisioning.removeProject(fallbackProjectId);
      const next = { projectId, workspaceIds: [first], fallbackProjectId };
      await assert.rejects(managed.up(next), {
        message: /No workspace was moved: the project \S+ does not exist/,
      });
      assert.equal(await managed.up({ ...next, fallbackProjectId: otherId }), "updated");
      assert.deepEqual(inside(otherId), [second]);
    });

    it("fails while the service does, whatever is gone", async () => {
      const workspaces = add(2);
      const managed = await manage(workspaces, { fallbackProjectId });
      emulator.faults.add({ ...moves, status: 500, times: 2 });
      await assert.rejects(managed.destroy());
      emulator.faults.clear();
      emulator.faults.add({ ...moves, status: 403 });
      emulator.faults.add({ ...moves, status: 500 });
      await assert.rejects(managed.destroy());
      assert.deepEqual(inside(projectId), workspaces);
    });

    it("moves the others where the service says 404 of a workspace that is gone", async () => {
      const received: string[][] = [];
      const server = await startServer((response, { method, body }) => {
        if (method === "GET") {
          const attributes = { name: "fallback" };
          const data = { id: fallbackProjectId, type: "projects", attributes, relationships: {} };
          json(response, 200, { data });
          return;
        }
        const ids = (JSON.parse(body) as { data: { id: string }[] }).data.map(({ id }) => id);
        received.push(ids);
        json(response, ids.includes("ws-gone") ? 404 : 204, null);
      });
      const other = { provisioning: { address: server.address, token: "token" } };
      await destroy(["ws-1", "ws-gone", "ws-2"], other);
      assert.deepEqual(received, [["ws-1", "ws-gone", "ws-2"], ["ws-1"], ["ws-gone"], ["ws-2"]]);
      assert.deepEqual(said, [gone("ws-gone")]);
    });
  });
});

describe("provisioning.moveWorkspaces", () => {
  const emulator = useEmulator();
  let projectId: string;

  useEnvironment(() => emulator.environment);
  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
    projectId = emulator.provisioning.addProject({ organization: "acme", name: "payments" }).id;
  });

  const add = (): string => emulator.provisioning.addWorkspace({ organization: "acme" }).id;
  const inside = (): string[] =>
    emulator
      .inspect()
      .provisioning.workspaces.filter((workspace) => workspace.projectId === projectId)
      .map(({ id }) => id);

  it("makes no request for none", async () => {
    await moveWorkspaces({ projectId, workspaceIds: [] });
    assert.equal(emulator.journal.count(), 0);
  });

  it("moves none when one cannot be moved, and lists them", async () => {
    const id = add();
    const error = await failure(moveWorkspaces({ projectId, workspaceIds: [id, "ws-nobody"] }));
    assert.match(error.message, /^Could not move 2 workspaces into the project /);
    assert.match(
      error.advice ?? "",
      new RegExp(`^No workspace was moved: .* Requested: ${id}, ws-nobody\\.$`),
    );
    assert.deepEqual(inside(), []);
  });
});

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
