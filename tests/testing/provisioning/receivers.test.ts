import assert from "node:assert/strict";
import { NoReceipt, Receivers, type ReceiverOptions } from "../../../sdk/testing/provisioning/receivers";
import { startRawServer, startServer, stopServers, unusedPort } from "../../http/server";
import { certificates, type KeyPair } from "../../support/certificates";
import { until } from "../call";

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
