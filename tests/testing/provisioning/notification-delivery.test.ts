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

    it("is not needed for e-mail", async () => {
      const created = await create({ "destination-type": "email", url: null });
      assert.equal(created.status, 201);
      const verified = await verify(textAt(created.body, "data", "id"));
      assert.equal(verified.status, 200);
      assert.deepEqual(at(verified.body, "data", "attributes", "delivery-responses"), []);
      assert.equal(receiver.received.length, 0);
    });
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

    for (const accepted of [200, 201, 204, 299]) {
      it(`is success with ${accepted}`, async () => {
        status = accepted;
        assert.equal((await create()).status, 201);
        assert.deepEqual(codes(), [[String(accepted)]]);
      });
    }

    for (const refused of [301, 302, 307, 400, 401, 404, 500, 503]) {
      it(`is failure with ${refused}, which is not followed anywhere`, async () => {
        status = refused;
        assertRefused(await create(), 400, new RegExp(`could not be completed: HTTP ${refused}\\.$`));
        assert.deepEqual(stored(), []);
        assert.equal(receiver.received.length, 1);
      });
    }
  });

  describe("create", () => {
    it("saves it enabled when the receiver answers", async () => {
      const reply = await create();
      assert.equal(reply.status, 201);
      assert.equal(at(reply.body, "data", "attributes", "enabled"), true);
      assert.equal(stored()[0]?.enabled, true);
    });

    for (const enabled of [false, undefined]) {
      it(`asks nobody when enabled is ${enabled}`, async () => {
        status = 500;
        assert.equal((await create({ enabled })).status, 201);
        assert.equal(receiver.received.length, 0);
        assert.deepEqual(codes(), [[]]);
      });
    }

    it("asks nobody when the description breaks a rule, or there is no room", async () => {
      assertRefused(await create({ triggers: ["x"] }), 422, /known/, "/data/attributes/triggers");
      for (let number = 1; number <= 20; number++) {
        add(false);
      }
      assertRefused(await create(), 422, /20 notification configurations/);
      assert.equal(receiver.received.length, 0);
    });

    it("saves nothing when the receiver is not there", async () => {
      const port = await unusedPort();
      const reply = await create({ url: `http://127.0.0.1:${port}/` });
      assertRefused(reply, 400, /could not be completed: connection refused\.$/);
      assert.deepEqual(stored(), []);
    });
  });

  describe("update", () => {
    const changes: readonly [boolean, object, number][] = [
      [false, { enabled: true }, 1],
      [true, { enabled: true }, 1],
      [true, { name: "other" }, 1],
      [true, {}, 1],
      [true, { enabled: false }, 0],
      [false, { name: "other" }, 0],
      [false, { enabled: false }, 0],
    ];
    for (const [before, attributes, requests] of changes) {
      const what = `of one that is ${before ? "enabled" : "disabled"} with ${JSON.stringify(attributes)}`;
      it(`${what} asks ${requests} times`, async () => {
        const id = add(before);
        assert.equal((await update(id, attributes)).status, 200);
        assert.equal(receiver.received.length, requests);
        assert.deepEqual(codes(), [requests === 1 ? ["200"] : []]);
      });

      it(`${what} ${requests === 1 ? "changes nothing" : "succeeds"} when the receiver fails`, async () => {
        const id = add(before);
        const unchanged = stored();
        status = 500;
        const reply = await update(id, attributes);
        if (requests === 1) {
          assertRefused(reply, 400, /HTTP 500/);
          assert.deepEqual(stored(), unchanged);
        } else {
          assert.equal(reply.status, 200);
        }
      });
    }

    it("asks the new address, in the new name, signed with the new token", async () => {
      const id = add(true);
      const { address } = receiver;
      await update(id, { url: `${address}/new`, name: "new", token: "new" });
      const [request] = receiver.received;
      assert.ok(request);
      assert.equal(request.url, "/new");
      assert.match(request.body, /Verification of new/);
      const signature = createHmac("sha512", "new").update(request.body).digest("hex");
      assert.equal(request.headers["x-svc-notification-signature"], signature);
    });

    it("replaces the response before, which stays when the configuration is disabled", async () => {
      const id = add(true);
      await update(id, {});
      status = 202;
      await update(id, {});
      assert.deepEqual(codes(), [["202"]]);
      await update(id, { enabled: false });
      assert.deepEqual(codes(), [["202"]]);
    });
  });

  describe("the action", () => {
    for (const enabled of [true, false]) {
      it(`asks and stores the response, and leaves it ${enabled ? "enabled" : "disabled"}`, async () => {
        const id = add(enabled);
        const [before] = stored();
        const reply = await verify(id);
        assert.equal(reply.status, 200);
        assert.equal(at(reply.body, "data", "attributes", "delivery-responses", 0, "code"), "200");
        assert.deepEqual({ ...stored()[0], deliveryResponses: [] }, before);
        assert.deepEqual(codes(), [["200"]]);
      });
    }

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

    it("answers 422 when the workspace was filled meanwhile", async () => {
      const reply = create();
      await until(() => waiting.length === 1);
      for (let number = 1; number <= 20; number++) {
        add(false);
      }
      release();
      assertRefused(await reply, 422, /20 notification configurations/);
      assert.equal(stored().length, 20);
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
