import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../../sdk/testing";
import { provisioningDialects } from "../../../sdk/testing/provisioning/dialect";
import { notificationBodies, verificationBody } from "../../../sdk/testing/provisioning/notification-body";
import { NoReceipt, type ReceiverOptions, Receivers } from "../../../sdk/testing/provisioning/receivers";
import {
  type TestServer,
  json,
  startRawServer,
  startServer,
  stopServers,
  unusedPort,
} from "../../http/server";
import { type KeyPair, certificates } from "../../support/certificates";
import { type CallOptions, type Reply, at, call, textAt, until } from "../call";
import { assertRefused } from "./refusal";

const { documented, hashicorp } = provisioningDialects;

describe("the bodies of the emulator's notifications", () => {
  const target = (destinationType: "generic" | "chat-a" | "chat-b") => ({
    id: "nc-1",
    name: "receiver",
    destinationType,
  });
  const workspace = { id: "ws-1", name: "a/b", organization: "a c", projectId: "prj-1" };

  for (const type of ["chat-a", "chat-b"] as const) {
    it(`are texts for ${type}`, () => {
      assert.deepEqual(verificationBody(target(type)), { text: "Verification of receiver" });
      const bodyFor = notificationBodies(workspace, "run:created", {}, "now", documented);
      assert.deepEqual(bodyFor(target(type)), { text: "Run created: a c/a/b" });
    });
  }
});

describe("the body of a notification that is not about a run", () => {
  const target = { id: "nc-1", name: "receiver", destinationType: "generic" } as const;
  const workspace = { id: "ws-1", name: "a/b", organization: "a c", projectId: "prj-1" };
  const bodyFor = (trigger: string): unknown =>
    notificationBodies(workspace, trigger, { message: "Why" }, "2026-01-31T12:00:00.000Z", hashicorp)(target);

  for (const [trigger, succeeded, drifted, allChecksSucceeded] of [
    ["assessment:drifted", true, true, true],
    ["assessment:check_failure", true, false, false],
    ["assessment:failed", false, false, true],
  ] as const) {
    it(`has the result of ${trigger}`, () => {
      const result = at(bodyFor(trigger), "details", "new_assessment_result");
      assert.deepEqual(
        ["succeeded", "drifted", "all_checks_succeeded"].map((name) => at(result, name)),
        [succeeded, drifted, allChecksSucceeded],
      );
    });
  }

  for (const [trigger, announced, type] of [
    ["workspace:auto_destroy_reminder", "workspace:auto_destroy_reminder", "reminder"],
    ["workspace:auto_destroy_run_results", "workspace:auto_destroy_results", "results"],
  ] as const) {
    it(`announces ${trigger} as ${announced}`, () => {
      const body = bodyFor(trigger);
      assert.deepEqual([at(body, "trigger"), at(body, "details", "trigger_type")], [announced, type]);
    });
  }
});

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

describe("the emulator's requests to receivers", () => {
  afterEach(stopServers);

  const receivers = (options: Partial<ReceiverOptions> = {}): Receivers =>
    new Receivers({ timeout: 10_000, certificateAuthority: undefined, ...options });
  const because =
    (reason: RegExp) =>
    (error: unknown): boolean => {
      assert.ok(error instanceof NoReceipt);
      assert.match(error.message, reason);
      return true;
    };

  it("carry the body byte for byte, its length and the given headers", async () => {
    const { address, received } = await startServer((response) => response.writeHead(204).end());
    const receipt = await receivers().post(`${address}/a?b=c`, '{"ü":"✓"}', { "X-Own": "value" });
    assert.deepEqual([receipt.status, receipt.body], [204, ""]);
    const [request] = received;
    assert.ok(request);
    assert.deepEqual([request.method, request.url, request.body], ["POST", "/a?b=c", '{"ü":"✓"}']);
    assert.equal(request.headers["content-length"], String(Buffer.byteLength('{"ü":"✓"}')));
    assert.equal(request.headers["x-own"], "value");
  });

  it("carry the credentials that are part of the address", async () => {
    const { address, received } = await startServer((response) => response.end());
    await receivers().post(address.replace("//", "//user:pass@"), "{}", {});
    const credentials = Buffer.from("user:pass").toString("base64");
    assert.equal(received[0]?.headers.authorization, `Basic ${credentials}`);
  });

  for (const [what, text, length] of [
    ["4 KiB", "a".repeat(10_000), 4_096],
    ["whole characters", `a${"ü".repeat(5_000)}`, 4_095],
    ["all of it when it is short", "ü", 2],
  ] as const) {
    it(`keep of the response ${what}`, async () => {
      const { address } = await startServer((response) => response.end(text));
      const { body } = await receivers().post(address, "{}", {});
      assert.ok(text.startsWith(body));
      assert.equal(Buffer.byteLength(body), length);
    });
  }

  it("end with the beginning of a response that never ends", async () => {
    const { address } = await startServer((response) => {
      response.write("a".repeat(5_000));
    });
    assert.equal((await receivers().post(address, "{}", {})).body.length, 4_096);
  });

  it("go over HTTPS, to receivers with a certificate for their host that a trusted authority signed", async () => {
    const { authority, otherAuthority, server, otherHost } = certificates();
    const post = async ({ key, certificate }: KeyPair, trusted?: KeyPair): Promise<number> => {
      const { address } = await startServer((response) => response.end(), { key, cert: certificate });
      const all = receivers({ certificateAuthority: trusted?.certificate });
      return (await all.post(address, "{}", {})).status;
    };
    assert.equal(await post(server, authority), 200);
    await assert.rejects(post(server, otherAuthority), because(/certificate/));
    await assert.rejects(post(server), because(/certificate/));
    await assert.rejects(post(otherHost, authority), because(/altnames/));
  });

  describe("fail", () => {
    it("when nobody listens", async () => {
      const port = await unusedPort();
      const post = receivers().post(`http://127.0.0.1:${port}`, "{}", {});
      await assert.rejects(post, because(/^connection refused$/));
    });

    it("when the connection is closed before a response", async () => {
      const { address } = await startRawServer((socket) => socket.destroy());
      await assert.rejects(receivers().post(address, "{}", {}), because(/closed before a response/));
    });

    it("when the connection is closed in the middle of the response", async () => {
      const { address } = await startRawServer((socket) => {
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
      });
      await assert.rejects(receivers().post(address, "{}", {}), because(/./));
    });

    it("when the response is not HTTP", async () => {
      const { address } = await startRawServer((socket) => socket.end("rubbish\r\n\r\n"));
      await assert.rejects(receivers().post(address, "{}", {}), because(/Parse Error/));
    });

    it("when the response takes too long to begin or to end", async () => {
      const silent = await startServer(() => undefined);
      const slow = await startServer((response) => {
        response.write("half");
      });
      for (const { address } of [silent, slow]) {
        const post = receivers({ timeout: 50 }).post(address, "{}", {});
        await assert.rejects(post, because(/^no response within 0\.05 s$/));
      }
    });

    it("when they are abandoned", async () => {
      const { address, received } = await startServer(() => undefined);
      const all = receivers();
      const posts = [1, 2].map(async () => assert.rejects(all.post(address, "{}", {}), because(/reset/)));
      await until(() => received.length === 2);
      all.abandon();
      await Promise.all(posts);
    });
  });
});
