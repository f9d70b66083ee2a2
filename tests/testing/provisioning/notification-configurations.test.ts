import assert from "node:assert/strict";
import type { EmulatorSeed, NewNotificationConfiguration } from "../../../sdk/testing";
import { startServer, stopServers, unusedPort, type TestServer } from "../../http/server";
import { useEmulator } from "../../support/use-emulator";
import { type Exchange, assertResponses, at, call } from "../call";

const seed: EmulatorSeed = {
  organizations: [{ name: "acme" }, { name: "other" }],
  users: [
    { id: "user-member", organization: ["acme", "other"] },
    { id: "user-stranger", organization: "other" },
  ],
  workspaces: [
    { id: "ws-1", organization: "acme", name: "shop" },
    { id: "ws-2", organization: "acme" },
  ],
};
const path = "/api/v2/workspaces/ws-1/notification-configurations";
const create = `POST ${path}`;
const url = "http://receiver.example/";
const generic = { name: "receiver", "destination-type": "generic", url };
const email = { name: "mail", "destination-type": "email", url: null };
const described = (attributes: unknown, relationships?: unknown) => ({
  data: { type: "notification-configuration", attributes, relationships },
});
const user = (id: unknown) => ({ id, type: "users" });
const attribute = (name: string, detail = ""): RegExp => new RegExp(`^/data/attributes/${name} .*${detail}`);

describe("the emulator's notification configurations", () => {
  const emulator = useEmulator({ seed });
  const stored = () => emulator.inspect().provisioning.notificationConfigurations;
  const add = (name = "x", more: Partial<NewNotificationConfiguration> = {}): string =>
    emulator.provisioning.addNotificationConfiguration({ workspace: "ws-1", name, ...more }).id;

  it("the emulator's list of notification configurations is whole, and in pages of 20 when either page parameter is given", async () => {
    const names = Array.from({ length: 25 }, (_, index) => `receiver ${index + 1}`);
    names.forEach((name) => add(name));
    add("elsewhere", { workspace: "ws-2" });
    const list = async (query = ""): Promise<unknown> =>
      (await call(emulator, "provisioning", "GET", path + query)).body;
    const namesIn = (body: unknown): unknown[] =>
      (at(body, "data") as unknown[]).map((item) => at(item, "attributes", "name"));
    const whole = await list();
    assert.deepEqual([Object.keys(Object(whole) as object), namesIn(whole)], [["data"], names]);
    const second = await list("?page%5Bnumber%5D=2");
    assert.deepEqual(namesIn(second), names.slice(20));
    const pages = { "current-page": 2, "prev-page": 1, "next-page": null, "total-pages": 2 };
    assert.deepEqual(at(second, "meta"), { pagination: { ...pages, "total-count": 25 } });
    const first = `${emulator.provisioning.address}${path}?page%5Bnumber%5D=1&page%5Bsize%5D=20`;
    assert.deepEqual([at(second, "links", "prev"), at(second, "links", "next")], [first, null]);
    assert.deepEqual(namesIn(await list("?page[size]=3")), names.slice(0, 3));
    assert.deepEqual(namesIn(await list("?page[size]=100")), names);
    assert.deepEqual(namesIn(await list("?page[number]=9")), []);
  });

  it("the emulator's notification configurations refuse what they cannot be, and name its place in the request", async () => {
    const wrong = (changed: object, name: string, detail: string): Exchange => {
      return [create, described({ ...generic, ...changed }), 422, attribute(name, detail)];
    };
    const wrongUsers = (given: object, users: unknown, error: RegExp): Exchange => {
      return [create, described(given, { users }), 422, error];
    };
    await assertResponses(emulator, "provisioning", [
      [create, undefined, 422, /^ /],
      [create, { data: { type: "notification_configuration", attributes: generic } }, 422, /^\/data\/type /],
      [create, { data: { ...described(generic).data, id: "nc-1" } }, 422, /^\/data\/id /],
      [create, { ...described(generic), meta: {} }, 422, /^\/meta /],
      wrong({ "destination-type": "slack" }, "destination-type", "generic, email, chat-a, chat-b"),
      wrong({ name: null }, "name", "can't be blank"),
      wrong({ name: 1 }, "name", "must be a string"),
      wrong({ enabled: "true" }, "enabled", "true or false"),
      wrong({ token: 1 }, "token", "string or null"),
      wrong({ triggers: "run:created" }, "triggers", "must be a list"),
      wrong({ triggers: ["run:created", "verification"] }, "triggers", "known: run:created"),
      wrong({ url: "" }, "url", "can't be blank"),
      wrong({ url: "ftp://x" }, "url", "HTTP or HTTPS"),
      wrong({ url: "http://a b" }, "url", "HTTP or HTTPS"),
      wrong({ description: "x" }, "description", "unknown"),
      wrong({ "destination-type": "chat-b", token: "key" }, "token", "not supported"),
      wrong({ "destination-type": "email" }, "url", "not supported"),
      wrongUsers(email, [user("user-member"), user("user-stranger")], /users User user-stranger not found/),
      wrongUsers(email, { data: [], links: {} }, /^\/data\/relationships\/users\/links /),
      wrongUsers(email, { data: [user(1)] }, /^\/data\/relationships\/users\/data\/0\/id /),
      wrongUsers(email, [{ id: "user-1", type: "user" }], /^\/data\/relationships\/users\/0\/type /),
      wrongUsers(generic, [user("user-member")], /users Users are not supported/),
    ]);
    assert.deepEqual(stored(), []);
  });

  it("the emulator's notification configurations refuse an update that breaks a rule, and change nothing then", async () => {
    const id = add("x", { url, token: "key" });
    const before = stored();
    const path = `/api/v2/notification-configurations/${id}`;
    const patch = `PATCH ${path}`;
    const renamed = (attributes: object) => described({ name: "other", ...attributes });
    await assertResponses(emulator, "provisioning", [
      [patch, renamed({ "destination-type": "chat-a" }), 422, attribute("destination-type", "can't be")],
      [patch, renamed({ url: null }), 422, attribute("url")],
      [patch, renamed({ "delivery-responses": [] }), 422, attribute("delivery-responses")],
      [patch, { data: { ...renamed({}).data, id: "nc-x" } }, 422, /^\/data\/id .*differs/],
      [`POST ${path}/actions/verify`, {}, 400, /no body/],
      [`POST ${path}/actions/verify?a=b`, undefined, 400, /^\?a .*unknown/],
    ]);
    for (const request of [`DELETE ${path}`, `POST ${path}/actions/verify`]) {
      const exchange: Exchange = [request, undefined, 415, /Content-Type/];
      await assertResponses(emulator, "provisioning", [exchange], { contentType: null });
    }
    assert.deepEqual(stored(), before);
  });
});

