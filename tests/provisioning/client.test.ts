import assert from "node:assert/strict";
import { z } from "zod";
import { CancelledError, ContractError, ServiceError } from "../../sdk/base/errors";
import { path, type Path } from "../../sdk/base/path";
import type { ProvisioningClient } from "../../sdk/provisioning/client";
import { projectKind, projectsOf } from "../../sdk/provisioning/project";
import { failure } from "../http/calls";
import { useEmulator } from "../support/use-emulator";
import { clientOf } from "./emulated-client";

const acme = projectsOf("acme");
const mediaType = "application/vnd.api+json";
const document = (name: string): object => ({ data: { type: "projects", attributes: { name } } });
const projectAt = (id: string): Path => path`/projects/${id}`;

describe("ProvisioningClient", () => {
  const emulator = useEmulator();
  let client: ProvisioningClient;

  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
    client = clientOf(emulator);
  });

  const addProject = (name: string): string =>
    emulator.provisioning.addProject({ organization: "acme", name }).id;
  const addProjects = (count: number): string[] =>
    Array.from(
      { length: count },
      (_, index) => emulator.provisioning.addProject({ organization: "acme", name: `project ${index}` }).id,
    );

  const create = (name: string): Promise<z.output<ReturnType<typeof projectKind.shape>>> =>
    client.create({ summary: "create the project", path: acme, kind: projectKind, document: document(name) });

  describe("create", () => {
    it("sends the document and reads the response", async () => {
      const project = await create("payments");
      const [request] = emulator.journal.requests();
      assert.equal(request?.method, "POST");
      assert.equal(request.target, "/api/v2/organizations/acme/projects");
      assert.equal(request.headers["content-type"], mediaType);
      assert.deepEqual(request.body, document("payments"));
      assert.deepEqual(project, {
        id: emulator.inspect().provisioning.projects.find(({ name }) => name === "payments")?.id,
        state: { name: "payments", organization: "acme" },
      });
    });

    it("passes on the service's words when it refuses", async () => {
      addProject("payments");
      const error = await failure(create("payments"));
      assert.ok(ServiceError.isInstance(error));
      assert.equal(error.status, 422);
      assert.match(error.message, /^Could not create the project: POST .* Name has already been taken/);
    });

    it("says which part of a document the service does not accept", async () => {
      const error = await failure(create(12 as never));
      assert.ok(ServiceError.isInstance(error));
      assert.equal(error.status, 422);
      assert.match(error.message, /POST .* returned 422: .*\/data\/attributes\/name/);
      assert.equal(emulator.journal.count(), 1);
    });

    it("is not repeated when it may have been done", async () => {
      emulator.faults.add({ method: "POST", drop: "after" });
      const error = await failure(create("payments"));
      assert.equal(error.mayHaveBeenProcessed, true);
      assert.equal(emulator.journal.count(), 1);
    });

    it("is repeated when it surely was not seen", async () => {
      emulator.faults.add({ method: "POST", status: 429, headers: { "Retry-After": "1" } });
      assert.equal((await create("payments")).state.name, "payments");
      assert.equal(emulator.journal.count(), 2);
    });
  });

  describe("update", () => {
    const rename = (id: string, name: string): ReturnType<typeof create> =>
      client.update({ summary: "rename", path: projectAt(id), kind: projectKind, document: document(name) });

    it("sends the document and reads the response", async () => {
      const id = addProject("payments");
      const project = await rename(id, "billing");
      const [request] = emulator.journal.requests();
      assert.equal(request?.method, "PATCH");
      assert.equal(request.target, `/api/v2/projects/${id}`);
      assert.equal(request.headers["content-type"], mediaType);
      assert.deepEqual(request.body, document("billing"));
      assert.deepEqual(project, {
        id,
        state: {
          name: "billing",
          organization: "acme",
          permissions: { canUpdate: true, canDestroy: true, canCreateWorkspace: true },
        },
      });
    });

    it("refuses a response about another object, which tells nothing of what was done", async () => {
      const id = addProject("payments");
      const request = { summary: "rename", path: projectAt(id), kind: projectKind, id: "prj-other" };
      const error = await failure(client.update({ ...request, document: document("billing") }));
      assert.ok(ContractError.isInstance(error));
      assert.equal(error.at, "data.id");
      assert.equal(error.mayHaveBeenProcessed, true);
    });

    it("is repeated when its response is lost", async () => {
      const id = addProject("payments");
      emulator.faults.add({ method: "PATCH", drop: "after" });
      assert.equal((await rename(id, "billing")).state.name, "billing");
      assert.equal(emulator.journal.count(), 2);
    });
  });

  describe("act", () => {
    const act = (id: string): ReturnType<typeof create> =>
      client.act({ summary: "act", path: path`/projects/${id}/actions/act`, kind: projectKind });

    it("sends the media type although there is no body, and reads the response", async () => {
      const body = { data: { id: "prj-1", type: "projects", attributes: { name: "x" }, relationships: {} } };
      emulator.faults.add({ method: "POST", status: 200, body });
      assert.equal((await act("prj-1")).id, "prj-1");
      const [request] = emulator.journal.requests();
      assert.equal(request?.target, "/api/v2/projects/prj-1/actions/act");
      assert.equal(request.headers["content-type"], mediaType);
      assert.equal(request.body, null);
    });

    it("is not repeated when it may have been done", async () => {
      emulator.faults.add({ method: "POST", drop: "before" });
      await failure(act("prj-1"));
      assert.equal(emulator.journal.count(), 1);
    });
  });

  describe("relate", () => {
    it("sends the document and wants no response, and is repeated when that is lost", async () => {
      const id = addProject("payments");
      const workspace = emulator.provisioning.addWorkspace({ organization: "acme" });
      emulator.faults.add({ method: "POST", drop: "after" });
      const document = { data: [{ type: "workspaces", id: workspace.id }] };
      await client.relate({
        summary: "move the workspace",
        method: "POST",
        path: path`/projects/${id}/relationships/workspaces`,
        document,
      });
      assert.equal(emulator.inspect().provisioning.workspaces[0]?.projectId, id);
      assert.deepEqual(
        emulator.journal
          .requests()
          .map(({ method, headers, body }) => [method, headers["content-type"], body]),
        [
          ["POST", mediaType, document],
          ["POST", mediaType, document],
        ],
      );
    });
  });

  describe("show", () => {
    const show = (id: string): Promise<{ id: string } | undefined> =>
      client.show({ summary: "read the project", path: projectAt(id), kind: projectKind });

    it("reads one", async () => {
      const id = addProject("payments");
      assert.equal((await show(id))?.id, id);
      assert.equal(emulator.journal.requests()[0]?.headers["content-type"], undefined);
    });

    it("refuses a response about another object, and knows an id in another case", async () => {
      const id = addProject("payments");
      const about = (asked: string): Promise<{ id: string } | undefined> =>
        client.show({ summary: "read", path: projectAt(id), kind: projectKind, id: asked });
      const error = await failure(about("prj-other"));
      assert.ok(ContractError.isInstance(error));
      assert.equal(error.at, "data.id");
      assert.equal((await about(id.toUpperCase()))?.id, id);
    });

    it("treats 404 as a response, and nothing else", async () => {
      assert.equal(await show("prj-none"), undefined);
      emulator.provisioning.revokeToken(emulator.provisioning.token);
      const error = await failure(show("prj-none"));
      assert.ok(ServiceError.isInstance(error));
      assert.equal(error.status, 401);
      assert.match(error.message, /PROVISIONING_TOKEN/);
    });

    it("refuses a response that is not as documented, without repeating its values", async () => {
      const body = {
        data: { id: "prj-1", type: "projects", attributes: { name: ["canary"] }, relationships: {} },
      };
      emulator.faults.add({ method: "GET", status: 200, body });
      const error = await failure(show("prj-1"));
      assert.ok(ContractError.isInstance(error));
      assert.equal(error.at, "data.attributes.name");
      assert.doesNotMatch(error.message, /canary/);
    });

    it("refuses an object of another kind", async () => {
      const body = {
        data: { id: "prj-1", type: "workspaces", attributes: { name: "x" }, relationships: {} },
      };
      emulator.faults.add({ method: "GET", status: 200, body });
      const error = await failure(show("prj-1"));
      assert.ok(ContractError.isInstance(error) && error.at === "data.type");
    });

    it("ends when its caller does", async () => {
      const controller = new AbortController();
      client = clientOf(emulator, { signal: controller.signal });
      emulator.faults.add({ method: "GET", delay: "forever" });
      const shown = failure(show("prj-1"));
      controller.abort();
      assert.ok(CancelledError.isInstance(await shown));
    });

    it("tells its caller what it waits for", async () => {
      const lines: string[] = [];
      client = clientOf(emulator, { progress: (line) => lines.push(line) });
      emulator.faults.add({ method: "GET", status: 429, headers: { "Retry-After": "7" } });
      await show("prj-1");
      assert.equal(lines.length, 1);
      assert.match(lines[0] ?? "", /^rate limited, waiting \d/);
    });
  });

  describe("list", () => {
    const list = (query = {}): ReturnType<typeof client.list<Awaited<ReturnType<typeof create>>>> =>
      client.list({ summary: "list the projects", path: acme, kind: projectKind, query });

    it("reads further pages only as far as somebody looks", async () => {
      addProjects(250);
      for await (const { state } of list()) {
        if (state.name === "project 120") {
          break;
        }
      }
      assert.deepEqual(
        emulator.journal.requests().map(({ query }) => [query["page[number]"], query["page[size]"]]),
        [
          ["1", "100"],
          ["2", "100"],
        ],
      );
    });

    it("reads all of them, with the query on every page", async () => {
      addProjects(150);
      const names: string[] = [];
      for await (const { state } of list({ q: "PROJECT", "filter[names]": undefined })) {
        names.push(state.name ?? "");
      }
      assert.deepEqual(names, [
        "Default Project",
        ...Array.from({ length: 150 }, (_, index) => `project ${index}`),
      ]);
      assert.deepEqual(
        emulator.journal.requests().map(({ query }) => query.q),
        ["PROJECT", "PROJECT"],
      );
    });

    it("says which object of which page is not as documented", async () => {
      const good = { id: "prj-1", type: "projects", attributes: { name: "good" }, relationships: {} };
      const body = { data: [good, { ...good, id: "prj-2", attributes: {} }] };
      emulator.faults.add({ method: "GET", status: 200, body });
      const error = await failure(list().next());
      assert.ok(ContractError.isInstance(error));
      assert.equal(error.at, "data[1].attributes.name");
    });
  });

  describe("listIfThere", () => {
    const listIfThere = (list: Path): Promise<readonly { id: string }[] | undefined> =>
      client.listIfThere({ summary: "list the projects", path: list, kind: projectKind });

    it("reads all pages, and tells an empty list from none", async () => {
      addProjects(120);
      assert.equal((await listIfThere(acme))?.length, 121);
      emulator.faults.add({ method: "GET", status: 200, body: { data: [] } });
      assert.deepEqual(await listIfThere(acme), []);
      assert.equal(await listIfThere(projectsOf("none")), undefined);
    });

    it("treats no other error as absence", async () => {
      emulator.faults.add({ method: "GET", status: 403 });
      assert.ok(ServiceError.isInstance(await failure(listIfThere(acme))));
    });
  });

  describe("listAll", () => {
    const listAll = (): Promise<{
      items: readonly unknown[];
      meta: { "status-counts": { total: number } };
    }> =>
      client.listAll({
        summary: "list the projects",
        path: acme,
        kind: projectKind,
        meta: () => z.object({ "status-counts": z.object({ total: z.number() }) }),
      });

    it("reads all pages and what the service says of the whole", async () => {
      addProjects(250);
      const { items, meta } = await listAll();
      assert.equal(items.length, 251, "every organization has a project from the start");
      assert.deepEqual(meta, { "status-counts": { total: 251 } });
      assert.equal(emulator.journal.count(), 3);
    });

    it("refuses a list that lacks what it has to say", async () => {
      emulator.faults.add({ method: "GET", status: 200, body: { data: [] } });
      const error = await failure(listAll());
      assert.ok(ContractError.isInstance(error));
      assert.equal(error.at, "meta.status-counts");
    });
  });
});
