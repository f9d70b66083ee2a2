import assert from "node:assert/strict";
import { startEmulator } from "../../../sdk/testing";
import { useEmulator } from "../../support/use-emulator";
import { at, call, textAt, type CallOptions, type Reply } from "../call";

describe("the emulator's projects", () => {
  const emulator = useEmulator();
  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
  });

  const ask = async (method: string, path: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "provisioning", method, `/api/v2${path}`, options);
  const named = (name: unknown) => ({ data: { type: "projects", attributes: { name } } });
  const create = async (name: unknown, organization = "acme"): Promise<Reply> =>
    ask("POST", `/organizations/${organization}/projects`, { body: named(name) });
  const createdId = async (name: string): Promise<string> => textAt((await create(name)).body, "data", "id");
  const projects = () => emulator.inspect().provisioning.projects;
  const namesIn = (reply: Reply): unknown[] => {
    const data = at(reply.body, "data");
    assert.ok(Array.isArray(data), JSON.stringify(reply.body));
    return data.map((item: unknown) => at(item, "attributes", "name"));
  };
  const assertError = (reply: Reply, status: number, detail: RegExp, source?: unknown): void => {
    assert.equal(reply.status, status, JSON.stringify(reply.body));
    assert.equal(reply.headers.get("content-type"), "application/vnd.api+json");
    assert.equal(at(reply.body, "errors", "length"), 1);
    assert.equal(at(reply.body, "errors", 0, "status"), String(status));
    assert.notEqual(textAt(reply.body, "errors", 0, "title"), "");
    assert.match(textAt(reply.body, "errors", 0, "detail"), detail);
    assert.deepEqual(at(reply.body, "errors", 0, "source"), source);
  };

  describe("create", () => {
    const pointer = { pointer: "/data/attributes/name" };
    const refusedNames: readonly [string, unknown, RegExp][] = [
      ["shorter than 3", "ab", /3 to 36/],
      ["longer than 36", "a".repeat(37), /3 to 36/],
      ["a dot", "a.b", /letters, digits/],
      ["a line break", "web\nsite", /letters, digits/],
      ["nothing", "", /blank/],
      ["null", null, /blank/],
      ["a number", 12345, /string/],
    ];
    for (const [what, name, detail] of refusedNames) {
      it(`refuses a name with ${what}`, async () => {
        assertError(await create(name), 422, detail, pointer);
        assert.equal(projects().length, 1);
      });
    }

    it("keeps to another limit when told so", async () => {
      const wider = await startEmulator({ provisioning: { projectNameLimit: 40 } });
      wider.provisioning.addOrganization({ name: "acme" });
      const target = "/api/v2/organizations/acme/projects";
      const longest = await call(wider, "provisioning", "POST", target, { body: named("a".repeat(40)) });
      const longer = await call(wider, "provisioning", "POST", target, { body: named("a".repeat(41)) });
      await wider.close();
      assert.equal(longest.status, 201);
      assertError(longer, 422, /3 to 40/, pointer);
    });
  });

  describe("update", () => {
    for (const [what, body] of [
      ["without a name", { data: { type: "projects", attributes: {} } }],
      ["without attributes", { data: { type: "projects" } }],
      ["with the same name", named("web")],
    ] as const) {
      it(`changes nothing ${what}`, async () => {
        const id = await createdId("web");
        const reply = await ask("PATCH", `/projects/${id}`, { body });
        assert.equal(reply.status, 200);
        assert.equal(at(reply.body, "data", "attributes", "name"), "web");
      });
    }
  });

  describe("delete", () => {
    it("refuses the default project", async () => {
      const [id] = projects().map((project) => project.id);
      assertError(await ask("DELETE", `/projects/${id}`), 403, /default project/);
      const shown = await ask("GET", `/projects/${id}`);
      assert.equal(at(shown.body, "data", "attributes", "permissions", "can-destroy"), false);
    });
  });

  describe("list", () => {
    const list = async (query = "", options?: CallOptions): Promise<Reply> =>
      ask("GET", `/organizations/acme/projects${query}`, options);

    it("understands brackets encoded or not", async () => {
      for (const name of ["one", "two", "three"]) {
        await create(name);
      }
      assert.deepEqual(namesIn(await list("?page%5Bsize%5D=1&page%5Bnumber%5D=2")), ["one"]);
      assert.deepEqual(namesIn(await list("?page[size]=1&page[number]=2")), ["one"]);
    });

    it("says how long its pages are, 20 by default", async () => {
      for (const [query, size] of [
        ["", 20],
        ["?page[size]=7", 7],
      ] as const) {
        assert.equal(at((await list(query)).body, "meta", "pagination", "page-size"), size);
      }
    });

    for (const query of [
      "page[number]=0",
      "page[size]=0",
      "page[size]=-1",
      "page[number]=x",
      "page[size]=",
    ]) {
      it(`refuses ${query}`, async () => {
        const [parameter] = query.split("=");
        assertError(await list(`?${query}`), 400, /whole number/, { parameter });
      });
    }

    it("refuses unknown and repeated parameters", async () => {
      assertError(await list("?sort=name"), 400, /unknown/, { parameter: "sort" });
      assertError(await list("?q=a&q=b"), 400, /more than once/, { parameter: "q" });
      assertError(await list("?filter[name]=a"), 400, /unknown/, { parameter: "filter[name]" });
    });
  });

  describe("moving workspaces", () => {
    const move = async (projectId: string, ids: readonly string[], options?: CallOptions): Promise<Reply> =>
      ask("POST", `/projects/${projectId}/relationships/workspaces`, {
        body: { data: ids.map((id) => ({ type: "workspaces", id })) },
        ...options,
      });

    const bodies: readonly [unknown, string][] = [
      [{ data: { type: "workspaces", id: "ws-1" } }, "/data"],
      [{ data: ["ws-1"] }, "/data/0"],
      [{ data: [{ type: "workspace", id: "ws-1" }] }, "/data/0/type"],
      [{ data: [{ type: "workspaces" }] }, "/data/0/id"],
      [{ data: [{ type: "workspaces", id: "ws-1", attributes: {} }] }, "/data/0/attributes"],
    ];
    for (const [body, pointer] of bodies) {
      it(`refuses ${JSON.stringify(body)}`, async () => {
        const projectId = await createdId("web");
        assertError(await move(projectId, [], { body }), 422, /./, { pointer });
      });
    }
  });

  describe("behind a program's back", () => {
    it("renames and removes projects", async () => {
      const id = await createdId("web");
      const { id: workspaceId } = emulator.provisioning.addWorkspace({
        organization: "acme",
        project: "web",
      });
      assert.equal(emulator.provisioning.changeProject(id, { name: "x" }).name, "x");
      assert.equal(at((await ask("GET", `/projects/${id}`)).body, "data", "attributes", "name"), "x");
      emulator.provisioning.removeProject(id);
      assert.equal((await ask("GET", `/projects/${id}`)).status, 404);
      const { workspaces, organizations } = emulator.inspect().provisioning;
      assert.deepEqual(
        workspaces.map((workspace) => [workspace.id, workspace.projectId]),
        [[workspaceId, organizations[0]?.defaultProjectId]],
      );
    });
  });
});
