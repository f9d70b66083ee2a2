import assert from "node:assert/strict";
import type { EmulatorSeed } from "../../../sdk/testing";
import { useEmulator } from "../../support/use-emulator";
import { assertResponses, at, call, textAt } from "../call";

const seed: EmulatorSeed = {
  organizations: [{ name: "acme", defaultProjectId: "prj-default", ownerIds: ["user-1"] }],
  users: [{ id: "user-1", username: "alice" }],
  projects: ["web", "api"].map((name) => ({ id: `prj-${name}`, organization: "acme", name })),
  workspaces: [{ id: "ws-1", organization: "acme" }],
};
const projects = "/api/v2/organizations/acme/projects";
const admin = "/api/v2/admin/organizations";
const named = (name: unknown) => ({ data: { type: "projects", attributes: { name } } });

describe("the emulator's provisioning service", () => {
  const emulator = useEmulator({ seed, provisioning: { projectNameLimit: 38 } });
  const get = async (path: string): Promise<unknown> =>
    (await call(emulator, "provisioning", "GET", path)).body;

  it("the emulated provisioning service accepts only bearer tokens, until they are revoked or rotated", async () => {
    const { provisioning } = emulator;
    const { token } = provisioning;
    const statusFor = async (Authorization: string, method = "GET"): Promise<number> => {
      const options = { token: null, headers: { Authorization } };
      return (await call(emulator, "provisioning", method, "/api/v2/projects/prj-web", options)).status;
    };
    for (const authorization of [token, `Basic ${token}`, `Bearer ${token} x`]) {
      assert.equal(await statusFor(authorization), 401, authorization);
    }
    assert.equal(await statusFor(`bearer ${token}`), 200);
    const reader = provisioning.addToken({ access: "read" });
    const successor = provisioning.rotateToken(reader);
    assert.equal(await statusFor(`Bearer ${reader}`), 401);
    assert.equal(await statusFor(`Bearer ${successor}`), 200);
    assert.equal(await statusFor(`Bearer ${successor}`, "DELETE"), 404);
    provisioning.revokeToken(successor);
    assert.equal(await statusFor(`Bearer ${successor}`), 401);
  });

  it("the emulated provisioning service rejects requests that break a rule, and names the place in the request", async () => {
    const before = emulator.inspect();
    const name = (detail: string): RegExp => new RegExp(`^/data/attributes/name Name .*${detail}`);
    const workspaces = "POST /api/v2/projects/prj-web/relationships/workspaces";
    await assertResponses(emulator, "provisioning", [
      [`POST ${projects}`, named("ab"), 422, name("3 to 38")],
      [`POST ${projects}`, named("a".repeat(39)), 422, name("3 to 38")],
      [`POST ${projects}`, named("a.b"), 422, name("letters, digits")],
      [`POST ${projects}`, named(""), 422, name("blank")],
      [`POST ${projects}`, named(12345), 422, name("string")],
      ["DELETE /api/v2/projects/prj-default", undefined, 403, /default project/],
      [`GET ${projects}?page[number]=0`, undefined, 400, /^\?page\[number\] .*whole number/],
      [`GET ${projects}?sort=name`, undefined, 400, /^\?sort .*unknown/],
      [`GET ${projects}?q=a&q=b`, undefined, 400, /^\?q .*more than once/],
      [workspaces, { data: { type: "workspaces", id: "ws-1" } }, 422, /^\/data /],
      [workspaces, { data: [{ type: "workspace", id: "ws-1" }] }, 422, /^\/data\/0\/type /],
      [workspaces, { data: [{ type: "workspaces" }] }, 422, /^\/data\/0\/id /],
      [workspaces, { data: [{ type: "workspaces", id: "ws-1", x: 1 }] }, 422, /^\/data\/0\/x /],
      [`GET ${admin}/acme?include=users`, undefined, 400, /^\?include .*owners/],
      [`GET ${admin}/acme?q=a`, undefined, 400, /^\?q .*unknown/],
      [`GET ${admin}?filter[module_producer]=yes`, undefined, 400, /^\?filter\[module_.*true or false/],
      [`PATCH ${admin}/acme/relationships/provider-consumers`, { data: [] }, 405],
    ]);
    assert.deepEqual(emulator.inspect(), before);
    const shown = await get("/api/v2/projects/prj-default");
    assert.equal(at(shown, "data", "attributes", "permissions", "can-destroy"), false);
  });

  it("the emulated provisioning service changes nothing by an update without a name, without attributes or with the same name", async () => {
    const before = emulator.inspect();
    const request = "PATCH /api/v2/projects/prj-web";
    const type = "projects";
    const bodies = [{ data: { type, attributes: {} } }, { data: { type } }, named("web")];
    const exchanges = bodies.map((body) => [request, body, 200] as const);
    await assertResponses(emulator, "provisioning", exchanges);
    assert.deepEqual(emulator.inspect(), before);
  });

  it("the emulated provisioning service returns pages of 20 by default, and accepts encoded and plain brackets", async () => {
    const sizeOf = async (query: string) =>
      at(await get(projects + query), "meta", "pagination", "page-size");
    assert.deepEqual([await sizeOf(""), await sizeOf("?page[size]=7")], [20, 7]);
    for (const query of ["?page%5Bsize%5D=1&page%5Bnumber%5D=2", "?page[size]=1&page[number]=2"]) {
      const data = at(await get(projects + query), "data");
      assert.deepEqual([at(data, "length"), at(data, 0, "attributes", "name")], [1, "web"]);
    }
  });
});

describe("the emulator's provisioning service, where the documentation is not formal", () => {
  const emulator = useEmulator({ seed });
  const send = (method: string, path: string, body?: unknown, options: object = {}) =>
    call(emulator, "provisioning", method, path, { body, ...options });

  it("requests without a body do not require a Content-Type, as documented for verifications and deletions", async () => {
    const { id } = emulator.provisioning.addNotificationConfiguration({
      workspace: "ws-1",
      name: "mails",
      destinationType: "email",
    });
    const path = `/api/v2/notification-configurations/${id}`;
    const plain = { contentType: null };
    assert.equal((await send("POST", `${path}/actions/verify`, undefined, plain)).status, 200);
    assert.equal((await send("DELETE", path, undefined, plain)).status, 204);
    assert.equal((await send("POST", projects, named("third"), plain)).status, 415);
  });

  it("a page has as many items as the request asks for", async () => {
    for (let index = 0; index < 120; index++) {
      emulator.provisioning.addProject({ organization: "acme", name: `project ${index}` });
    }
    const page = (await send("GET", `${projects}?page[size]=150`)).body;
    assert.deepEqual([at(page, "data", "length"), at(page, "meta", "pagination", "page-size")], [123, 150]);
  });

  it("two projects can have the same name, unless an option forbids it", async () => {
    assert.equal((await send("POST", projects, named("web"))).status, 201);
  });

  it("a member that only another destination type uses is accepted", async () => {
    const users = { data: [{ type: "users", id: "user-1" }] };
    const configuration = (attributes: object, relationships: object) => ({
      data: { type: "notification-configuration", attributes: { name: "x", ...attributes }, relationships },
    });
    const url = "http://127.0.0.1:9/";
    const path = "/api/v2/workspaces/ws-1/notification-configurations";
    emulator.provisioning.addUser({ id: "user-2", username: "bob", organization: "acme" });
    users.data = [{ type: "users", id: "user-2" }];
    const mail = await send(
      "POST",
      path,
      configuration({ "destination-type": "email", url, token: "key" }, {}),
    );
    assert.equal(mail.status, 201);
    assert.equal(at(mail.body, "data", "attributes", "url"), url);
    const chat = await send(
      "POST",
      path,
      configuration({ "destination-type": "chat-a", url, token: "k" }, { users }),
    );
    assert.equal(chat.status, 201);
    assert.deepEqual(at(chat.body, "data", "relationships", "users", 0, "id"), "user-2");
  });
});

describe("an emulated provisioning service with an option that rejects requests", () => {
  const emulator = useEmulator({ seed, provisioning: { uniqueProjectNames: true } });

  it("a second project with the same name is rejected if the option requires that", () =>
    assertResponses(emulator, "provisioning", [
      [`POST ${projects}`, named("web"), 422, /Name has already been taken/],
    ]));
});

describe("the emulator's provisioning service in the hashicorp dialect", () => {
  const dialect = { provisioning: "hashicorp" } as const;
  const frozenAt = new Date("2030-01-01T00:00:00.250Z");
  const emulator = useEmulator({ dialect, frozenAt, seed });
  const limited = useEmulator({ dialect, frozenAt, provisioning: { requestsPerSecond: 2 } });

  it("the emulated provisioning service rejects other names and timeouts, and ignores unknown members", async () => {
    const timeout = { data: { type: "organizations", attributes: { "plan-timeout": "soon" } } };
    await assertResponses(emulator, "provisioning", [
      [`POST ${projects}`, named("größe"), 422, /Name can only/],
      [`POST ${projects}`, named(" web"), 422, /Name must not/],
      [`POST ${projects}`, named("a".repeat(41)), 422, /3 to 40/],
      [`PATCH ${admin}/acme`, timeout, 422, /^\/data\/attributes\/plan-timeout /],
    ]);
    const data = { type: "projects", attributes: { name: "new", unknown: 1 }, relationships: { x: {} } };
    const send = async (method: string, path: string, body?: unknown): Promise<unknown> =>
      at((await call(emulator, "provisioning", method, path, { body })).body, "data");
    const created = await send("POST", projects, { data, meta: {} });
    assert.equal(at(created, "attributes", "unknown"), undefined);
    assert.deepEqual(await send("GET", `/api/v2/projects/${textAt(created, "id")}?unknown=1`), created);
  });

  it("projects are listed by name, and selected by a tag with any value or one value", async () => {
    const { provisioning } = emulator;
    provisioning.addProject({ organization: "acme", name: "tagged", tags: { team: "core" } });
    const listed = async (query: string): Promise<unknown> => {
      const { body } = await call(emulator, "provisioning", "GET", projects + query);
      return (at(body, "data") as unknown[]).map((each) => at(each, "attributes", "name"));
    };
    assert.deepEqual(await listed(""), ["api", "Default Project", "tagged", "web"]);
    const key = "?filter[tagged][0][key]=team";
    assert.deepEqual(await listed(key), ["tagged"]);
    assert.deepEqual(await listed(`${key}&filter[tagged][0][value]=`), ["tagged"]);
    assert.deepEqual(await listed(`${key}&filter[tagged][0][value]=web`), []);
  });

  it("a workspace is read and moved as the products' own client does it", async () => {
    const project = { data: { type: "projects", id: "prj-web" } };
    const data = { type: "workspaces", id: "ws-1", relationships: { project } };
    const path = "/api/v2/workspaces/ws-1";
    assert.equal((await call(emulator, "provisioning", "PATCH", path, { body: { data } })).status, 200);
    const { body } = await call(emulator, "provisioning", "GET", path);
    assert.equal(at(body, "data", "relationships", "project", "data", "id"), "prj-web");
  });

  // go-tfe 1.111.2: organization.go; organizations.mdx of web-unified-docs.
  it("an organization can be read with its default project by tokens with access", async () => {
    const path = "/api/v2/organizations/acme";
    const { body } = await call(emulator, "provisioning", "GET", path);
    const data = at(body, "data");
    assert.deepEqual([at(data, "id"), at(data, "attributes", "name")], ["acme", "acme"]);
    assert.match(textAt(data, "relationships", "default-project", "data", "id"), /^prj-/);
    const token = emulator.provisioning.addToken({ access: "none" });
    assert.equal((await call(emulator, "provisioning", "GET", path, { token })).status, 404);
  });

  // go-tfe 1.111.2: projects_integration_test.go, "when agent pool and execution mode setting overwrites do not match".
  it("contradictory settings of a project are rejected", async () => {
    const sent = (attributes: object) => ({ data: { type: "projects", attributes } });
    const overwrites = (mode: unknown, pool: unknown) => ({
      "setting-overwrites": { "default-execution-mode": mode, "default-agent-pool": pool },
    });
    const agent = { "default-execution-mode": "agent", "default-agent-pool-id": "apool-1" };
    const unserved = /The emulator of pulumi-trivium does not implement/;
    for (const [method, path] of [
      ["POST", projects],
      ["PATCH", "/api/v2/projects/prj-web"],
    ] as const) {
      const send = (attributes: object, status: number, error: RegExp) =>
        assertResponses(emulator, "provisioning", [
          [`${method} ${path}`, sent({ name: "another", ...attributes }), status, error],
        ]);
      await send({ ...agent, ...overwrites(true, false) }, 422, /values must be the same\.$/);
      await send({ "setting-overwrites": "x" }, 422, /setting-overwrites/);
      await send(overwrites("x", "x"), 422, /setting-overwrites/);
      await send({ ...agent, ...overwrites(false, false) }, 501, unserved);
      await send(overwrites(true, true), 501, unserved);
    }
  });

  it("a path that the emulator does not serve is rejected with an error that names the path", () => {
    const unserved = /The emulator of pulumi-trivium does not implement \w+ \/api/;
    return assertResponses(emulator, "provisioning", [
      ["GET /api/v2/workspaces/ws-1/vars", undefined, 501, unserved],
      ["POST /api/v2/runs", {}, 501, unserved],
      ["GET /api/registry/v1/modules", undefined, 501, unserved],
    ]);
  });

  for (const [title, limit, status] of [
    ["nobody reaches it by default", 30, 200],
    ["counts each token by itself, until the second is over", 2, 429],
  ] as const) {
    it(`the emulated rate limit is announced, and ${title}`, async () => {
      const asked = limit === 2 ? limited : emulator;
      const ask = async (token = asked.provisioning.token): Promise<string> => {
        const { status, headers } = await call(asked, "provisioning", "GET", admin, { token });
        const names = ["Limit", "Remaining", "Reset"].map((name) => headers.get(`X-RateLimit-${name}`));
        return [status, ...names].join();
      };
      assert.equal(await ask(), `200,${limit},${limit - 1},0.750`);
      await Promise.all(Array.from({ length: limit - 1 }, () => ask()));
      assert.equal(await ask(), `${status},${limit},0,0.750`);
      assert.match(await ask(asked.provisioning.addToken()), /^200,/);
      asked.advance("0.75s");
      assert.equal(await ask(), `200,${limit},${limit - 1},1.000`);
    });
  }
});