describe("notifications of the emulator", () => {
  const emulator = useEmulator({ seed });
  const products = useEmulator({ dialect: { provisioning: "hashicorp" }, seed });
  let receiver: TestServer;
  let closedPort: number;
  beforeEach(async () => {
    closedPort = await unusedPort();
    receiver = await startServer((response, request) => {
      response.writeHead(request.url === "/fails" ? 500 : 200).end();
    });
  });
  afterEach(stopServers);

  const add = (name: string, more: Partial<NewNotificationConfiguration> = {}, to = emulator): string =>
    to.provisioning.addNotificationConfiguration({
      workspace: "ws-1",
      name,
      url: receiver.address + name,
      enabled: true,
      triggers: ["run:completed"],
      ...more,
    }).id;
  const send = async (trigger = "run:completed", from = emulator) =>
    from.provisioning.sendNotification({ workspace: "ws-1", trigger });
  const bodies = (): unknown[] => receiver.received.map(({ body }) => JSON.parse(body) as unknown);

  it("the emulator's notifications report every trigger of a run, drift with a body of its own, and to chats as text", async () => {
    const triggers = ["created", "planning", "needs_attention", "applying", "completed", "errored"];
    for (const trigger of triggers) {
      add("/hook", { triggers: [`run:${trigger}`] });
      await send(`run:${trigger}`);
    }
    const sent = bodies().map((body) => at(body, "notifications", 0));
    assert.deepEqual(
      sent.map((each) => [at(each, "trigger"), at(each, "run_status")].join()),
      triggers.map((trigger) => `run:${trigger},${trigger === "created" ? "pending" : trigger}`),
    );
    assert.equal(at(sent[2], "message"), "Run needs attention");
    add("/chat", { destinationType: "chat-a", triggers: ["assessment:failed"] });
    add("/hook", { triggers: ["assessment:drifted"] });
    await send("assessment:failed");
    await send("assessment:drifted");
    const [chat, drift] = bodies().slice(-2);
    assert.deepEqual(chat, { text: "Assessment failed: acme/shop" });
    const found = ["payload_version", "trigger", "run_id", "notifications"].map((name) => at(drift, name));
    assert.deepEqual(found, [1, "assessment:drifted", undefined, undefined]);
  });

  it("the emulator's notifications go to the configurations of the workspace that are enabled and have the trigger", async () => {
    add("/disabled", { enabled: false });
    add("/other-trigger", { triggers: ["run:created", "run:errored"] });
    add("/other-workspace", { workspace: "ws-2" });
    add("/mail", { destinationType: "email", url: null });
    const ids = [add("/one"), add("/fails"), add("", { url: `http://127.0.0.1:${closedPort}` })];
    const actual = await send();
    assert.deepEqual(actual, [
      { notificationConfigurationId: ids[0], status: 200, failure: null },
      { notificationConfigurationId: ids[1], status: 500, failure: null },
      { notificationConfigurationId: ids[2], status: null, failure: "connection refused" },
    ]);
    assert.deepEqual(receiver.received.map((request) => request.url).toSorted(), ["/fails", "/one"]);
    assert.equal(new Set(bodies().map((body) => at(body, "run_id"))).size, 1);
    await assert.rejects(send("verification"), /no trigger "verification"; it has run:created/);
    const elsewhere = emulator.provisioning.sendNotification({ workspace: "none", trigger: "run:created" });
    await assert.rejects(elsewhere, /no workspace "none"/);
  });

  it("the emulator's notifications have other destinations and forms in the hashicorp dialect", async () => {
    const body = described({ ...generic, "destination-type": "slack", enabled: false });
    const { status } = await call(products, "provisioning", "POST", path, { body });
    const [stored] = products.inspect().provisioning.notificationConfigurations;
    assert.deepEqual([status, stored?.destinationType], [201, "chat-a"]);
    await assertResponses(products, "provisioning", [
      [create, described({ ...generic, "destination-type": "chat-a" }), 422, / one of .*slack, microsoft-/],
      [create, described(email, { users: [] }), 422, /^\/data\/relationships\/users /],
    ]);
    add("/hook", { token: "key" }, products);
    await send("run:completed", products);
    assert.ok("x-tfe-notification-signature" in (receiver.received[0]?.headers ?? {}));
  });
});
