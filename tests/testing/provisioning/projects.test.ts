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
    it("answers 201 with the resource, of whose permissions only can-update is there", async () => {
      const reply = await create("web");
      assert.equal(reply.status, 201);
      assert.equal(reply.headers.get("content-type"), "application/vnd.api+json");
      const id = textAt(reply.body, "data", "id");
      assert.match(id, /^prj-[A-Za-z0-9]{16}$/);
      assert.deepEqual(reply.body, {
        data: {
          id,
          type: "projects",
          attributes: { name: "web", permissions: { "can-update": true } },
          relationships: {
            organization: {
              data: { id: "acme", type: "organizations" },
              links: { related: "/api/v2/organizations/acme" },
            },
          },
          links: { self: `/api/v2/projects/${id}` },
        },
      });
      assert.deepEqual(projects().at(-1), { id, name: "web", organization: "acme", isDefault: false });
    });

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
    for (const name of [
      "abc",
      "a".repeat(36),
      "A-b_c 9",
      "-web_",
      "größe",
      "\u{10400}".repeat(36),
      " web ",
    ]) {
      it(`accepts the name ${JSON.stringify(name)}`, async () => {
        assert.equal((await create(name)).status, 201);
      });
    }

    it("refuses a name that is taken in the organization, but not in another one", async () => {
      emulator.provisioning.addOrganization({ name: "other" });
      await create("web");
      assertError(await create("web"), 422, /^Name has already been taken$/, pointer);
      assert.equal((await create("web", "other")).status, 201);
    });

    const refusedBodies: readonly [string, unknown, number, string | undefined][] = [
      ["no body", undefined, 422, ""],
      ["no JSON", "{", 400, undefined],
      ["a list", [], 422, ""],
      ["no data", {}, 422, "/data"],
      ["a list as data", { data: [] }, 422, "/data"],
      ["null as data", { data: null }, 422, "/data"],
      ["an unknown member", { ...named("web"), meta: {} }, 422, "/meta"],
      ["an unknown member of data", { data: { ...named("web").data, links: {} } }, 422, "/data/links"],
      ["an id", { data: { ...named("web").data, id: "prj-1" } }, 422, "/data/id"],
      ["no type", { data: { attributes: { name: "web" } } }, 422, "/data/type"],
      ["another type", { data: { ...named("web").data, type: "project" } }, 422, "/data/type"],
      ["no attributes", { data: { type: "projects" } }, 422, "/data/attributes/name"],
      [
        "attributes of a wrong type",
        { data: { type: "projects", attributes: "web" } },
        422,
        "/data/attributes",
      ],
      [
        "an unknown attribute",
        { data: { type: "projects", attributes: { name: "web", description: "x" } } },
        422,
        "/data/attributes/description",
      ],
    ];
    for (const [what, body, status, place] of refusedBodies) {
      it(`refuses a body with ${what}`, async () => {
        const reply = await ask("POST", "/organizations/acme/projects", { body });
        assertError(reply, status, /./, place === undefined ? undefined : { pointer: place });
        assert.equal(projects().length, 1);
      });
    }

    it("answers 404 for an unknown organization", async () => {
      assertError(await create("web", "nobody"), 404, /may not/);
    });

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

  describe("show", () => {
    it("answers 200 with all three permissions", async () => {
      const id = await createdId("web");
      const reply = await ask("GET", `/projects/${id}`);
      assert.equal(reply.status, 200);
      assert.deepEqual(at(reply.body, "data", "attributes"), {
        name: "web",
        permissions: { "can-update": true, "can-destroy": true, "can-create-workspace": true },
      });
      assert.equal(at(reply.body, "data", "relationships", "organization", "data", "id"), "acme");
    });

    it("answers 404 for an unknown one", async () => {
      assertError(await ask("GET", "/projects/prj-0000000000000000"), 404, /may not/);
    });

    it("refuses any query", async () => {
      const id = await createdId("web");
      assertError(await ask("GET", `/projects/${id}?include=x`), 400, /include/, { parameter: "include" });
    });
  });

  describe("update", () => {
    it("renames, and answers 200 with all three permissions", async () => {
      const id = await createdId("web");
      const reply = await ask("PATCH", `/projects/${id}`, { body: named("api") });
      assert.equal(reply.status, 200);
      assert.equal(at(reply.body, "data", "attributes", "name"), "api");
      assert.equal(at(reply.body, "data", "attributes", "permissions", "can-create-workspace"), true);
      assert.equal(projects().find((project) => project.id === id)?.name, "api");
    });

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

    it("accepts the id of the path in the body, and no other", async () => {
      const id = await createdId("web");
      const withId = (other: string) => ({ body: { data: { ...named("api").data, id: other } } });
      assert.equal((await ask("PATCH", `/projects/${id}`, withId(id))).status, 200);
      assertError(await ask("PATCH", `/projects/${id}`, withId("prj-x")), 422, /differs/, {
        pointer: "/data/id",
      });
    });

    it("applies the rules for names", async () => {
      await create("api");
      const id = await createdId("web");
      const pointer = { pointer: "/data/attributes/name" };
      assertError(await ask("PATCH", `/projects/${id}`, { body: named("api") }), 422, /taken/, pointer);
      assertError(await ask("PATCH", `/projects/${id}`, { body: named("a!") }), 422, /3 to 36/, pointer);
      assertError(await ask("PATCH", `/projects/${id}`, { body: named(null) }), 422, /blank/, pointer);
      assert.equal(projects().find((project) => project.id === id)?.name, "web");
    });

    it("answers 404 for an unknown one, also when the body is wrong", async () => {
      assertError(await ask("PATCH", "/projects/prj-x", { body: named("!") }), 404, /may not/);
    });
  });

  describe("delete", () => {
    it("answers 204 without a body, and then 404", async () => {
      const id = await createdId("web");
      const reply = await ask("DELETE", `/projects/${id}`);
      assert.equal(reply.status, 204);
      assert.equal(reply.body, "");
      assert.equal(reply.headers.get("content-length"), null);
      assertError(await ask("DELETE", `/projects/${id}`), 404, /may not/);
      assertError(await ask("GET", `/projects/${id}`), 404, /may not/);
    });

    it("refuses one that holds workspaces, until they are elsewhere", async () => {
      const id = await createdId("web");
      const workspace = emulator.provisioning.addWorkspace({ organization: "acme", project: id });
      assertError(await ask("DELETE", `/projects/${id}`), 403, /contains 1 workspace/);
      emulator.provisioning.moveWorkspace(workspace.id, "Default Project");
      assert.equal((await ask("DELETE", `/projects/${id}`)).status, 204);
    });

    it("refuses the default project", async () => {
      const [id] = projects().map((project) => project.id);
      assertError(await ask("DELETE", `/projects/${id}`), 403, /default project/);
      const shown = await ask("GET", `/projects/${id}`);
      assert.equal(at(shown.body, "data", "attributes", "permissions", "can-destroy"), false);
    });

    it("refuses a body", async () => {
      const id = await createdId("web");
      assertError(await ask("DELETE", `/projects/${id}`, { body: {} }), 400, /no body/);
      assert.equal(projects().length, 2);
    });
  });

  describe("list", () => {
    const list = async (query = "", options?: CallOptions): Promise<Reply> =>
      ask("GET", `/organizations/acme/projects${query}`, options);

    it("shows the default project of a new organization", async () => {
      const reply = await list();
      assert.equal(reply.status, 200);
      assert.deepEqual(namesIn(reply), ["Default Project"]);
      assert.deepEqual(at(reply.body, "meta", "status-counts"), { total: 1, matching: 1 });
    });

    it("has 20 to a page unless told otherwise, and absolute links that lead through all", async () => {
      for (let number = 1; number <= 44; number++) {
        emulator.provisioning.addProject({ organization: "acme", name: `project ${number}` });
      }
      const url = `${emulator.provisioning.address}/api/v2/organizations/acme/projects`;
      const page = (number: number): string => `${url}?page%5Bnumber%5D=${number}&page%5Bsize%5D=20`;
      const first = await list();
      assert.deepEqual(at(first.body, "links"), {
        self: page(1),
        first: page(1),
        prev: null,
        next: page(2),
        last: page(3),
      });
      assert.deepEqual(at(first.body, "meta", "pagination"), {
        "current-page": 1,
        "page-size": 20,
        "prev-page": null,
        "next-page": 2,
        "total-pages": 3,
        "total-count": 45,
      });
      const seen = new Set(namesIn(first));
      let next = at(first.body, "links", "next");
      let last = first;
      while (typeof next === "string") {
        last = await call(emulator, "provisioning", "GET", next.slice(emulator.provisioning.address.length));
        for (const name of namesIn(last)) {
          seen.add(name);
        }
        next = at(last.body, "links", "next");
      }
      assert.equal(seen.size, 45);
      assert.equal(namesIn(last).length, 5);
      assert.equal(at(last.body, "links", "prev"), page(2));
      assert.equal(at(last.body, "meta", "pagination", "next-page"), null);
    });

    it("understands brackets encoded or not", async () => {
      for (const name of ["one", "two", "three"]) {
        await create(name);
      }
      assert.deepEqual(namesIn(await list("?page%5Bsize%5D=1&page%5Bnumber%5D=2")), ["one"]);
      assert.deepEqual(namesIn(await list("?page[size]=1&page[number]=2")), ["one"]);
    });

    it("clamps the page size to 100", async () => {
      for (let number = 1; number <= 100; number++) {
        emulator.provisioning.addProject({ organization: "acme", name: `project ${number}` });
      }
      const reply = await list("?page[size]=5000");
      assert.equal(namesIn(reply).length, 100);
      assert.equal(at(reply.body, "meta", "pagination", "page-size"), 100);
      assert.match(textAt(reply.body, "links", "next"), /[?&]page%5Bsize%5D=100(&|$)/);
    });

    it("answers an empty page beyond the last", async () => {
      const reply = await list("?page[number]=999");
      assert.equal(reply.status, 200);
      assert.deepEqual(namesIn(reply), []);
      assert.equal(at(reply.body, "meta", "pagination", "current-page"), 999);
      assert.equal(at(reply.body, "links", "next"), null);
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

    const filters: readonly [string, readonly string[]][] = [
      ["q=WEB", ["web", "Web shop"]],
      ["q=nothing", []],
      ["filter[names]=WEB", ["web"]],
      ["filter%5Bnames%5D=api,web%20shop,missing", ["Web shop", "api"]],
      ["filter[names]=api&q=web", ["api"]],
      ["filter[names]=", []],
    ];
    for (const [query, expected] of filters) {
      it(`narrows by ${query}`, async () => {
        for (const name of ["web", "Web shop", "api"]) {
          await create(name);
        }
        const reply = await list(`?${query}`);
        assert.deepEqual(namesIn(reply), expected);
        assert.deepEqual(at(reply.body, "meta", "status-counts"), { total: 4, matching: expected.length });
        assert.equal(at(reply.body, "meta", "pagination", "total-count"), expected.length);
      });
    }

    it("keeps the filter in the links", async () => {
      await create("web");
      const reply = await list("?q=web");
      assert.match(textAt(reply.body, "links", "self"), /\?q=web&page%5Bnumber%5D=1&page%5Bsize%5D=20$/);
    });

    it("narrows by what the caller may do, whatever the value of the filter", async () => {
      const updatable = await createdId("updatable");
      const usable = await createdId("usable");
      const token = emulator.provisioning.addToken({
        access: "read",
        projects: { [updatable]: { updateProjects: true }, [usable]: { createWorkspaces: true } },
      });
      assert.deepEqual(namesIn(await list("?filter[permissions][update]", { token })), ["updatable"]);
      assert.deepEqual(namesIn(await list("?filter[permissions][create-workspace]=true", { token })), [
        "usable",
      ]);
      const both = "?filter[permissions][create-workspace]=1&filter[permissions][update]=1";
      const reply = await list(both, { token });
      assert.deepEqual(namesIn(reply), []);
      assert.deepEqual(at(reply.body, "meta", "status-counts"), { total: 3, matching: 0 });
    });

    it("answers 404 for an unknown organization", async () => {
      assertError(await ask("GET", "/organizations/nobody/projects"), 404, /may not/);
    });
  });

  describe("moving workspaces", () => {
    const move = async (projectId: string, ids: readonly string[], options?: CallOptions): Promise<Reply> =>
      ask("POST", `/projects/${projectId}/relationships/workspaces`, {
        body: { data: ids.map((id) => ({ type: "workspaces", id })) },
        ...options,
      });
    const projectOf = (id: string): string | undefined =>
      emulator.inspect().provisioning.workspaces.find((workspace) => workspace.id === id)?.projectId;

    it("moves them and answers 204, also those that are there already", async () => {
      const projectId = await createdId("web");
      const ids = [1, 2].map(() => emulator.provisioning.addWorkspace({ organization: "acme" }).id);
      assert.equal((await move(projectId, ids)).status, 204);
      assert.equal((await move(projectId, ids)).status, 204);
      assert.deepEqual(ids.map(projectOf), [projectId, projectId]);
    });

    it("moves none when one of them does not exist or belongs to another organization", async () => {
      emulator.provisioning.addOrganization({ name: "other" });
      const projectId = await createdId("web");
      const { id, projectId: before } = emulator.provisioning.addWorkspace({ organization: "acme" });
      const foreign = emulator.provisioning.addWorkspace({ organization: "other" }).id;
      for (const wrong of ["ws-0000000000000000", foreign]) {
        assertError(await move(projectId, [id, wrong]), 403, new RegExp(`: ${wrong}\\.$`));
      }
      assert.equal(projectOf(id), before);
    });

    it("needs the right on the project that they leave (403) and on the one that they enter (404)", async () => {
      const projectId = await createdId("web");
      const { id, projectId: source } = emulator.provisioning.addWorkspace({ organization: "acme" });
      const onlySource = emulator.provisioning.addToken({
        access: "full",
        projects: { [projectId]: "read" },
      });
      const onlyTarget = emulator.provisioning.addToken({ access: "full", projects: { [source]: "read" } });
      assertError(await move(projectId, [id], { token: onlySource }), 404, /may not/);
      assertError(await move(projectId, [id], { token: onlyTarget }), 403, new RegExp(id));
      assert.equal(projectOf(id), source);
    });

    it("answers 404 for an unknown project", async () => {
      assertError(await move("prj-0000000000000000", []), 404, /may not/);
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

    it("throws for what does not exist", () => {
      assert.throws(() => emulator.provisioning.changeProject("prj-x", { name: "x" }), /no project "prj-x"/);
      assert.throws(() => emulator.provisioning.removeProject("prj-x"), /no project "prj-x"/);
      assert.throws(
        () => emulator.provisioning.addProject({ organization: "nobody", name: "x" }),
        /no organization "nobody"/,
      );
    });
  });
});
