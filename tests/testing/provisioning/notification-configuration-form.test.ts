import assert from "node:assert/strict";
import { startEmulator, type Emulator } from "../../../sdk/testing";
import { at, call, type Reply } from "../call";
import { assertRefused } from "./refusal";

describe("describing a notification configuration to the emulator", () => {
  let emulator: Emulator;
  let workspace: string;
  let member: string;
  let stranger: string;
  before(async () => {
    emulator = await startEmulator();
    const { provisioning } = emulator;
    provisioning.addOrganization({ name: "acme" });
    provisioning.addOrganization({ name: "other" });
    member = provisioning.addUser({ organization: ["acme", "other"] }).id;
    stranger = provisioning.addUser({ organization: "other" }).id;
  });
  beforeEach(() => {
    workspace = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
  });
  after(async () => emulator.close());

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

  for (const type of ["notification-configuration", "notification-configurations"]) {
    it(`has the type ${type}`, async () => {
      assert.equal((await send({ data: { type, attributes: generic } })).status, 201);
    });
  }

  const bodies: readonly [unknown, string][] = [
    [undefined, ""],
    [[], ""],
    [{}, "/data"],
    [{ data: [] }, "/data"],
    [{ data: { attributes: generic } }, "/data/type"],
    [{ data: { type: "notification_configuration", attributes: generic } }, "/data/type"],
    [{ data: { ...described(generic).data, id: "nc-1" } }, "/data/id"],
    [{ data: { ...described(generic).data, links: {} } }, "/data/links"],
    [{ ...described(generic), meta: {} }, "/meta"],
    [{ data: { type: "notification-configuration" } }, "/data/attributes/destination-type"],
    [described(null), "/data/attributes"],
    [described(generic, []), "/data/relationships"],
    [described(generic, { subscribable: {} }), "/data/relationships/subscribable"],
    [described(generic, { user: [] }), "/data/relationships/user"],
  ];
  for (const [body, place] of bodies) {
    it(`cannot be ${JSON.stringify(body)}`, async () => {
      assertRefused(await send(body), 422, /./, place);
      assert.deepEqual(stored(), []);
    });
  }

  const values: readonly [string, readonly unknown[], RegExp][] = [
    ["destination-type", [undefined, null, "slack", "Generic", 1], /generic, email, chat-a, chat-b/],
    ["name", [undefined, null], /can't be blank/],
    ["name", [1, []], /must be a text/],
    ["enabled", [null, "true", 1], /true or false/],
    ["token", [1, true, []], /text or null/],
    ["triggers", [null, "run:created", {}], /must be a list/],
    ["triggers", [["run:finished"], ["run:created", 1], [""], ["verification"]], /known: run:created/],
    ["url", [undefined, null, ""], /can't be blank/],
    ["url", [1, []], /text or null/],
    ["url", ["x", "ftp://x", "http://", "//x", " http://x", "http://a b", "mailto:a@b"], /HTTP or HTTPS/],
    ["description", [null, "x"], /unknown/],
    ["destinationType", ["generic"], /unknown/],
    ["created-at", ["2026-01-31T12:00:00Z"], /unknown/],
  ];
  for (const [name, wrong, detail] of values) {
    for (const value of wrong) {
      it(`cannot have ${JSON.stringify(value)} as ${name}`, async () => {
        const reply = await send(described({ ...generic, [name]: value }));
        assertRefused(reply, 422, detail, `/data/attributes/${name}`);
        assert.deepEqual(stored(), []);
      });
    }
  }

  for (const value of [url, "https://receiver.example:8443/a/b?c=d", "HTTP://127.0.0.1:1"]) {
    it(`can have the url ${value}, and shows it as it was sent`, async () => {
      const reply = await send(described({ ...generic, url: value }));
      assert.equal(at(reply.body, "data", "attributes", "url"), value);
    });
  }

  it("has its triggers sorted as the service has them, each once", async () => {
    const reversed = [
      "assessment:failed",
      "assessment:drifted",
      "run:errored",
      "run:completed",
      "run:applying",
      "run:needs_attention",
      "run:planning",
      "run:created",
    ];
    const reply = await send(described({ ...generic, triggers: [...reversed, "run:created", ...reversed] }));
    assert.deepEqual(at(reply.body, "data", "attributes", "triggers"), [...reversed].reverse());
  });

  it("need not be enabled, signed or triggered", async () => {
    await send(described(generic));
    const [saved] = stored();
    assert.deepEqual([saved?.enabled, saved?.token, saved?.triggers], [false, null, []]);
  });

  const combinations: readonly [string, object, string | undefined][] = [
    ["generic", { url }, undefined],
    ["generic", { url, token: "key" }, undefined],
    ["generic", { url, token: null }, undefined],
    ["generic", {}, "url"],
    ["chat-a", { url }, undefined],
    ["chat-a", { url, token: null }, undefined],
    ["chat-a", {}, "url"],
    ["chat-a", { url, token: "key" }, "token"],
    ["chat-b", { url }, undefined],
    ["chat-b", {}, "url"],
    ["chat-b", { url, token: "key" }, "token"],
    ["email", {}, undefined],
    ["email", { url: null, token: null }, undefined],
    ["email", { url }, "url"],
    ["email", { token: "key" }, "token"],
  ];
  for (const [type, attributes, wrong] of combinations) {
    it(`${wrong === undefined ? "can" : "cannot"} be ${type} with ${JSON.stringify(attributes)}`, async () => {
      const reply = await send(described({ name: "x", "destination-type": type, ...attributes }));
      if (wrong === undefined) {
        assert.equal(reply.status, 201, JSON.stringify(reply.body));
        assert.equal(stored().length, 1);
      } else {
        assertRefused(
          reply,
          422,
          wrong === "url" ? /^Url / : /^Token is not supported/,
          `/data/attributes/${wrong}`,
        );
        assert.deepEqual(stored(), []);
      }
    });
  }

  describe("users", () => {
    it("are understood as a list and as an object with a list, each once", async () => {
      for (const users of [[user(member)], { data: [user(member), user(member)] }]) {
        assert.equal((await send(described(email, { users }))).status, 201);
      }
      assert.deepEqual(
        stored().map(({ userIds }) => userIds),
        [[member], [member]],
      );
    });

    it("must belong to the organization", async () => {
      for (const id of [stranger, "user-0000000000000000"]) {
        const reply = await send(described(email, { users: [user(member), user(id)] }));
        assertRefused(reply, 422, new RegExp(`${id} not found`), "/data/relationships/users");
      }
      assert.deepEqual(stored(), []);
    });

    for (const type of ["generic", "chat-a", "chat-b"]) {
      it(`cannot be given to ${type}, except for an empty list`, async () => {
        const attributes = { ...generic, "destination-type": type };
        const reply = await send(described(attributes, { users: [user(member)] }));
        assertRefused(reply, 422, /^Users are not supported/, "/data/relationships/users");
        assert.equal((await send(described(attributes, { users: [] }))).status, 201);
      });
    }

    const lists: readonly [unknown, string][] = [
      [null, ""],
      ["user-1", ""],
      [{}, "/data"],
      [{ data: null }, "/data"],
      [{ data: [], links: {} }, "/links"],
      [["user-1"], "/0"],
      [[{ id: "user-1" }], "/0/type"],
      [[{ id: "user-1", type: "user" }], "/0/type"],
      [[{ type: "users" }], "/0/id"],
      [{ data: [{ id: 1, type: "users" }] }, "/data/0/id"],
      [[{ id: "user-1", type: "users", attributes: {} }], "/0/attributes"],
    ];
    for (const [users, place] of lists) {
      it(`cannot be ${JSON.stringify(users)}`, async () => {
        assertRefused(await send(described(email, { users })), 422, /./, `/data/relationships/users${place}`);
        assert.deepEqual(stored(), []);
      });
    }
  });
});
