import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../../sdk/testing";
import { json, startServer, stopServers, unusedPort, type TestServer } from "../../http/server";
import { certificates } from "../../support/certificates";
import { at, call, textAt, until, type CallOptions, type Reply } from "../call";
import { assertRefused } from "./refusal";

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
  const create = async (attributes: object = {}): Promise<Reply> =>
    ask("POST", `/workspaces/${workspace}/notification-configurations`, {
      body: body({
        name: "receiver",
        "destination-type": "generic",
        url: `${receiver.address}/hook?a=b`,
        enabled: true,
        ...attributes,
      }),
    });
  const update = async (id: string, attributes: object): Promise<Reply> =>
    ask("PATCH", `/notification-configurations/${id}`, { body: body(attributes) });
  const verify = async (id: string): Promise<Reply> =>
    ask("POST", `/notification-configurations/${id}/actions/verify`);
  const add = (enabled: boolean): string =>
    emulator.provisioning.addNotificationConfiguration({
      workspace,
      name: "receiver",
      url: `${receiver.address}/hook`,
      enabled,
      token: "key",
    }).id;
  const stored = () => emulator.inspect().provisioning.notificationConfigurations;
  const codes = () => stored().map(({ deliveryResponses }) => deliveryResponses.map(({ code }) => code));
  const opensslSignature = (text: string, key: string): string => {
    const output = execFileSync("openssl", ["dgst", "-sha512", "-hmac", key], { input: text });
    return /[0-9a-f]{128}/.exec(output.toString())?.[0] ?? "";
  };

  describe("the request", () => {
    it("is one POST of JSON", async () => {
      await create();
      assert.deepEqual(
        receiver.received.map(({ method, url, headers }) => [method, url, headers["content-type"]]),
        [["POST", "/hook?a=b", "application/json"]],
      );
    });

    for (const token of ["a secret key", "schlüssel", "x"]) {
      it(`is signed with the token ${token}`, async () => {
        await create({ token, name: "Empfänger ✓" });
        const [request] = receiver.received;
        assert.ok(request);
        const signature = request.headers["x-svc-notification-signature"];
        assert.equal(signature, createHmac("sha512", token).update(request.body).digest("hex"));
        assert.equal(signature, opensslSignature(request.body, token));
        assert.match(signature, /^[0-9a-f]{128}$/);
      });
    }

    it("is not signed without a token", async () => {
      await create();
      assert.equal(receiver.received[0]?.headers["x-svc-notification-signature"], undefined);
    });

    for (const type of ["chat-a", "chat-b"]) {
      it(`is not signed for ${type}`, async () => {
        assert.equal((await create({ "destination-type": type })).status, 201);
        assert.equal(receiver.received.length, 1);
        assert.equal(receiver.received[0]?.headers["x-svc-notification-signature"], undefined);
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
  });

  describe("create", () => {
    it("saves nothing when the receiver is not there", async () => {
      const port = await unusedPort();
      const reply = await create({ url: `http://127.0.0.1:${port}/` });
      assertRefused(reply, 400, /could not be completed: connection refused\.$/);
      assert.deepEqual(stored(), []);
    });
  });

  describe("the action", () => {
    it("answers 400 for a status that is no success, and stores it all the same", async () => {
      const id = add(true);
      await verify(id);
      status = 500;
      assertRefused(await verify(id), 400, /HTTP 500/);
      const [response] = stored()[0]?.deliveryResponses ?? [];
      assert.deepEqual([response?.code, response?.successful], ["500", "false"]);
      assert.equal(stored()[0]?.enabled, true);
    });

    it("answers 400 when there is no response, and keeps the one before", async () => {
      const id = add(true);
      await verify(id);
      stopServers();
      assertRefused(await verify(id), 400, /connection refused/);
      assert.deepEqual(codes(), [["200"]]);
    });

    it("takes no body and no query", async () => {
      const id = add(true);
      const path = `/notification-configurations/${id}/actions/verify`;
      assertRefused(await ask("POST", path, { body: {} }), 400, /no body/);
      assertRefused(await ask("POST", `${path}?a=b`), 400, /unknown/, "?a");
      assert.equal(receiver.received.length, 0);
    });
  });

  describe("a receiver that keeps the service waiting", () => {
    let waiting: (() => void)[];
    const release = (): void => waiting.forEach((answer) => answer());
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
      const id = add(true);
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
      const id = add(true);
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
      emulator.provisioning.changeNotificationConfiguration(add(true), { triggers });
      const created = assert.rejects(create());
      const sent = emulator.provisioning.sendNotification({ workspace, trigger: "run:created" });
      await until(() => waiting.length === 2);
      emulator.reset();
      await created;
      assert.deepEqual(
        (await sent).map(({ status: answered, failure }) => [answered, failure]),
        [[null, "the emulator was reset"]],
      );
      assert.deepEqual(stored(), []);
    });
  });

  it("asks over HTTPS when the authority of the receiver is trusted", async () => {
    const { authority, server } = certificates();
    const tls = { key: server.key, cert: server.certificate };
    receiver = await startServer((response) => response.end(), tls);
    assert.match(receiver.address, /^https:/);
    assertRefused(await create(), 400, /could not be completed: .*certificate/);
    assert.deepEqual(stored(), []);
    await emulator.close();
    await startOver({ provisioning: { receiverCertificateAuthority: authority.certificate } });
    assert.equal((await create()).status, 201);
    assert.equal(receiver.received.length, 1);
  });
});
