import assert from "node:assert/strict";
import { type Emulator, type EmulatorSeed, startEmulator } from "../../../sdk/testing";
import { useEmulator } from "../../support/use-emulator";
import { type Reply, assertResponses, at, call, textAt } from "../call";

const seed: EmulatorSeed = {
  organizations: [{ name: "acme", defaultProjectId: "prj-default", ownerIds: ["user-1"] }],
  users: [{ id: "user-1", username: "alice" }],
  projects: [
    { id: "prj-web", organization: "acme", name: "web" },
    { id: "prj-api", organization: "acme", name: "api" },
  ],
  workspaces: [{ id: "ws-1", organization: "acme" }],
};
const projects = "/api/v2/organizations/acme/projects";
const admin = "/api/v2/admin/organizations";
const named = (name: unknown) => ({ data: { type: "projects", attributes: { name } } });

describe("the emulator's provisioning service", () => {
  const emulator = useEmulator({ seed, provisioning: { projectNameLimit: 38 } });
  const get = async (path: string): Promise<unknown> =>
    (await call(emulator, "provisioning", "GET", path)).body;

  it("the emulated provisioning service takes tokens as bearer tokens only, until they are revoked or rotated", async () => {
    const { provisioning } = emulator;
    const { token } = provisioning;
    const statusFor = async (Authorization: string, method = "GET"): Promise<number> => {
      const options = { token: null, headers: { Authorization } };
      return (await call(emulator, "provisioning", method, "/api/v2/projects/prj-web", options)).status;
    };
    for (const authorization of [token, `Basic ${token}`, `Bearer ${token} x`]) {
      assert.equal(await statusFor(authorization), 401);
    }
    assert.equal(await statusFor(`bearer ${token}`), 200);
    const reader = provisioning.addToken({ access: "read" });
    const successor = provisioning.rotateToken(reader);
    const found = [await statusFor(`Bearer ${reader}`), await statusFor(`Bearer ${successor}`)];
    assert.deepEqual(found, [401, 200]);
    assert.equal(await statusFor(`Bearer ${successor}`, "DELETE"), 404);
    provisioning.revokeToken(successor);
    assert.equal(await statusFor(`Bearer ${successor}`), 401);
  });

  it("the emulated provisioning service refuses what breaks a rule, and names its place in the request", async () => {
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
  });

  it("the emulated provisioning service changes nothing by an update without a name, without attributes or with the same name", async () => {
    const before = emulator.inspect();
    const request = "PATCH /api/v2/projects/prj-web";
    await assertResponses(emulator, "provisioning", [
      [request, { data: { type: "projects", attributes: {} } }, 200],
      [request, { data: { type: "projects" } }, 200],
      [request, named("web"), 200],
    ]);
    assert.deepEqual(emulator.inspect(), before);
  });

  it("the emulated provisioning service has pages of 20 by default, and understands brackets encoded or not", async () => {
    const sizeOf = async (query: string) =>
      at(await get(projects + query), "meta", "pagination", "page-size");
    assert.deepEqual([await sizeOf(""), await sizeOf("?page[size]=7")], [20, 7]);
    for (const query of ["?page%5Bsize%5D=1&page%5Bnumber%5D=2", "?page[size]=1&page[number]=2"]) {
      const data = at(await get(projects + query), "data");
      assert.deepEqual([at(data, "length"), at(data, 0, "attributes", "name")], [1, "web"]);
    }
  });

  it("the emulated provisioning service shows what the caller may do, and the owners on request", async () => {
    const shown = await get("/api/v2/projects/prj-default");
    assert.equal(at(shown, "data", "attributes", "permissions", "can-destroy"), false);
    const included = [{ id: "user-1", type: "users", attributes: { username: "alice" } }];
    assert.deepEqual(at(await get(`${admin}/acme?include=owners`), "included"), included);
    assert.equal(at(await get(`${admin}/acme`), "included"), undefined);
  });
});

