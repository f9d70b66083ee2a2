import assert from "node:assert/strict";
import type { EmulatorSeed, NewNotificationConfiguration } from "../../../sdk/testing";
import { startServer, stopServers, type TestServer } from "../../http/server";
import { useEmulator } from "../../support/use-emulator";
import { type Exchange, assertResponses, at, call } from "../call";

const seed: EmulatorSeed = {
  organizations: [{ name: "acme" }, { name: "other" }],
  users: [{ id: "user-member", organization: ["acme", "other"] }, { id: "user-stranger" }],
  workspaces: ["ws-1", "ws-2"].map((id) => ({ id, organization: "acme", name: `shop of ${id}` })),
};
const path = "/api/v2/workspaces/ws-1/notification-configurations";
const create = `POST ${path}`;
const url = "http://receiver.example/";
const generic = { name: "receiver", "destination-type": "generic", url };
const email = { name: "mail", "destination-type": "email", url: null };
const described = (attributes: unknown, relationships?: unknown) => ({
  data: { type: "notification-configuration", attributes, relationships },
});

describe("the emulator's notification configurations", () => {
  const emulator = useEmulator({ seed });
  const stored = () => emulator.inspect().provisioning.notificationConfigurations;
  const add = (name = "x", more: Partial<NewNotificationConfiguration> = {}): string =>
    emulator.provisioning.addNotificationConfiguration({ workspace: "ws-1", name, ...more }).id;

  it("the emulator's list of notification configurations is complete, or in pages of 20 if a page parameter is set", async () => {
    const names = Array.from({ length: 25 }, (_, index) => `receiver ${index + 1}`);
    names.forEach((name) => add(name));
    add("elsewhere", { workspace: "ws-2" });
    const list = async (query: string): Promise<unknown> =>
      (await call(emulator, "provisioning", "GET", path + query)).body;
    for (const [query, expected] of [
      ["", names],
      ["?page%5Bnumber%5D=2", names.slice(20)],
      ["?page[size]=3", names.slice(0, 3)],
      ["?page[size]=100", names],
      ["?page[number]=9", []],
    ] as const) {
      const body = await list(query);
      const found = (at(body, "data") as unknown[]).map((item) => at(item, "attributes", "name"));
      assert.deepEqual(found, expected, query);
      assert.equal(at(body, "meta") === undefined, query === "");
    }
    const second = await list("?page[number]=2");
    const pages = { "current-page": 2, "prev-page": 1, "next-page": null, "total-pages": 2 };
    assert.deepEqual(at(second, "meta"), { pagination: { ...pages, "total-count": 25 } });
    const first = `${emulator.provisioning.address}${path}?page%5Bnumber%5D=1&page%5Bsize%5D=20`;
    assert.deepEqual([at(second, "links", "prev"), at(second, "links", "next")], [first, null]);
  });

  it("the emulator's notification configurations reject invalid values, and name their place in the request", async () => {
    const attribute = ([changed, error]: readonly [object, string]): Exchange => {
      return [create, described({ ...generic, ...changed }), 422, new RegExp(`^/data/attributes/${error}`)];
    };
    const users = ([given, users, error]: readonly [object, unknown, string]): Exchange => {
      return [create, described(given, { users }), 422, new RegExp(`^/data/relationships/users${error}`)];
    };
    const [member, stranger] = ["user-member", "user-stranger"].map((id) => ({ id, type: "users" }));
    const { data } = described(generic);
    const attributes: readonly (readonly [object, string])[] = [
      [{ "destination-type": "slack" }, "destination-type .*generic, email, chat-a, chat-b"],
      [{ name: null }, "name .*can't be blank"],
      [{ name: 1 }, "name .*must be a string"],
      [{ enabled: "true" }, "enabled .*true or false"],
      [{ token: 1 }, "token .*string or null"],
      [{ triggers: "run:created" }, "triggers .*must be a list"],
      [{ triggers: ["run:created", "verification"] }, "triggers .*known: run:created"],
      [{ url: "" }, "url .*can't be blank"],
      [{ url: "ftp://x" }, "url .*HTTP or HTTPS"],
      [{ description: "x" }, "description .*unknown"],
    ];
    const relationships: readonly (readonly [object, unknown, string])[] = [
      [email, [member, stranger], " User user-stranger not found"],
      [email, { data: [], links: {} }, "/links "],
      [email, { data: [{ id: 1, type: "users" }] }, "/data/0/id "],
      [email, [{ id: "user-1", type: "user" }], "/0/type "],
    ];
    await assertResponses(emulator, "provisioning", [
      [create, undefined, 422, /^ /],
      [create, { data: { ...data, type: "notification_configuration" } }, 422, /^\/data\/type /],
      [create, { data: { ...data, id: "nc-1" } }, 422, /^\/data\/id /],
      [create, { data, meta: {} }, 422, /^\/meta /],
      ...attributes.map(attribute),
      ...relationships.map(users),
    ]);
    assert.deepEqual(stored(), []);
  });

  it("the emulator's notification configurations reject an update that breaks a rule, and then change nothing", async () => {
    const id = add("x", { url, token: "key" });
    const before = stored();
    const path = `/api/v2/notification-configurations/${id}`;
    const [patch, verify] = [`PATCH ${path}`, `POST ${path}/actions/verify`];
    const renamed = (attributes: object) => described({ name: "other", ...attributes });
    const [chat, responses] = [{ "destination-type": "chat-a" }, { "delivery-responses": [] }];
    await assertResponses(emulator, "provisioning", [
      [patch, renamed(chat), 422, /^\/data\/attributes\/destination-type .*can't/],
      [patch, renamed({ url: null }), 422, /^\/data\/attributes\/url /],
      [patch, renamed(responses), 422, /^\/data\/attributes\/delivery-responses /],
      [patch, { data: { ...renamed({}).data, id: "nc-x" } }, 422, /^\/data\/id .*differs/],
      [verify, {}, 400, /no body/],
      [`${verify}?a=b`, undefined, 400, /^\?a .*unknown/],
    ]);
    const untyped: Exchange = [`PATCH ${path}`, described({ name: "x" }), 415, /Content-Type/];
    await assertResponses(emulator, "provisioning", [untyped], { contentType: null });
    assert.deepEqual(stored(), before);
  });
});

describe("notifications of the emulator", () => {
  const emulator = useEmulator({ seed });
  const products = useEmulator({ dialect: { provisioning: "hashicorp" }, seed });
  let receiver: TestServer;
  beforeEach(async () => {
    receiver = await startServer((response, { url }) =>
      response.writeHead(url === "/fails" ? 500 : 200).end(),
    );
  });
  afterEach(stopServers);

  const add = (name: string, more: Partial<NewNotificationConfiguration> = {}, to = emulator): string => {
    const usual = { url: receiver.address + name, enabled: true, triggers: ["run:completed"] };
    return to.provisioning.addNotificationConfiguration({ workspace: "ws-1", name, ...usual, ...more }).id;
  };
  const send = (trigger = "run:completed", from = emulator, workspace = "ws-1") =>
    from.provisioning.sendNotification({ workspace, trigger });
  const bodies = (): unknown[] => receiver.received.map(({ body }) => JSON.parse(body) as unknown);

  it("the emulator's notifications report every trigger of a run, drift with its own body, and chat messages as text", async () => {
    const triggers = ["created", "planning", "needs_attention", "applying", "completed", "errored"];
    for (const trigger of triggers) {
      add("/hook", { triggers: [`run:${trigger}`] });
      await send(`run:${trigger}`);
    }
    const sent = bodies().map((body) => at(body, "notifications", 0));
    const found = sent.map((each) => [at(each, "trigger"), at(each, "run_status")].join());
    const status = (trigger: string) => `run:${trigger},${trigger === "created" ? "pending" : trigger}`;
    assert.deepEqual(found, triggers.map(status));
    assert.equal(at(sent[2], "message"), "Run needs attention");
    add("/chat", { destinationType: "chat-a", triggers: ["assessment:failed"] });
    add("/hook", { triggers: ["assessment:drifted"] });
    await send("assessment:failed");
    await send("assessment:drifted");
    const [chat, drift] = bodies().slice(-2);
    assert.deepEqual(chat, { text: "Assessment failed: acme/shop of ws-1" });
    const members = ["payload_version", "trigger", "run_id", "notifications"].map((name) => at(drift, name));
    assert.deepEqual(members, [1, "assessment:drifted", undefined, undefined]);
  });

  it("the emulator's notifications go to the configurations of the workspace that are enabled and have the trigger", async () => {
    add("/disabled", { enabled: false });
    add("/other-trigger", { triggers: ["run:created", "run:errored"] });
    add("/other-workspace", { workspace: "ws-2" });
    add("/mail", { destinationType: "email", url: null });
    const closed = "http://127.0.0.1:9";
    const [one, fails, none] = [add("/one"), add("/fails"), add("", { url: closed })];
    assert.deepEqual(await send(), [
      { notificationConfigurationId: one, status: 200, failure: null },
      { notificationConfigurationId: fails, status: 500, failure: null },
      { notificationConfigurationId: none, status: null, failure: "connection refused" },
    ]);
    assert.deepEqual(receiver.received.map((request) => request.url).toSorted(), ["/fails", "/one"]);
    assert.equal(new Set(bodies().map((body) => at(body, "run_id"))).size, 1);
    await assert.rejects(send("verification"), /no trigger "verification"; it has run:created/);
    await assert.rejects(send("run:created", emulator, "none"), /no workspace "none"/);
  });

  it("the emulator's notifications have different destinations and forms in the hashicorp dialect", async () => {
    const slack = { ...generic, "destination-type": "slack", enabled: false };
    await assertResponses(products, "provisioning", [
      [create, described(slack), 201],
      [create, described({ ...slack, "destination-type": "chat-a" }), 422, / one of .*slack, microsoft-/],
      [create, described(email, { users: [] }), 422, /^\/data\/relationships\/users /],
    ]);
    const [stored] = products.inspect().provisioning.notificationConfigurations;
    assert.equal(stored?.destinationType, "chat-a");
    add("/hook", { token: "key" }, products);
    await send("run:completed", products);
    assert.ok("x-tfe-notification-signature" in (receiver.received[0]?.headers ?? {}));
  });
});
