import assert from "node:assert/strict";
import { startServer, stopServers, unusedPort, type TestServer } from "../../http/server";
import { useEmulator } from "../../support/use-emulator";
import {
  at,
  call,
  textAt,
  type CallOptions,
  type Reply,
  assertRefusedByProvisioning as assertRefused,
} from "../call";

describe("the emulator's notification configurations", () => {
  const start = new Date("2026-01-31T12:00:00.250Z");
  const emulator = useEmulator({ frozenAt: start });
  let workspace: string;
  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
    workspace = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
  });

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
  });

  describe("update", () => {
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
      const body = { data: { ...described({ name: "other" }).data, id: "nc-x" } };
      const reply = await ask("PATCH", `/notification-configurations/${id}`, { body });
      assertRefused(reply, 422, /differs/, "/data/id");
      assert.deepEqual(stored(), before);
    });
  });

  describe("delete", () => {
    it("returns 204 without a body, and then 404", async () => {
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

describe("describing a notification configuration to the emulator", () => {
  const emulator = useEmulator({ resets: false });
  let workspace: string;
  let member: string;
  let stranger: string;
  before(() => {
    const { provisioning } = emulator;
    provisioning.addOrganization({ name: "acme" });
    provisioning.addOrganization({ name: "other" });
    member = provisioning.addUser({ organization: ["acme", "other"] }).id;
    stranger = provisioning.addUser({ organization: "other" }).id;
  });
  beforeEach(() => {
    workspace = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
  });

  const send = async (body: unknown): Promise<Reply> => {
    const path = `/api/v2/workspaces/${workspace}/notification-configurations`;
    return call(emulator, "provisioning", "POST", path, { body });
  };
  const stored = () =>
    emulator
      .inspect()
      .provisioning.notificationConfigurations.filter(({ workspaceId }) => workspaceId === workspace);
  const url = "http://receiver.example/";
  const generic = { name: "receiver", "destination-type": "generic", url };
  const email = { name: "mail", "destination-type": "email" };
  const described = (attributes: unknown, relationships?: unknown) => ({
    data: { type: "notification-configuration", attributes, relationships },
  });
  const user = (id: unknown) => ({ id, type: "users" });

  const refused = async (body: unknown, detail: RegExp, place: string): Promise<void> => {
    assertRefused(await send(body), 422, detail, place);
    assert.deepEqual(stored(), []);
  };

  for (const [body, place] of [
    [undefined, ""],
    [[], ""],
    [{ data: [] }, "/data"],
    [{ data: { type: "notification_configuration", attributes: generic } }, "/data/type"],
    [{ data: { ...described(generic).data, id: "nc-1" } }, "/data/id"],
    [{ ...described(generic), meta: {} }, "/meta"],
    [{ data: { type: "notification-configuration" } }, "/data/attributes/destination-type"],
    [described(generic, []), "/data/relationships"],
    [described(generic, { subscribable: {} }), "/data/relationships/subscribable"],
  ] as const) {
    it(`cannot be ${JSON.stringify(body)}`, async () => refused(body, /./, place));
  }

  for (const [name, wrong, detail] of [
    ["destination-type", [undefined, "slack", 1], /generic, email, chat-a, chat-b/],
    ["name", [undefined, null], /can't be blank/],
    ["name", [1], /must be a string/],
    ["enabled", [null, "true"], /true or false/],
    ["token", [1], /string or null/],
    ["triggers", [null, "run:created"], /must be a list/],
    ["triggers", [["run:finished"], ["run:created", 1], ["verification"]], /known: run:created/],
    ["url", [undefined, null, ""], /can't be blank/],
    ["url", ["x", "ftp://x", "http://", " http://x", "http://a b"], /HTTP or HTTPS/],
    ["description", ["x"], /unknown/],
  ] as const) {
    it(`cannot have ${wrong.map((value) => JSON.stringify(value)).join(" or ")} as ${name}`, async () => {
      for (const value of wrong) {
        await refused(described({ ...generic, [name]: value }), detail, `/data/attributes/${name}`);
      }
    });
  }

  for (const [type, attributes, wrong] of [
    ["generic", { url, token: null }, undefined],
    ["generic", {}, "url"],
    ["chat-a", { url }, undefined],
    ["chat-b", { url, token: "key" }, "token"],
    ["email", { url: null, token: null }, undefined],
    ["email", { url }, "url"],
    ["email", { token: "key" }, "token"],
  ] as const) {
    it(`${wrong === undefined ? "can" : "cannot"} be ${type} with ${JSON.stringify(attributes)}`, async () => {
      const body = described({ name: "x", "destination-type": type, ...attributes });
      if (wrong === undefined) {
        assert.equal((await send(body)).status, 201);
        assert.equal(stored().length, 1);
      } else {
        const detail = wrong === "url" ? /^Url / : /^Token is not supported/;
        await refused(body, detail, `/data/attributes/${wrong}`);
      }
    });
  }

  const place = "/data/relationships/users";
  it("cannot name users of another organization, or for a receiver", async () => {
    const users = [user(member), user(stranger)];
    await refused(described(email, { users }), new RegExp(`${stranger} not found`), place);
    await refused(described(generic, { users: [user(member)] }), /^Users are not supported/, place);
    assert.equal((await send(described(generic, { users: [] }))).status, 201);
  });

  for (const [users, where] of [
    [null, ""],
    [{ data: null }, "/data"],
    [{ data: [], links: {} }, "/links"],
    [["user-1"], "/0"],
    [[{ id: "user-1", type: "user" }], "/0/type"],
    [{ data: [{ id: 1, type: "users" }] }, "/data/0/id"],
  ] as const) {
    it(`cannot have ${JSON.stringify(users)} as users`, async () => {
      await refused(described(email, { users }), /./, `${place}${where}`);
    });
  }
});

describe("notification configurations behind a program's back", () => {
  const now = "2026-01-31T12:00:00.000Z";
  const emulator = useEmulator({ frozenAt: new Date(now) });
  let workspace: string;
  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
    workspace = emulator.provisioning.addWorkspace({ organization: "acme", name: "shop" }).id;
  });

  const stored = () => emulator.inspect().provisioning.notificationConfigurations;

  it("are changed, as the interface then shows, and removed", async () => {
    const { id } = emulator.provisioning.addNotificationConfiguration({ workspace, name: "x", token: "key" });
    emulator.advance("1s");
    const { id: userId } = emulator.provisioning.addUser();
    const response = { url: "http://y.example/", body: "", code: "200", headers: {}, sentAt: now };
    const deliveryResponses = [{ ...response, successful: "true" }];
    const change = { name: "y", triggers: ["run:created"], userIds: [userId], deliveryResponses };
    const changed = emulator.provisioning.changeNotificationConfiguration(id, change);
    const times = { createdAt: now, updatedAt: "2026-01-31T12:00:01.000Z" };
    assert.deepEqual(changed, { ...changed, ...change, ...times, token: "key" });
    assert.deepEqual(stored(), [changed]);
    const path = `/api/v2/notification-configurations/${id}`;
    const { body } = await call(emulator, "provisioning", "GET", path);
    assert.equal(at(body, "data", "attributes", "token"), null);
    assert.equal(at(body, "data", "attributes", "delivery-responses", 0, "sent-at"), now);
    emulator.provisioning.removeUser(userId);
    assert.deepEqual(stored()[0]?.userIds, []);
    emulator.provisioning.removeNotificationConfiguration(id);
    assert.equal((await call(emulator, "provisioning", "GET", path)).status, 404);
  });

  it("throw for what does not exist", async () => {
    const { provisioning } = emulator;
    const { id } = provisioning.addNotificationConfiguration({ workspace, name: "x" });
    const nobody = /no notification configuration "nc-x"/;
    assert.throws(
      () => provisioning.addNotificationConfiguration({ workspace: "ws-x", name: "x" }),
      /no workspace "ws-x"/,
    );
    assert.throws(
      () => provisioning.changeNotificationConfiguration(id, { userIds: ["user-x"] }),
      /no user "user-x"/,
    );
    assert.throws(() => provisioning.changeNotificationConfiguration("nc-x", {}), nobody);
    assert.throws(() => provisioning.removeNotificationConfiguration("nc-x"), nobody);
    await assert.rejects(
      provisioning.sendNotification({ workspace: "ws-x", trigger: "run:created" }),
      /no workspace "ws-x"/,
    );
    await assert.rejects(
      provisioning.sendNotification({ workspace, trigger: "verification" }),
      /no trigger "verification"; it has run:created/,
    );
  });

  describe("get notifications", () => {
    let receiver: TestServer;
    beforeEach(async () => {
      receiver = await startServer((response, request) => {
        response.writeHead(request.url === "/fails" ? 500 : 200).end();
      });
    });
    afterEach(stopServers);

    const add = (path: string, attributes: object = {}): string =>
      emulator.provisioning.addNotificationConfiguration({
        workspace,
        name: path,
        url: receiver.address + path,
        enabled: true,
        triggers: ["run:completed"],
        ...attributes,
      }).id;
    const bodies = (): unknown[] => receiver.received.map(({ body }) => JSON.parse(body) as unknown);

    for (const [trigger, status, message] of [
      ["run:created", "pending", "Run created"],
      ["run:planning", "planning", "Run planning"],
      ["run:needs_attention", "needs_attention", "Run needs attention"],
      ["run:applying", "applying", "Run applying"],
      ["run:completed", "completed", "Run completed"],
      ["run:errored", "errored", "Run errored"],
    ] as const) {
      it(`for ${trigger}`, async () => {
        add("/hook", { triggers: [trigger] });
        await emulator.provisioning.sendNotification({ workspace, trigger });
        const [notification] = at(bodies()[0], "notifications") as unknown[];
        assert.deepEqual(
          [at(notification, "trigger"), at(notification, "run_status"), at(notification, "message")],
          [trigger, status, message],
        );
      });
    }

    it("as a text for chats", async () => {
      add("/chat", { destinationType: "chat-a" });
      await emulator.provisioning.sendNotification({ workspace, trigger: "run:completed" });
      assert.deepEqual(bodies(), [{ text: "Run completed: acme/shop" }]);
    });

    for (const trigger of ["assessment:drifted", "assessment:failed"] as const) {
      it(`for ${trigger}, with a body of their own`, async () => {
        add("/hook", { triggers: [trigger] });
        await emulator.provisioning.sendNotification({ workspace, trigger });
        const [body] = bodies();
        assert.deepEqual(
          ["payload_version", "trigger", "run_id", "notifications"].map((name) => at(body, name)),
          [1, trigger, undefined, undefined],
        );
      });
    }

    it("only when they are enabled, have the trigger and belong to the workspace", async () => {
      const elsewhere = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
      add("/disabled", { enabled: false });
      add("/other-trigger", { triggers: ["run:created", "run:errored"] });
      add("/other-workspace", { workspace: elsewhere });
      add("/mail", { destinationType: "email", url: null });
      const id = add("/right", { triggers: ["run:created", "run:completed"] });
      const deliveries = await emulator.provisioning.sendNotification({
        workspace,
        trigger: "run:completed",
      });
      assert.deepEqual(
        deliveries.map(({ notificationConfigurationId }) => notificationConfigurationId),
        [id],
      );
      assert.deepEqual(
        receiver.received.map(({ url }) => url),
        ["/right"],
      );
    });

    it("about the same run, and tell what each of them returned", async () => {
      const port = await unusedPort();
      receiver = await startServer((response, request) => {
        response.writeHead(request.url === "/fails" ? 500 : 200).end();
      });
      const ids = [add("/one"), add("/fails"), add("", { url: `http://127.0.0.1:${port}` })];
      const deliveries = await emulator.provisioning.sendNotification({
        workspace,
        trigger: "run:completed",
      });
      assert.deepEqual(deliveries, [
        { notificationConfigurationId: ids[0], status: 200, failure: null },
        { notificationConfigurationId: ids[1], status: 500, failure: null },
        { notificationConfigurationId: ids[2], status: null, failure: "connection refused" },
      ]);
      assert.equal(new Set(bodies().map((body) => at(body, "run_id"))).size, 1);
    });
  });
});
