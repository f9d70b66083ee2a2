import assert from "node:assert/strict";
import { type Emulator, type NewOrganization, startEmulator } from "../../../sdk/testing";
import { type TestServer, startServer, stopServers } from "../../http/server";
import { useEmulator } from "../../support/use-emulator";
import {
  type CallOptions,
  type Reply,
  at,
  call,
  textAt,
  assertRefusedByProvisioning as assertRefused,
} from "../call";

describe("the emulator's provisioning service", () => {
  const emulator = useEmulator();
  let projectId: string;
  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
    projectId = emulator.provisioning.addProject({ organization: "acme", name: "web" }).id;
  });

  const ask = async (method: string, path: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "provisioning", method, path, options);

  describe("tokens", () => {
    it("go as bearer tokens only", async () => {
      const { token } = emulator.provisioning;
      for (const authorization of [token, `Basic ${token}`, `Bearer ${token} x`]) {
        const headers = { Authorization: authorization };
        assert.equal((await ask("GET", "/api/v2/projects/x", { token: null, headers })).status, 401);
      }
      const headers = { Authorization: `bearer ${token}` };
      assert.equal((await ask("GET", "/api/v2/projects/x", { token: null, headers })).status, 404);
    });

    it("are invalid once revoked or rotated, and new ones get their rights", async () => {
      const path = `/api/v2/projects/${projectId}`;
      const reader = emulator.provisioning.addToken({ access: "read" });
      const successor = emulator.provisioning.rotateToken(reader);
      assert.equal((await ask("GET", path, { token: reader })).status, 401);
      assert.equal((await ask("GET", path, { token: successor })).status, 200);
      assert.equal((await ask("DELETE", path, { token: successor })).status, 404);
      emulator.provisioning.revokeToken(successor);
      assert.equal((await ask("GET", path, { token: successor })).status, 401);
      assert.throws(() => emulator.provisioning.revokeToken(successor), /no such token/);
    });
  });
});

describe("what the emulated product says about itself and its callers", () => {
  const emulator = useEmulator({ dialect: { provisioning: "hashicorp" } });

  const ask = async (path: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "provisioning", "GET", `/api/v2${path}`, options);
  for (const token of [undefined, null, "wrong"]) {
    it(`is its name and version with every response, also to the token ${String(token)}`, async () => {
      const reply = await ask("/ping", token === undefined ? {} : { token });
      assert.equal(reply.status, 204);
      const { headers } = await ask("/nowhere", token === undefined ? {} : { token });
      for (const answer of [reply.headers, headers]) {
        assert.deepEqual(
          ["TFP-AppName", "TFP-API-Version", "X-TFE-Version"].map((name) => answer.get(name)),
          ["Terraform Enterprise", "2.6", "v202507-1"],
        );
      }
    });
  }
});

describe("the rate of requests to the emulated product", () => {
  let emulator: Emulator;
  afterEach(async () => emulator.close());

  const start = async (requestsPerSecond?: number): Promise<void> => {
    emulator = await startEmulator({
      dialect: { provisioning: "hashicorp" },
      frozenAt: new Date("2030-01-01T00:00:00.250Z"),
      ...(requestsPerSecond === undefined ? {} : { provisioning: { requestsPerSecond } }),
    });
  };
  const ask = async (token = emulator.provisioning.token): Promise<Reply> =>
    call(emulator, "provisioning", "GET", "/api/v2/admin/organizations", { token });
  const rate = ({ headers }: Reply): unknown[] =>
    ["Limit", "Remaining", "Reset"].map((name) => headers.get(`X-RateLimit-${name}`));

  it("is announced, and limited for nobody unless asked for", async () => {
    await start();
    assert.deepEqual(rate(await ask()), ["30", "29", "0.750"]);
    let last = await ask();
    for (let number = 3; number <= 35; number++) {
      last = await ask();
    }
    assert.deepEqual([last.status, ...rate(last)], [200, "30", "0", "0.750"]);
  });

  it("is limited for each token by itself, until the second is over", async () => {
    await start(2);
    const other = emulator.provisioning.addToken();
    assert.deepEqual([(await ask()).status, (await ask()).status], [200, 200]);
    const refused = await ask();
    assert.deepEqual([refused.status, ...rate(refused)], [429, "2", "0", "0.750"]);
    assert.deepEqual(
      [at(refused.body, "errors", 0, "status"), at(refused.body, "errors", 0, "title")],
      [429, "Too many requests"],
    );
    assert.equal((await ask(other)).status, 200);
    emulator.advance("0.75s");
    assert.deepEqual(rate(await ask()), ["2", "1", "1.000"]);
  });
});

