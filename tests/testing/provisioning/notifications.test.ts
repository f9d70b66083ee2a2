import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../../sdk/testing";
import { type TestServer, json, startRawServer, startServer, stopServers } from "../../http/server";
import { unusedPort } from "../../http/server";
import { certificates } from "../../support/certificates";
import {
  type CallOptions,
  type Reply,
  at,
  call,
  textAt,
  until,
  assertRefusedByProvisioning as assertRefused,
} from "../call";

describe("the emulator's verification of notification configurations", () => {
  const start = new Date("2026-01-31T12:00:00.750Z");
  let emulator: Emulator;
  let workspace: string;
  let status: number;
  let receiver: TestServer;
  const startOver = async (options: EmulatorOptions = {}): Promise<void> => {
    emulator = await startEmulator({ frozenAt: start, ...options });
    emulator.provisioning.addOrganization({ name: "acme" });
    workspace = emulator.provisioning.addWorkspace({ organization: "acme" }).id;
  };
  beforeEach(async () => {
    await startOver();
    status = 200;
    receiver = await startServer((response) => {
      response.writeHead(status, { "X-Hook": ["a", "b"], Location: "/elsewhere" }).end(`answer ${status}`);
    });
  });
  afterEach(async () => {
    await emulator.close();
    stopServers();
  });

  const ask = async (method: string, path: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "provisioning", method, `/api/v2${path}`, options);
  const body = (attributes: object) => ({ data: { type: "notification-configuration", attributes } });
  const create = async (attributes: object = {}): Promise<Reply> => {
    const url = `${receiver.address}/hook?a=b`;
    const usual = { name: "receiver", "destination-type": "generic", url, enabled: true };
    return ask("POST", `/workspaces/${workspace}/notification-configurations`, {
      body: body({ ...usual, ...attributes }),
    });
  };
  const update = async (id: string, attributes: object): Promise<Reply> =>
    ask("PATCH", `/notification-configurations/${id}`, { body: body(attributes) });
  const verify = async (id: string): Promise<Reply> =>
    ask("POST", `/notification-configurations/${id}/actions/verify`);
  const add = (): string =>
    emulator.provisioning.addNotificationConfiguration({
      workspace,
      name: "receiver",
      url: `${receiver.address}/hook`,
      enabled: true,
      token: "key",
    }).id;
  const stored = () => emulator.inspect().provisioning.notificationConfigurations;
  const signatureOf = ({ received }: TestServer) => received[0]?.headers["x-svc-notification-signature"];

  describe("the request", () => {
    it("is one POST of JSON", async () => {
      await create({ url: `${receiver.address.replace("//", "//user:pass@")}/hook?a=b` });
      const credentials = `Basic ${Buffer.from("user:pass").toString("base64")}`;
      assert.deepEqual(
        receiver.received.map(({ method, url, headers }) => [
          method,
          url,
          headers["content-type"],
          headers.authorization,
        ]),
        [["POST", "/hook?a=b", "application/json", credentials]],
      );
    });

    it("is signed with the token", async () => {
      await create({ token: "schlüssel", name: "Empfänger ✓" });
      const input = receiver.received[0]?.body ?? assert.fail("no request");
      const output = execFileSync("openssl", ["dgst", "-sha512", "-hmac", "schlüssel"], { input }).toString();
      assert.equal(signatureOf(receiver), /[0-9a-f]{128}/.exec(output)?.[0]);
    });

    for (const type of ["generic", "chat-a"]) {
      it(`is not signed without a token: ${type}`, async () => {
        assert.equal((await create({ "destination-type": type })).status, 201);
        assert.equal(receiver.received.length, 1);
        assert.equal(signatureOf(receiver), undefined);
      });
    }
  });

  describe("the response", () => {
    it("is stored and shown with all its members", async () => {
      emulator.advance("90s");
      const reply = await create();
      const [response] = at(reply.body, "data", "attributes", "delivery-responses") as unknown[];
      assert.deepEqual(response, {
        url: `${receiver.address}/hook?a=b`,
        body: "answer 200",
        code: "200",
        headers: {
          "x-hook": ["a", "b"],
          location: ["/elsewhere"],
          date: [textAt(response, "headers", "date", 0)],
          connection: ["close"],
          "transfer-encoding": ["chunked"],
        },
        "sent-at": "2026-01-31 12:01:30 UTC",
        successful: "true",
      });
      const { "sent-at": sentAt, ...rest } = response as Record<string, unknown>;
      assert.deepEqual(stored()[0]?.deliveryResponses, [{ ...rest, sentAt }]);
    });

    for (const [what, text, length, ends] of [
      ["4 KiB", "a".repeat(10_000), 4_096, true],
      ["whole characters", `a${"ü".repeat(5_000)}`, 4_095, true],
      ["the beginning of what never ends", "a".repeat(5_000), 4_096, false],
    ] as const) {
      it(`is kept as ${what}`, async () => {
        receiver = await startServer((response) => (ends ? response.end(text) : response.write(text)));
        await create();
        const kept = stored()[0]?.deliveryResponses[0]?.body ?? "";
        assert.ok(text.startsWith(kept));
        assert.equal(Buffer.byteLength(kept), length);
      });
    }
  });

  it("saves nothing when the receiver is not there, or hangs up", async () => {
    const url = `http://127.0.0.1:${await unusedPort()}/`;
    assertRefused(await create({ url }), 400, /could not be completed: connection refused\.$/);
    const raw = await startRawServer((socket) => socket.destroy());
    assertRefused(await create({ url: raw.address }), 400, /the connection was closed before a response/);
    assert.deepEqual(stored(), []);
  });

  describe("the action", () => {
    it("returns 400 for a status that is no success, and stores it all the same", async () => {
      const id = add();
      await verify(id);
      status = 500;
      assertRefused(await verify(id), 400, /HTTP 500/);
      const [response] = stored()[0]?.deliveryResponses ?? [];
      assert.deepEqual([response?.code, response?.successful], ["500", "false"]);
      assert.equal(stored()[0]?.enabled, true);
      stopServers();
      assertRefused(await verify(id), 400, /connection refused/);
      assert.equal(stored()[0]?.deliveryResponses[0]?.code, "500", "without a response the one before stays");
    });

    it("takes no body and no query", async () => {
      const path = `/notification-configurations/${add()}/actions/verify`;
      assertRefused(await ask("POST", path, { body: {} }), 400, /no body/);
      assertRefused(await ask("POST", `${path}?a=b`), 400, /unknown/, "?a");
      assert.equal(receiver.received.length, 0);
    });
  });

  describe("a receiver that keeps the service waiting", () => {
    let waiting: (() => void)[];
    const release = (): void => waiting.forEach((respond) => respond());
    beforeEach(async () => {
      waiting = [];
      receiver = await startServer((response) => {
        waiting.push(() => json(response, 200, {}));
      });
    });

    it("has its time, and then all is as before", async () => {
      await emulator.close();
      await startOver({ provisioning: { receiverTimeout: "50ms" } });
      assertRefused(await create(), 400, /no response within 0\.05 s/);
      assert.deepEqual(stored(), []);
    });

    it("does not bring back what was removed meanwhile", async () => {
      const id = add();
      const calls = [create(), update(id, { name: "other" }), verify(id)];
      await until(() => waiting.length === calls.length);
      emulator.provisioning.removeWorkspace(workspace);
      release();
      for (const reply of await Promise.all(calls)) {
        assertRefused(reply, 404, /may not/);
      }
      assert.deepEqual(stored(), []);
    });

    it("keeps what others changed meanwhile", async () => {
      const id = add();
      const reply = update(id, { name: "other" });
      await until(() => waiting.length === 1);
      emulator.provisioning.changeNotificationConfiguration(id, { triggers: ["run:created"] });
      release();
      assert.equal((await reply).status, 200);
      assert.deepEqual(
        stored().map(({ name, triggers }) => [name, triggers]),
        [["other", ["run:created"]]],
      );
    });

    it("is given up by a reset, after which there is nothing", async () => {
      const triggers = ["run:created"];
      emulator.provisioning.changeNotificationConfiguration(add(), { triggers });
      const created = assert.rejects(create());
      const sent = emulator.provisioning.sendNotification({ workspace, trigger: "run:created" });
      await until(() => waiting.length === 2);
      emulator.reset();
      await created;
      const [delivery] = await sent;
      assert.deepEqual([delivery?.status, delivery?.failure], [null, "the emulator was reset"]);
      assert.deepEqual(stored(), []);
    });
  });

  it("asks over HTTPS when the authority of the receiver is trusted", async () => {
    const { authority, server } = certificates();
    const tls = { key: server.key, cert: server.certificate };
    receiver = await startServer((response) => response.end(), tls);
    assertRefused(await create(), 400, /could not be completed: .*certificate/);
    assert.deepEqual(stored(), []);
    await emulator.close();
    await startOver({ provisioning: { receiverCertificateAuthority: authority.certificate } });
    assert.equal((await create()).status, 201);
    assert.equal(receiver.received.length, 1);
  });
});