describe("the emulator's provisioning service in the hashicorp dialect", () => {
  const emulator = useEmulator({ dialect: { provisioning: "hashicorp" }, seed });
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> =>
    at((await call(emulator, "provisioning", method, path, { body })).body, "data");

  it("the emulated provisioning service sends the product's name and version with every response, also to a wrong token", async () => {
    for (const token of [emulator.provisioning.token, null, "wrong"]) {
      for (const path of ["/ping", "/nowhere"]) {
        const { headers } = await call(emulator, "provisioning", "GET", `/api/v2${path}`, { token });
        const actual = ["TFP-AppName", "TFP-API-Version", "X-TFE-Version"].map((name) => headers.get(name));
        assert.deepEqual(actual, ["Terraform Enterprise", "2.6", "v202507-1"]);
      }
    }
  });

  it("the emulated provisioning service refuses other names, and takes a timeout by either of its names", async () => {
    const timeouts = (attributes: object) => ({ data: { type: "organizations", attributes } });
    await assertResponses(emulator, "provisioning", [
      [`POST ${projects}`, named("größe"), 422, /Name may only/],
      [`POST ${projects}`, named(" web"), 422, /Name may not/],
      [`POST ${projects}`, named("a".repeat(41)), 422, /3 to 40/],
      [
        `PATCH ${admin}/acme`,
        timeouts({ "plan-timeout": "soon" }),
        422,
        /^\/data\/attributes\/plan-timeout /,
      ],
      [`PATCH ${admin}/acme`, timeouts({ "terraform-build-worker-apply-timeout": "1h" }), 200],
      [`PATCH ${admin}/acme`, timeouts({ "plan-timeout": "2h", "iac-build-worker-plan-timeout": "9h" }), 200],
    ]);
    const attributes = at(await send("GET", `${admin}/acme`), "attributes");
    const names = ["apply-timeout", "terraform-build-worker-plan-timeout", "iac-build-worker-plan-timeout"];
    assert.deepEqual(
      names.map((name) => at(attributes, name)),
      ["1h", "2h", undefined],
    );
  });

  it("the emulated provisioning service creates a project whatever else is in the request, and shows more than the documented members", async () => {
    const data = { type: "projects", attributes: { name: "new", unknown: 1 }, relationships: { x: {} } };
    const created = await send("POST", projects, { data, meta: {} });
    const { permissions, ...attributes } = at(created, "attributes") as Record<string, unknown>;
    assert.deepEqual(permissions, {
      "can-update": true,
      "can-destroy": true,
      "can-create-workspace": true,
      "can-read": true,
      "can-read-teams": true,
    });
    assert.deepEqual([attributes["description"], attributes["unknown"]], [null, undefined]);
    assert.deepEqual(await send("GET", `/api/v2/projects/${textAt(created, "id")}?unknown=1`), created);
  });
});

describe("the rate of requests to the emulated product", () => {
  let emulator: Emulator;
  afterEach(async () => emulator.close());

  const start = async (requestsPerSecond?: number): Promise<void> => {
    emulator = await startEmulator({
      dialect: { provisioning: "hashicorp" },
      frozenAt: new Date("2030-01-01T00:00:00.250Z"),
      provisioning: requestsPerSecond === undefined ? {} : { requestsPerSecond },
    });
  };
  const ask = async (token = emulator.provisioning.token): Promise<Reply> =>
    call(emulator, "provisioning", "GET", admin, { token });
  const rate = ({ status, headers }: Reply): unknown[] => [
    status,
    ...["Limit", "Remaining", "Reset"].map((name) => headers.get(`X-RateLimit-${name}`)),
  ];

  it("the emulated rate limit is announced, and nobody reaches it by default", async () => {
    await start();
    assert.deepEqual(rate(await ask()), [200, "30", "29", "0.750"]);
    const others = await Promise.all(Array.from({ length: 34 }, async () => ask()));
    assert.ok(others.every(({ status }) => status === 200));
    assert.deepEqual(rate(await ask()), [200, "30", "0", "0.750"]);
  });

  it("the emulated rate limit counts each token by itself, until the second is over", async () => {
    await start(2);
    const other = emulator.provisioning.addToken();
    assert.deepEqual([(await ask()).status, (await ask()).status], [200, 200]);
    const refused = await ask();
    assert.deepEqual(rate(refused), [429, "2", "0", "0.750"]);
    const [error] = at(refused.body, "errors") as unknown[];
    assert.deepEqual([at(error, "status"), at(error, "title")], [429, "Too many requests"]);
    assert.equal((await ask(other)).status, 200);
    emulator.advance("0.75s");
    assert.deepEqual(rate(await ask()), [200, "2", "1", "1.000"]);
  });
});