describe("setting up the emulator's organizations", () => {
  const emulator = useEmulator();

  it("gives every organization its default project", () => {
    const organization = emulator.provisioning.addOrganization({ name: "acme" });
    assert.deepEqual(emulator.inspect().provisioning, {
      organizations: [organization],
      workspaces: [],
      users: [],
      notificationConfigurations: [],
      projects: [
        { id: organization.defaultProjectId, name: "Default Project", organization: "acme", isDefault: true },
      ],
    });
    assert.throws(() => emulator.provisioning.addOrganization({ name: "acme" }), /already/);
  });

  it("removes an organization with all that is in it", async () => {
    emulator.provisioning.addOrganization({ name: "acme" });
    emulator.provisioning.addWorkspace({ organization: "acme" });
    const user = emulator.provisioning.addUser({ organization: "acme" });
    emulator.provisioning.removeOrganization("acme");
    const reply = await call(emulator, "provisioning", "GET", "/api/v2/organizations/acme/projects");
    assert.equal(reply.status, 404);
    assert.deepEqual(emulator.inspect().provisioning, {
      organizations: [],
      workspaces: [],
      users: [{ ...user, organizations: [] }],
      notificationConfigurations: [],
      projects: [],
    });
  });

  it("throws for what does not exist", () => {
    const { provisioning } = emulator;
    provisioning.addOrganization({ name: "acme" });
    const { id } = provisioning.addWorkspace({ organization: "acme" });
    const { organizations } = emulator.inspect().provisioning;
    for (const [action, message] of [
      [() => provisioning.removeOrganization("none"), /no organization "none"/],
      [() => provisioning.addWorkspace({ organization: "acme", project: "x" }), /no project "x"/],
      [() => provisioning.moveWorkspace(id, "x"), /no project "x"/],
      [() => provisioning.removeWorkspace("ws-x"), /no workspace "ws-x"/],
      [() => provisioning.addUser({ organization: "none" }), /no organization "none"/],
      [() => provisioning.removeUser("user-x"), /no user "user-x"/],
      [() => provisioning.changeOrganization("acme", { ownerIds: ["user-x"] }), /no user "user-x"/],
      [
        () => provisioning.changeOrganization("acme", { moduleConsumers: ["none"] }),
        /no organization "none"/,
      ],
      [() => provisioning.addOrganization({ name: "new", providerConsumers: ["none"] }), /no organization/],
    ] as const) {
      assert.throws(action, message);
    }
    assert.deepEqual(emulator.inspect().provisioning.organizations, organizations);
  });
});

describe("the emulator's organizations for site administrators", () => {
  const emulator = useEmulator();

  const root = "/api/v2/admin/organizations";
  const ask = async (method: string, path: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "provisioning", method, root + path, options);
  const add = (name: string, attributes: Omit<NewOrganization, "name"> = {}) =>
    emulator.provisioning.addOrganization({ name, ...attributes });
  const consumers = (...names: readonly string[]) => ({
    body: { data: names.map((id) => ({ id, type: "organizations" })) },
  });

  describe("show", () => {
    it("includes the owners on request, and nothing else", async () => {
      const { id } = emulator.provisioning.addUser({ username: "alice" });
      add("acme", { ownerIds: [id] });
      const included = [{ id, type: "users", attributes: { username: "alice" } }];
      assert.deepEqual(at((await ask("GET", "/acme?include=owners")).body, "included"), included);
      assert.equal(at((await ask("GET", "/acme")).body, "included"), undefined);
      assertRefused(await ask("GET", "/acme?include=users"), 400, /owners/, "?include");
      assertRefused(await ask("GET", "/acme?q=a"), 400, /unknown/, "?q");
    });
  });

  it("the list of provider consumers cannot be set", async () => {
    add("acme");
    const reply = await ask("PATCH", "/acme/relationships/provider-consumers", consumers());
    assert.equal(reply.status, 405);
    assert.equal(reply.headers.get("allow"), "GET");
  });
});

