import assert from "node:assert/strict";
import { startEmulator, type Emulator } from "../../../sdk/testing";
import { at, call, textAt, type CallOptions, type Reply } from "../call";
import { assertRefused } from "./refusal";

describe("the emulator's notification configurations", () => {
  const start = new Date("2026-01-31T12:00:00.250Z");
  let emulator: Emulator;
  let workspace: string;
  before(async () => {
    emulator = await startEmulator({ frozenAt: start });
  });
  beforeEach(() => {
    emulator.reset();
    emulator.provisioning.addOrganization({ name: "acme" });
    workspace = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
  });
  after(async () => emulator.close());

  const ask = async (method: string, path: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "provisioning", method, `/api/v2${path}`, options);
  const generic = {
    name: "receiver",
    "destination-type": "generic",
    url: "http://receiver.example/hook?key=1",
  };
  const described = (attributes: unknown, relationships?: unknown) => ({
    data: {
      type: "notification-configuration",
      attributes,
      ...(relationships === undefined ? {} : { relationships }),
    },
  });
  const create = async (attributes: object = {}, relationships?: unknown): Promise<Reply> =>
    ask("POST", `/workspaces/${workspace}/notification-configurations`, {
      body: described({ ...generic, ...attributes }, relationships),
    });
  const createdId = async (attributes?: object): Promise<string> =>
    textAt((await create(attributes)).body, "data", "id");
  const update = async (id: string, attributes: object, relationships?: unknown): Promise<Reply> =>
    ask("PATCH", `/notification-configurations/${id}`, { body: described(attributes, relationships) });
  const stored = () => emulator.inspect().provisioning.notificationConfigurations;
  const namesIn = (reply: Reply): unknown[] => {
    const data = at(reply.body, "data");
    assert.ok(Array.isArray(data), JSON.stringify(reply.body));
    return data.map((item: unknown) => at(item, "attributes", "name"));
  };

  describe("create", () => {
    it("answers 201 with the resource, without the token, which is kept", async () => {
      const triggers = ["run:errored", "run:created"];
      const reply = await create({ token: "key", triggers });
      assert.equal(reply.status, 201);
      assert.equal(reply.headers.get("content-type"), "application/vnd.api+json");
      const id = textAt(reply.body, "data", "id");
      assert.match(id, /^nc-[A-Za-z0-9]{16}$/);
      assert.deepEqual(reply.body, {
        data: {
          id,
          type: "notification-configurations",
          attributes: {
            enabled: false,
            name: "receiver",
            url: generic.url,
            "destination-type": "generic",
            token: null,
            triggers: ["run:created", "run:errored"],
            "delivery-responses": [],
            "created-at": "2026-01-31T12:00:00.250Z",
            "updated-at": "2026-01-31T12:00:00.250Z",
          },
          relationships: { subscribable: { data: { id: workspace, type: "workspaces" } } },
          links: { self: `/api/v2/notification-configurations/${id}` },
        },
      });
      assert.deepEqual(stored(), [
        {
          id,
          workspaceId: workspace,
          destinationType: "generic",
          name: "receiver",
          enabled: false,
          url: generic.url,
          token: "key",
          triggers: ["run:created", "run:errored"],
          userIds: [],
          deliveryResponses: [],
          createdAt: start.toISOString(),
          updatedAt: start.toISOString(),
        },
      ]);
    });

    it("shows the users of one for e-mail, which has no url", async () => {
      const { id } = emulator.provisioning.addUser({ organization: "acme" });
      const email = { "destination-type": "email", url: null };
      const reply = await create(email, { users: [{ id, type: "users" }] });
      assert.equal(reply.status, 201);
      assert.equal(at(reply.body, "data", "attributes", "url"), null);
      assert.deepEqual(at(reply.body, "data", "relationships", "users"), [{ id, type: "users" }]);
      assert.deepEqual(at((await create(email)).body, "data", "relationships", "users"), []);
    });

    it("does not mind a name that exists", async () => {
      assert.equal((await create()).status, 201);
      assert.equal((await create()).status, 201);
      assert.equal(new Set(stored().map(({ id }) => id)).size, 2);
    });

    it("refuses the 21st of a workspace, until there is room", async () => {
      const ids: string[] = [];
      for (let number = 1; number <= 20; number++) {
        ids.push(await createdId());
      }
      assertRefused(await create(), 422, /has 20 notification configurations already/);
      assert.equal(stored().length, 20);
      const other = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
      const elsewhere = await ask("POST", `/workspaces/${other}/notification-configurations`, {
        body: described(generic),
      });
      assert.equal(elsewhere.status, 201);
      await ask("DELETE", `/notification-configurations/${ids[0]}`);
      assert.equal((await create()).status, 201);
    });

    it("answers 404 for an unknown workspace, also when the body is wrong", async () => {
      const path = "/workspaces/ws-0000000000000000/notification-configurations";
      assertRefused(await ask("POST", path, { body: {} }), 404, /may not/);
    });
  });

  describe("list", () => {
    const list = async (query = ""): Promise<Reply> =>
      ask("GET", `/workspaces/${workspace}/notification-configurations${query}`);
    const addMany = (count: number): string[] =>
      Array.from({ length: count }, (_, index) => {
        const name = `receiver ${index + 1}`;
        emulator.provisioning.addNotificationConfiguration({ workspace, name });
        return name;
      });

    it("is whole and without pages when neither page parameter is given", async () => {
      const names = addMany(25);
      const elsewhere = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
      emulator.provisioning.addNotificationConfiguration({ workspace: elsewhere, name: "other" });
      const reply = await list();
      assert.equal(reply.status, 200);
      assert.deepEqual(Object.keys(reply.body as object), ["data"]);
      assert.deepEqual(namesIn(reply), names);
      const first = await ask("GET", `/notification-configurations/${textAt(reply.body, "data", 0, "id")}`);
      assert.deepEqual(at(reply.body, "data", 0), at(first.body, "data"));
    });

    it("is empty when there are none", async () => {
      assert.deepEqual((await list()).body, { data: [] });
    });

    it("is in pages of 20 when either parameter is given", async () => {
      const names = addMany(25);
      const second = await list("?page%5Bnumber%5D=2");
      assert.deepEqual(namesIn(second), names.slice(20));
      assert.deepEqual(at(second.body, "meta"), {
        pagination: {
          "current-page": 2,
          "prev-page": 1,
          "next-page": null,
          "total-pages": 2,
          "total-count": 25,
        },
      });
      const url = `${emulator.provisioning.address}/api/v2/workspaces/${workspace}/notification-configurations`;
      assert.equal(at(second.body, "links", "prev"), `${url}?page%5Bnumber%5D=1&page%5Bsize%5D=20`);
      assert.equal(at(second.body, "links", "next"), null);
      assert.deepEqual(namesIn(await list("?page[size]=3")), names.slice(0, 3));
      assert.deepEqual(namesIn(await list("?page[size]=100")), names);
      assert.deepEqual(namesIn(await list("?page[number]=9")), []);
    });

    it("refuses other parameters, and pages that do not exist", async () => {
      assertRefused(await list("?q=a"), 400, /unknown/, "?q");
      assertRefused(await list("?include=users"), 400, /unknown/, "?include");
      assertRefused(await list("?page[number]=0"), 400, /whole number/, "?page[number]");
    });

    it("answers 404 for an unknown workspace", async () => {
      assertRefused(await ask("GET", "/workspaces/ws-x/notification-configurations"), 404, /may not/);
    });
  });

  describe("show", () => {
    it("answers 200 with the resource, and 404 for an unknown one", async () => {
      const created = await create();
      const path = `/notification-configurations/${textAt(created.body, "data", "id")}`;
      const reply = await ask("GET", path);
      assert.equal(reply.status, 200);
      assert.deepEqual(reply.body, created.body);
      assertRefused(await ask("GET", `${path}?include=x`), 400, /unknown/, "?include");
      assertRefused(await ask("GET", "/notification-configurations/nc-x"), 404, /may not/);
    });
  });

  describe("update", () => {
    const changes: readonly [object, object][] = [
      [{ name: "other" }, { name: "other" }],
      [{ url: "https://other.example/" }, { url: "https://other.example/" }],
      [{ token: "other" }, { token: "other" }],
      [{ token: null }, { token: null }],
      [{ token: "" }, { token: null }],
      [
        { triggers: ["assessment:failed", "run:planning"] },
        { triggers: ["run:planning", "assessment:failed"] },
      ],
      [{ triggers: [] }, { triggers: [] }],
      [{ enabled: false }, {}],
      [{}, {}],
      [{ "destination-type": "generic" }, {}],
    ];
    for (const [attributes, expected] of changes) {
      it(`changes what is sent and nothing else: ${JSON.stringify(attributes)}`, async () => {
        const id = await createdId({ token: "key", triggers: ["run:created"] });
        const [before] = stored();
        emulator.advance("1m");
        const reply = await update(id, attributes);
        assert.equal(reply.status, 200);
        const updatedAt = "2026-01-31T12:01:00.250Z";
        assert.deepEqual(stored(), [{ ...before, ...expected, updatedAt }]);
        assert.equal(at(reply.body, "data", "attributes", "token"), null);
        assert.equal(at(reply.body, "data", "attributes", "created-at"), start.toISOString());
        assert.equal(at(reply.body, "data", "attributes", "updated-at"), updatedAt);
        assert.deepEqual((await ask("GET", `/notification-configurations/${id}`)).body, reply.body);
      });
    }

    it("replaces the users of one for e-mail, in either spelling, and leaves them alone otherwise", async () => {
      const [first, second] = [1, 2].map(() => emulator.provisioning.addUser({ organization: "acme" }).id);
      const users = (...ids: readonly (string | undefined)[]) => ids.map((id) => ({ id, type: "users" }));
      const { id } = emulator.provisioning.addNotificationConfiguration({
        workspace,
        name: "mail",
        destinationType: "email",
      });
      const userIds = () => stored().map((configuration) => configuration.userIds);
      assert.equal((await update(id, {}, { users: users(first, second) })).status, 200);
      assert.deepEqual(userIds(), [[first, second]]);
      assert.equal((await update(id, {}, { users: { data: users(second, second) } })).status, 200);
      assert.deepEqual(userIds(), [[second]]);
      assert.equal((await update(id, { name: "post" })).status, 200);
      assert.deepEqual(userIds(), [[second]]);
      const cleared = await update(id, {}, { users: [] });
      assert.deepEqual(at(cleared.body, "data", "relationships", "users"), []);
      assert.deepEqual(userIds(), [[]]);
    });

    it("refuses another destination type, in whatever words", async () => {
      const id = await createdId();
      const place = "/data/attributes/destination-type";
      assertRefused(await update(id, { "destination-type": "chat-a" }), 422, /can't be changed/, place);
      assertRefused(await update(id, { "destination-type": "x" }), 422, /one of/, place);
      assertRefused(await update(id, { "destination-type": null }), 422, /one of/, place);
    });

    it("applies the rules to what the configuration would be, and changes nothing then", async () => {
      const id = await createdId({ token: "key" });
      const before = stored();
      const refused: readonly [object, string][] = [
        [{ name: null }, "name"],
        [{ url: null }, "url"],
        [{ url: "ftp://receiver.example" }, "url"],
        [{ token: 1 }, "token"],
        [{ triggers: null }, "triggers"],
        [{ triggers: ["verification"] }, "triggers"],
        [{ enabled: null }, "enabled"],
        [{ "delivery-responses": [] }, "delivery-responses"],
      ];
      for (const [attributes, name] of refused) {
        const reply = await update(id, { name: "other", ...attributes });
        assertRefused(reply, 422, /./, `/data/attributes/${name}`);
      }
      assert.deepEqual(stored(), before);
    });

    it("accepts the id of the path in the body, and no other", async () => {
      const id = await createdId();
      const withId = (other: string) => ({
        body: { data: { ...described({ name: "other" }).data, id: other } },
      });
      const path = `/notification-configurations/${id}`;
      assert.equal((await ask("PATCH", path, withId(id))).status, 200);
      assertRefused(await ask("PATCH", path, withId("nc-x")), 422, /differs/, "/data/id");
    });

    it("answers 404 for an unknown one, also when the body is wrong", async () => {
      assertRefused(await update("nc-x", { name: "" }), 404, /may not/);
    });
  });

  describe("delete", () => {
    it("answers 204 without a body, and then 404", async () => {
      const id = await createdId();
      const kept = await createdId();
      const path = `/notification-configurations/${id}`;
      assertRefused(await ask("DELETE", path, { body: {} }), 400, /no body/);
      const reply = await ask("DELETE", path);
      assert.equal(reply.status, 204);
      assert.equal(reply.body, "");
      for (const method of ["GET", "DELETE"]) {
        assertRefused(await ask(method, path), 404, /may not/);
      }
      assertRefused(await ask("POST", `${path}/actions/verify`), 404, /may not/);
      assert.deepEqual(
        stored().map((configuration) => configuration.id),
        [kept],
      );
    });

    it("comes with the workspace, but not with its project", async () => {
      emulator.provisioning.addProject({ organization: "acme", name: "web" });
      const id = await createdId();
      emulator.provisioning.moveWorkspace(workspace, "web");
      emulator.provisioning.removeProject(emulator.inspect().provisioning.projects[1]?.id ?? "");
      assert.equal((await ask("GET", `/notification-configurations/${id}`)).status, 200);
      emulator.provisioning.removeWorkspace(workspace);
      assertRefused(await ask("GET", `/notification-configurations/${id}`), 404, /may not/);
      assert.deepEqual(stored(), []);
    });
  });

  it("need the media type on every change, also without a body", async () => {
    const id = await createdId();
    const path = `/notification-configurations/${id}`;
    for (const [method, target] of [
      ["POST", `${path}/actions/verify`],
      ["DELETE", path],
    ] as const) {
      assertRefused(await ask(method, target, { contentType: null }), 415, /Content-Type/);
    }
  });
});
