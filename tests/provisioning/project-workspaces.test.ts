import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { moveWorkspaces, projectWorkspacesDefinition } from "../../sdk/provisioning/project-workspaces";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { json, startServer, stopServers } from "../http/server";
import { FakeEngine } from "../support/fake-engine";
import type { Properties } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";
import { type ProvisioningServer, stepOn } from "./emulated-client";

describe("provisioning.ProjectWorkspaces", () => {
  const [projectId, otherId, fallbackProjectId] = ["prj-payments", "prj-other", "prj-fallback"];
  const projects = [projectId, otherId, fallbackProjectId].map((id) => ({
    id,
    organization: "acme",
    name: id,
  }));
  const seed = { organizations: [{ name: "acme" }], projects };
  const emulator = useEmulator({ seed });
  useEnvironment(() => emulator.environment);
  const moves = { method: "POST", path: "/api/v2/projects/:id/relationships/workspaces" };
  afterEach(stopServers);

  const add = (count: number): string[] =>
    Array.from({ length: count }, () => emulator.provisioning.addWorkspace({ organization: "acme" }).id);
  const inside = (project: string): string[] =>
    emulator
      .inspect()
      .provisioning.workspaces.filter((workspace) => workspace.projectId === project)
      .map(({ id }) => id);
  const moved = () =>
    emulator.journal.requests(moves).map(({ path, body }) => {
      const { data } = body as { data: { id: string }[] };
      return [path.split("/")[4], data.map(({ id }) => id)];
    });
  // Each has a connection of its own: others have lists that would serve it.
  const manage = (workspaceIds: readonly string[], more: object = {}) =>
    FakeEngine.create(
      projectWorkspacesDefinition,
      emulator,
      { projectId, workspaceIds, ...more },
      { "trivium:provisioningHeaders": JSON.stringify({ "x-test": randomUUID() }) },
    );

  it("ProjectWorkspaces moves 60 workspaces in one request, without duplicates", async () => {
    const workspaces = add(60);
    const managed = await manage([...workspaces, ...workspaces]);
    assert.deepEqual(moved(), [[projectId, workspaces]]);
    assert.deepEqual([managed.id, managed.outputs.organization], [projectId, "acme"]);
    assert.equal(await managed.up({ projectId, workspaceIds: workspaces.toReversed() }), "same");
  });

  it("ProjectWorkspaces moves no workspace if one of them or the project does not exist, and the error lists the requested ones", async () => {
    const ids = [...add(3), "ws-nobody"];
    const requested = `.* Requested: ${ids.join(", ")}\\.$`;
    const refused = (status: number, what: string) => ({
      message: new RegExp(`returned ${status}: .*No workspace was moved: ${what} does not exist${requested}`),
    });
    await assert.rejects(manage(ids), refused(403, "one of them"));
    await assert.rejects(manage(ids, { projectId: "prj-nobody" }), refused(404, "the project prj-nobody"));
    const error = await failure(moveWorkspaces({ projectId, workspaceIds: ids }));
    assert.match(error.message, /^Could not move 4 workspaces into the project /);
    assert.match(error.advice ?? "", new RegExp(`^No workspace was moved: ${requested}`));
    assert.deepEqual(inside(projectId), []);
  });

  it("ProjectWorkspaces moves nothing for an empty list, and advises a refresh if its project no longer exists", async () => {
    const managed = await manage([]);
    assert.equal(managed.outputs.organization, "acme");
    await moveWorkspaces({ projectId, workspaceIds: [] });
    emulator.provisioning.removeProject(projectId);
    await assert.rejects(managed.up({ projectId, workspaceIds: add(1) }), {
      message: /no longer exists.*Run `pulumi refresh`, then `pulumi up`/,
    });
    await managed.destroy();
    assert.equal(moved().length, 1, "the refused one");
  });

  it("ProjectWorkspaces moves removed workspaces to the fallback, leaves them if there is none, and drops a workspace that no longer exists", async () => {
    const [first = "", second = "", third = "", fourth = ""] = add(4);
    const managed = await manage([first, second, third, fourth]);
    await managed.up({ projectId, workspaceIds: [first, second, third] });
    emulator.provisioning.removeWorkspace(second);
    await managed.up({ projectId, workspaceIds: [first], fallbackProjectId });
    assert.deepEqual([inside(projectId), inside(fallbackProjectId)], [[first, fourth], [third]]);
    assert.deepEqual(managed.outputs.workspaceIds, [first]);
  });

  it("ProjectWorkspaces completes in the next update what one could not finish", async () => {
    const [first = "", second = ""] = add(2);
    const managed = await manage([first], { fallbackProjectId });
    const next = { projectId, workspaceIds: [second], fallbackProjectId };
    emulator.faults.add({ ...moves, skip: 1, status: 500 });
    await assert.rejects(managed.up(next));
    assert.equal(await managed.up(next), "updated");
    assert.deepEqual([inside(projectId), inside(fallbackProjectId)], [[second], [first]]);
  });

  it("ProjectWorkspaces is removed from state by a refresh after its project was deleted, but not after a former project was", async () => {
    const [workspace = ""] = add(1);
    const managed = await manage([workspace]);
    await managed.up({ projectId: otherId, workspaceIds: [workspace] });
    emulator.provisioning.removeProject(projectId);
    assert.equal(await managed.refresh(), true);
    assert.deepEqual(managed.outputs.workspaceIds, [workspace]);
    emulator.provisioning.moveWorkspace(workspace, fallbackProjectId);
    emulator.provisioning.removeProject(otherId);
    assert.equal(await managed.refresh(), false);
  });

  describe("in the hashicorp dialect", () => {
    const products = useEmulator({ dialect: { provisioning: "hashicorp" }, seed });
    useEnvironment(() => products.environment);
    const lists = { method: "GET", path: "/api/v2/organizations/:organization_name/workspaces" };
    const addTo = (project?: string) =>
      products.provisioning.addWorkspace({ organization: "acme", ...(project && { project }) }).id;
    const setUp = (count: number) =>
      Promise.all(
        Array.from({ length: count }, async (_, index) => {
          const project = { organization: "acme", name: `project-${index}` };
          const { id: projectId } = products.provisioning.addProject(project);
          const args = { projectId, workspaceIds: [addTo(), addTo()] };
          return { args, managed: await FakeEngine.create(projectWorkspacesDefinition, products, args) };
        }),
      );

    it("ProjectWorkspaces detects in a refresh that workspaces were moved or deleted, and moves them back", async () => {
      const [one = assert.fail()] = await setUp(1);
      const [first = "", second = ""] = one.args.workspaceIds;
      products.provisioning.moveWorkspace(second, "Default Project");
      addTo("project-0");
      await one.managed.refresh();
      assert.deepEqual(one.managed.outputs.workspaceIds, [first]);
      assert.equal(await one.managed.up(one.args), "updated");
      assert.equal(await one.managed.up(one.args), "same");
      await one.managed.refresh();
      assert.deepEqual(one.managed.outputs.workspaceIds, [first, second]);
    });

    it("ProjectWorkspaces sends only the move in an update, and reads only a new project", async () => {
      const [one = assert.fail(), other = assert.fail()] = await setUp(2);
      const { managed } = one;
      const sent = async (args: Properties) => {
        products.journal.clear();
        assert.equal(await managed.up(args), "updated");
        return products.journal.requests().map(({ method }) => method);
      };
      const [first = ""] = one.args.workspaceIds;
      const more = addTo();
      assert.deepEqual(await sent({ ...one.args, workspaceIds: [first, more] }), ["POST"]);
      assert.deepEqual(await sent({ ...one.args, workspaceIds: [more] }), []);
      const { projectId } = other.args;
      assert.deepEqual(await sent({ projectId, workspaceIds: [more] }), ["POST", "GET"]);
      assert.deepEqual(managed.outputs, { ...managed.outputs, projectId, organization: "acme" });
    });

    it("ProjectWorkspaces lists the workspaces of an organization once for all projects, and reports no drift if that is rejected", async () => {
      const all = await setUp(12);
      const refresh = () => Promise.all(all.map(async ({ managed }) => managed.refresh()));
      products.faults.add({ ...lists, status: 403 });
      const [one = assert.fail()] = all;
      assert.equal(await one.managed.refresh(), true);
      assert.deepEqual(one.managed.outputs.workspaceIds, one.args.workspaceIds);
      products.journal.clear();
      await refresh();
      assert.equal(products.journal.requests(lists).length, 1);
      for (const { managed, args } of all) {
        assert.deepEqual(managed.outputs.workspaceIds, args.workspaceIds);
      }
    });
  });

  const destroy = async (
    workspaceIds: readonly string[],
    server: ProvisioningServer = emulator,
    more: object = {},
  ): Promise<readonly string[]> => {
    const step = { ...stepOn(server), ...more };
    await projectWorkspacesDefinition.delete(step, projectId, {
      projectId,
      workspaceIds: [...workspaceIds],
      fallbackProjectId,
    });
    return step.announced;
  };
  const warning = (...ids: readonly string[]): string =>
    "warning: Some workspaces stay where they are, and this resource no longer manages them. They or the project " +
    `${fallbackProjectId} might no longer exist, or the token is not allowed to move them: ${ids.join(", ")}.`;

  it("ProjectWorkspaces is destroyed even if a workspace no longer exists, and moves the others", async () => {
    const [first = "", second = ""] = add(2);
    assert.deepEqual(await destroy([first, "ws-gone", second, "ws-lost"]), [warning("ws-gone", "ws-lost")]);
    assert.deepEqual(inside(fallbackProjectId), [first, second]);
    assert.deepEqual(await destroy([first, second]), []);
  });

  it("ProjectWorkspaces is destroyed even if the fallback no longer exists, and names the workspaces that stay", async () => {
    const workspaces = add(2);
    await manage(workspaces);
    emulator.provisioning.removeProject(fallbackProjectId);
    emulator.journal.clear();
    assert.deepEqual(await destroy(workspaces), [warning(...workspaces)]);
    assert.deepEqual([emulator.journal.count(), inside(projectId)], [2, workspaces]);
  });

  it("ProjectWorkspaces does not move workspaces that another resource has moved, and reports that", async () => {
    const [first = "", second = ""] = add(2);
    const others = { isElsewhere: (id: string): boolean => id === second, move: () => undefined };
    const announced = await destroy([first, second], emulator, { others });
    assert.deepEqual(moved(), [[fallbackProjectId, [first]]]);
    assert.deepEqual(announced, [
      `information: Not moved into the fallback project: ${second}. Another resource of this program manages them.`,
    ]);
  });

  it("ProjectWorkspaces fails while the service fails, even if workspaces no longer exist", async () => {
    const workspaces = add(2);
    const managed = await manage(workspaces, { fallbackProjectId });
    for (const statuses of [[500], [403, 500]]) {
      statuses.forEach((status) => emulator.faults.add({ ...moves, status }));
      await assert.rejects(managed.destroy());
    }
    assert.deepEqual(inside(projectId), workspaces);
  });

  it("ProjectWorkspaces moves the others if the service returns 404 for a workspace that no longer exists", async () => {
    const data = { id: fallbackProjectId, type: "projects", attributes: { name: "fallback" } };
    const errors = [{ status: "404", title: "not found" }];
    const { address, received } = await startServer((response, { body }) =>
      body.includes("ws-gone") ? json(response, 404, { errors }) : json(response, 200, { data }),
    );
    const server = { provisioning: { address, token: "token" } };
    assert.deepEqual(await destroy(["ws-1", "ws-gone", "ws-2"], server), [warning("ws-gone")]);
    const sent = received.filter(({ method }) => method === "POST").map(({ body }) => body.match(/ws-\w+/g));
    assert.deepEqual(sent, [["ws-1", "ws-gone", "ws-2"], ["ws-1"], ["ws-gone"], ["ws-2"]]);
  });

  it("ProjectWorkspaces is not destroyed if a gateway returns 404", async () => {
    const { address } = await startServer((response) => json(response, 404, { message: "no Route matched" }));
    const server = { provisioning: { address, token: "token" } };
    const destroyed = destroy(["ws-1"], server);
    await assert.rejects(destroyed, { message: /no Route matched.*might come from a gateway/ });
  });
});