describe("narrowing the emulator's list of organizations", () => {
  const emulator = useEmulator();

  const list = async (query: string): Promise<Reply> =>
    call(emulator, "provisioning", "GET", `/api/v2/admin/organizations?${query}`);

  it("takes true and false only", async () => {
    for (const value of ["", "1", "yes", "True"]) {
      for (const name of ["filter[module_producer]", "filter[provider_producer]"]) {
        assertRefused(await list(`${name}=${value}`), 400, /true or false/, `?${name}`);
      }
    }
  });
});

describe("the emulator's projects", () => {
  const emulator = useEmulator();
  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
  });

  const ask = async (method: string, path: string, body?: unknown, at = emulator): Promise<Reply> =>
    call(at, "provisioning", method, `/api/v2${path}`, { body });
  const named = (name: unknown) => ({ data: { type: "projects", attributes: { name } } });
  const create = async (name: unknown, at = emulator): Promise<Reply> =>
    ask("POST", "/organizations/acme/projects", named(name), at);
  const add = (name: string): string => emulator.provisioning.addProject({ organization: "acme", name }).id;
  const projects = () => emulator.inspect().provisioning.projects;
  const pointer = "/data/attributes/name";

  for (const [name, detail] of [
    ["ab", /3 to 36/],
    ["a".repeat(37), /3 to 36/],
    ["a.b", /letters, digits/],
    ["", /blank/],
    [null, /blank/],
    [12345, /string/],
  ] as const) {
    it(`cannot be called ${JSON.stringify(name)}`, async () => {
      assertRefused(await create(name), 422, detail, pointer);
      assert.equal(projects().length, 1);
    });
  }

  it("have names of another length when told so", async () => {
    const wider = await startEmulator({ provisioning: { projectNameLimit: 40 } });
    wider.provisioning.addOrganization({ name: "acme" });
    const replies = [await create("a".repeat(40), wider), await create("a".repeat(41), wider)];
    await wider.close();
    assert.deepEqual(
      replies.map(({ status }) => status),
      [201, 422],
    );
  });

  for (const [what, body] of [
    ["without a name", { data: { type: "projects", attributes: {} } }],
    ["without attributes", { data: { type: "projects" } }],
    ["with the same name", named("web")],
  ] as const) {
    it(`changes nothing ${what}`, async () => {
      const reply = await ask("PATCH", `/projects/${add("web")}`, body);
      assert.equal(reply.status, 200);
      assert.equal(at(reply.body, "data", "attributes", "name"), "web");
    });
  }

  it("cannot be deleted when they are the default", async () => {
    const [id] = projects().map((project) => project.id);
    assertRefused(await ask("DELETE", `/projects/${id}`), 403, /default project/);
    const shown = await ask("GET", `/projects/${id}`);
    assert.equal(at(shown.body, "data", "attributes", "permissions", "can-destroy"), false);
  });

  describe("list", () => {
    const list = async (query = ""): Promise<Reply> => ask("GET", `/organizations/acme/projects${query}`);

    it("understands brackets encoded or not", async () => {
      ["one", "two", "three"].forEach(add);
      for (const query of ["?page%5Bsize%5D=1&page%5Bnumber%5D=2", "?page[size]=1&page[number]=2"]) {
        const { body } = await list(query);
        assert.equal(at(body, "data", "length"), 1);
        assert.equal(at(body, "data", 0, "attributes", "name"), "one");
      }
    });

    it("says how long its pages are, 20 by default", async () => {
      for (const [query, size] of [
        ["", 20],
        ["?page[size]=7", 7],
      ] as const) {
        assert.equal(at((await list(query)).body, "meta", "pagination", "page-size"), size);
      }
    });

    it("refuses pages that do not exist, and unknown and repeated parameters", async () => {
      for (const [query, detail] of [
        ["page[number]=0", /whole number/],
        ["page[size]=-1", /whole number/],
        ["page[size]=", /whole number/],
        ["sort=name", /unknown/],
        ["q=a&q=b", /more than once/],
      ] as const) {
        assertRefused(await list(`?${query}`), 400, detail, `?${query.split("=", 1)[0]}`);
      }
    });
  });

  for (const [body, place] of [
    [{ data: { type: "workspaces", id: "ws-1" } }, "/data"],
    [{ data: ["ws-1"] }, "/data/0"],
    [{ data: [{ type: "workspace", id: "ws-1" }] }, "/data/0/type"],
    [{ data: [{ type: "workspaces" }] }, "/data/0/id"],
    [{ data: [{ type: "workspaces", id: "ws-1", attributes: {} }] }, "/data/0/attributes"],
  ] as const) {
    it(`cannot be given ${JSON.stringify(body)}`, async () => {
      const reply = await ask("POST", `/projects/${add("web")}/relationships/workspaces`, body);
      assertRefused(reply, 422, /./, place);
    });
  }

  it("are renamed and removed behind a program's back", async () => {
    const id = add("web");
    const workspace = emulator.provisioning.addWorkspace({ organization: "acme", project: "web" });
    assert.equal(emulator.provisioning.changeProject(id, { name: "x" }).name, "x");
    emulator.provisioning.removeProject(id);
    assert.equal((await ask("GET", `/projects/${id}`)).status, 404);
    const { workspaces, organizations } = emulator.inspect().provisioning;
    const projectId = organizations[0]?.defaultProjectId;
    assert.deepEqual(workspaces, [{ ...workspace, projectId }]);
    assert.throws(() => emulator.provisioning.removeProject(projectId ?? ""), /cannot be removed/);
  });
});

