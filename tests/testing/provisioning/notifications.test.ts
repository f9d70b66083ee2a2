import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type TestServer, json, startRawServer, startServer, stopServers } from "../../http/server";
import { certificates } from "../../support/certificates";
import { useEmulator } from "../../support/use-emulator";
import { type Reply, assertRefused, call, until } from "../call";

describe("the emulator's verification of notification configurations", () => {
  const { authority, server } = certificates();
  const seed = { organizations: [{ name: "acme" }], workspaces: [{ id: "ws-1", organization: "acme" }] };
  const emulator = useEmulator({ frozenAt: new Date("2026-01-31T12:01:30.750Z"), seed });
  const trusting = { receiverTimeout: "1s", receiverCertificateAuthority: authority.certificate };
  const careful = useEmulator({ seed, provisioning: trusting });
  let status: number;
  let receiver: TestServer;
  beforeEach(async () => {
    status = 200;
    receiver = await startServer((response) => {
      response.writeHead(status, { "X-Hook": ["a", "b"], Location: "/elsewhere" }).end(`answer ${status}`);
    });
  });
  afterEach(stopServers);

  const body = (attributes: object) => ({ data: { type: "notification-configuration", attributes } });
  const create = (attributes: object = {}, from = emulator): Promise<Reply> => {
    const url = `${receiver.address}/hook?a=b`;
    const usual = { name: "receiver", "destination-type": "generic", url, enabled: true };
    const path = "/api/v2/workspaces/ws-1/notification-configurations";
    return call(from, "provisioning", "POST", path, { body: body({ ...usual, ...attributes }) });
  };
  const existing = (id: string) => `/api/v2/notification-configurations/${id}`;
  const change = (id: string, name: string) =>
    call(emulator, "provisioning", "PATCH", existing(id), { body: body({ name }) });
  const verify = (id: string) => call(emulator, "provisioning", "POST", `${existing(id)}/actions/verify`);
  const add = (): string => {
    const usual = { enabled: true, token: "key", triggers: ["run:errored"], url: `${receiver.address}/hook` };
    return emulator.provisioning.addNotificationConfiguration({ workspace: "ws-1", name: "x", ...usual }).id;
  };
  const stored = () => emulator.inspect().provisioning.notificationConfigurations;

  it("the emulator's verification is one POST of JSON, signed with the token of a generic receiver", async () => {
    await create({ "destination-type": "chat-a" });
    await create({ url: `${receiver.address.replace("//", "//user:pass@")}/hook?a=b` });
    await create({ token: "schlüssel", name: "Empfänger ✓" });
    const signatures = receiver.received.map(({ headers }) => headers["x-svc-notification-signature"]);
    const [, open, signed] = receiver.received;
    const credentials = `Basic ${Buffer.from("user:pass").toString("base64")}`;
    const found = [open?.method, open?.url, open?.headers["content-type"], open?.headers.authorization];
    assert.deepEqual(found, ["POST", "/hook?a=b", "application/json", credentials]);
    const signature = createHmac("sha512", "schlüssel")
      .update(signed?.body ?? "")
      .digest("hex");
    assert.deepEqual(signatures, [undefined, undefined, signature]);
  });

  it("the emulator's verification keeps the first 4 KiB of a response in whole characters, even if the response never ends", async () => {
    for (const [text, length, ends] of [
      [`a${"ü".repeat(5_000)}`, 4_095, true],
      ["a".repeat(5_000), 4_096, false],
    ] as const) {
      receiver = await startServer((response) => (ends ? response.end(text) : response.write(text)));
      await create();
      const kept = stored().at(-1)?.deliveryResponses[0]?.body ?? "";
      assert.ok(text.startsWith(kept));
      assert.equal(Buffer.byteLength(kept), length);
    }
  });

  it("the emulator's verification saves nothing when the receiver hangs up, or has a certificate that is not trusted", async () => {
    const raw = await startRawServer((socket) => socket.destroy());
    assertRefused(await create({ url: raw.address }), 400, /the connection was closed before a response/);
    const tls = { key: server.key, cert: server.certificate };
    receiver = await startServer((response) => response.end(), tls);
    assertRefused(await create(), 400, /could not be completed: .*certificate/);
    assert.deepEqual([stored(), receiver.received], [[], []]);
    assert.equal((await create({}, careful)).status, 201);
  });

  it("the emulator's verification returns 400 for a status that is not a success, but still stores it", async () => {
    const id = add();
    await verify(id);
    status = 500;
    assertRefused(await verify(id), 400, /HTTP 500/);
    const [response] = stored()[0]?.deliveryResponses ?? [];
    const { code, successful, body, headers = {}, sentAt } = response ?? {};
    assert.deepEqual([code, successful, body], ["500", "false", "answer 500"]);
    assert.deepEqual([headers["x-hook"], sentAt], [["a", "b"], "2026-01-31 12:01:30 UTC"]);
    stopServers();
    assertRefused(await verify(id), 400, /connection refused/);
    assert.equal(stored()[0]?.deliveryResponses[0]?.code, "500", "without a response the one before stays");
  });

  describe("of a slow receiver", () => {
    let waiting: (() => void)[];
    const release = (): void => waiting.splice(0).forEach((respond) => respond());
    beforeEach(async () => {
      waiting = [];
      receiver = await startServer((response) => waiting.push(() => json(response, 200, {})));
    });

    it("the emulator's verification of a slow receiver ends after its time limit, and then nothing has changed", async () => {
      assertRefused(await create({}, careful), 400, /no response within 1 s/);
      assert.deepEqual(careful.inspect().provisioning.notificationConfigurations, []);
    });

    it("the emulator's verification of a slow receiver does not restore a configuration that was removed in the meantime, and keeps changes by others", async () => {
      const id = add();
      const update = change(id, "other");
      await until(() => waiting.length === 1);
      emulator.provisioning.changeNotificationConfiguration(id, { triggers: ["run:created"] });
      release();
      assert.equal((await update).status, 200);
      const actual = stored().map(({ name, triggers }) => `${name} ${triggers.join()}`);
      assert.deepEqual(actual, ["other run:created"]);
      const late = [create(), change(id, "x"), verify(id)];
      await until(() => waiting.length === late.length);
      emulator.provisioning.removeWorkspace("ws-1");
      release();
      (await Promise.all(late)).forEach((reply) => assertRefused(reply, 404, /not allowed/));
      assert.deepEqual(stored(), []);
    });

    it("the emulator's verification of a slow receiver is abandoned by a reset, after which nothing is left", async () => {
      add();
      const created = assert.rejects(create());
      const sent = emulator.provisioning.sendNotification({ workspace: "ws-1", trigger: "run:errored" });
      await until(() => waiting.length === 2);
      emulator.reset();
      await created;
      assert.equal((await sent)[0]?.failure, "the emulator was reset");
      assert.deepEqual(stored(), []);
    });
  });
});