describe("the emulator's provisioning service in the hashicorp dialect", () => {
  const emulator = useEmulator({
    dialect: { provisioning: "hashicorp" },
    frozenAt: new Date("2026-01-31T12:00:00.750Z"),
  });
  let workspace: string;
  let receiver: TestServer;
  before(async () => {
    receiver = await startServer((response) => response.writeHead(200).end("ok"));
  });
  beforeEach(() => {
    receiver.received.length = 0;
    emulator.provisioning.addOrganization({ name: "acme" });
    workspace = emulator.provisioning.addWorkspace({ organization: "acme", name: "web" }).id;
  });
  after(() => {
    stopServers();
  });

  const ask = async (method: string, path: string, body?: unknown): Promise<Reply> =>
    call(emulator, "provisioning", method, `/api/v2${path}`, { body });
  const attributesOf = ({ body }: Reply): unknown => at(body, "data", "attributes");

  describe("projects", () => {
    const create = async (attributes: object, more: object = {}): Promise<Reply> =>
      ask("POST", "/organizations/acme/projects", { data: { type: "projects", attributes, ...more } });

    it("have names of ASCII letters and digits, and no space at either end", async () => {
      for (const name of ["größe", " web", "web "]) {
        assertRefused(await create({ name }), 422, /Name may/, "/data/attributes/name");
      }
    });

    it("are created whatever else is in the request, and shown with more than the documented members", async () => {
      const created = await create({ name: "api", unknown: 1 }, { meta: {}, relationships: { x: {} } });
      assert.equal(created.status, 201);
      assert.equal(at(attributesOf(created), "description"), null);
      assert.equal(at(attributesOf(created), "unknown"), undefined);
      assert.deepEqual(at(attributesOf(created), "permissions"), {
        "can-update": true,
        "can-destroy": true,
        "can-create-workspace": true,
        "can-read": true,
        "can-read-teams": true,
      });
      const shown = await ask("GET", `/projects/${textAt(created.body, "data", "id")}?unknown=1`);
      assert.deepEqual(shown.body, created.body);
    });
  });

  describe("organizations", () => {
    const path = "/admin/organizations/acme";
    const change = async (attributes: object): Promise<Reply> =>
      ask("PATCH", path, { data: { type: "organizations", attributes } });
    const timeouts = (reply: Reply): unknown[] =>
      [
        "terraform-build-worker-apply-timeout",
        "apply-timeout",
        "terraform-build-worker-plan-timeout",
        "plan-timeout",
      ].map((name) => at(attributesOf(reply), name));

    it("take a timeout by either name, and ignore the documents' names", async () => {
      const first = await change({ "terraform-build-worker-apply-timeout": "1h", "plan-timeout": "2h" });
      assert.deepEqual(timeouts(first), ["1h", "1h", "2h", "2h"]);
      const second = await change({ "apply-timeout": null, "iac-build-worker-plan-timeout": "9h" });
      assert.equal(second.status, 200);
      assert.deepEqual(timeouts(second), [null, null, "2h", "2h"]);
      assert.equal(emulator.inspect().provisioning.organizations[0]?.iacBuildWorkerPlanTimeout, "2h");
      assertRefused(
        await change({ "plan-timeout": "soon" }),
        422,
        /must be/,
        "/data/attributes/plan-timeout",
      );
    });
  });

  describe("notification configurations", () => {
    const create = async (
      attributes: object,
      relationships: object = {},
      type = "notification-configurations",
    ): Promise<Reply> =>
      ask("POST", `/workspaces/${workspace}/notification-configurations`, {
        data: {
          type,
          attributes: { name: "n", "destination-type": "generic", url: receiver.address, ...attributes },
          relationships,
        },
      });
    const stored = () => emulator.inspect().provisioning.notificationConfigurations;

    for (const [name, own] of [
      ["slack", "chat-a"],
      ["microsoft-teams", "chat-b"],
    ] as const) {
      it(`go to ${name}, and not to ${own}`, async () => {
        const reply = await create({ "destination-type": name });
        assert.equal(reply.status, 201);
        assert.equal(at(attributesOf(reply), "destination-type"), name);
        assert.equal(stored()[0]?.destinationType, own);
        assertRefused(
          await create({ "destination-type": own }),
          422,
          /one of generic, email, slack, microsoft-teams/,
          "/data/attributes/destination-type",
        );
        const signed = await create({ "destination-type": name, token: "key" });
        assertRefused(signed, 422, new RegExp(name), "/data/attributes/token");
      });
    }

    it("name their users in data, in requests and responses", async () => {
      const { id } = emulator.provisioning.addUser({ organization: "acme" });
      const users = [{ id, type: "users" }];
      const email = { "destination-type": "email", url: null };
      const reply = await create(email, { users: { data: users }, subscribable: { data: null } });
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
      assert.deepEqual(at(reply.body, "data", "relationships", "users"), { data: users });
      assertRefused(await create(email, { users }), 422, /no object/, "/data/relationships/users");
    });

    it("have another form for drift than for runs", async () => {
      const triggers = ["run:errored", "assessment:drifted", "workspace:auto_destroy_run_results"];
      emulator.provisioning.addNotificationConfiguration({
        workspace,
        name: "n",
        enabled: true,
        url: receiver.address,
        token: "key",
        triggers,
      });
      for (const trigger of triggers) {
        await emulator.provisioning.sendNotification({ workspace, trigger });
      }
      const bodies = receiver.received.map(({ body }) => JSON.parse(body) as unknown);
      assert.deepEqual(
        bodies.map((body) => [at(body, "payload_version"), at(body, "trigger_scope"), at(body, "trigger")]),
        [
          [1, undefined, undefined],
          ["2", "assessment", "assessment:drifted"],
          ["2", "workspace", "workspace:auto_destroy_results"],
        ],
      );
      assert.ok(receiver.received.every(({ headers }) => "x-tfe-notification-signature" in headers));
    });
  });
});
