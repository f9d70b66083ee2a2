import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer as createHttp2, createSecureServer as createSecureHttp2 } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { ConnectionError } from "../../sdk/base/errors";
import { certificates } from "../support/certificates";
import { connect, disconnect, failure, make, read } from "./calls";
import { json, startRawServer, startServer } from "./server";

const { authority, refused, server } = certificates();
const trusted = { caCertificate: authority.certificate, serverName: "localhost" };
const tls = { cert: server.certificate, key: server.key };
const ok = '{"ok":true}';

describe("a permanent fault", () => {
  afterEach(disconnect);

  /** A read, which would be retried after a temporary fault, and a write, whose error says what might have happened. */
  async function assertFinal(address: string, message: RegExp, mayHaveBeenProcessed = false): Promise<void> {
    for (const operation of [read, make]) {
      const error = await failure(connect(address, trusted).send(operation), ConnectionError);
      assert.match(error.message, message);
      assert.doesNotMatch(error.message, /attempts/);
      assert.deepEqual([error.permanent, error.mayHaveBeenProcessed], [true, mayHaveBeenProcessed]);
      assert.ok((error.advice ?? "").length > 40, error.message);
    }
  }

  const ofSha1 = { ciphers: "DEFAULT@SECLEVEL=0" };
  for (const [name, pair, message, options] of [
    ["the wrong key usage", refused.forClients, /is not allowed for this use \(.*purpose\).*serverAuth/, {}],
    ["a chain that is too long", refused.tooDeep, /its parent authority does not allow \(path length/, {}],
    [
      "a name that is not permitted",
      refused.notPermitted,
      /a name that its authority is not allowed to certify/,
      {},
    ],
    ["a signature with SHA-1", refused.ofSha1, /is too weak \(.*digest.*SHA-256/, ofSha1],
  ] as const) {
    it(`a certificate with ${name} is tried once, and the error explains what is wrong with it`, async () => {
      const own = { cert: pair.certificate, key: pair.key, ...options };
      await assertFinal((await startServer((response) => json(response, 200, {}), own)).address, message);
    });
  }

  const noCipher = /has no cipher or key exchange in common with this machine .*enable a TLS 1\.3/;
  for (const [name, options, message] of [
    ["no common cipher", { maxVersion: "TLSv1.2", ciphers: "ECDHE-RSA-AES128-GCM-SHA256" }, noCipher],
    ["no common protocol", { ALPNProtocols: ["h2"] }, /does not offer HTTP\/1\.1 .*Enable HTTP\/1\.1/],
  ] as const) {
    it(`a server with ${name} is tried only once, and the error names what the server lacks`, async () => {
      await assertFinal(
        (await startServer((response) => json(response, 200, {}), { ...tls, ...options })).address,
        message,
      );
    });
  }

  for (const [alert, message] of [
    [112, /does not recognize the host name in the handshake .*or set serverName/],
    [71, noCipher],
    [47, /does not accept this machine's TLS handshake/],
    [109, /does not accept this machine's TLS handshake/],
  ] as const) {
    it(`a TLS alert ${alert} is explained after one attempt`, async () => {
      const { address } = await startRawServer((socket) =>
        socket.end(Buffer.from([21, 3, 3, 0, 2, 2, alert])),
      );
      await assertFinal(address.replace("http:", "https:"), message);
    });
  }

  for (const [name, start, message, mayHaveActed] of [
    [
      "over TLS",
      () => createSecureHttp2(tls),
      /does not offer HTTP\/1\.1 .*HTTP\/2 alone is not supported/,
      false,
    ],
    ["in plain text", () => createHttp2(), /responded with HTTP\/2, which was not requested/, true],
  ] as const) {
    it(`a server that speaks only HTTP/2, ${name}, is tried once, and the error advises enabling HTTP/1.1`, async () => {
      const http2: Server = start().on("sessionError", () => undefined);
      http2.listen(0, "127.0.0.1");
      await once(http2, "listening");
      try {
        const { port } = http2.address() as AddressInfo;
        const scheme = name === "over TLS" ? "https" : "http";
        await assertFinal(`${scheme}://127.0.0.1:${port}`, message, mayHaveActed);
      } finally {
        http2.close();
      }
    });
  }

  const notHttp = /something that is not HTTP\/1\.1 .*address \(trivium:secretsAddress, SECRETS_ADDR\)/;
  const lengths = /has contradictory lengths .*correct Content-Length/;
  for (const [name, text, message] of [
    ["lines that end in LF", `HTTP/1.1 200 OK\nContent-Length: 11\n\n${ok}`, notHttp],
    ["folded headers", `HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nContent-Length: 11\r\n\r\n${ok}`, notHttp],
    ["another protocol", "SSH-2.0-OpenSSH_9.6\r\n", notHttp],
    ["a length that is not a number", `HTTP/1.1 200 OK\r\nContent-Length: abc\r\n\r\n${ok}`, notHttp],
    [
      "101",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
      /responded with 101/,
    ],
    ["two lengths", `HTTP/1.1 200 OK\r\nContent-Length: 11\r\nContent-Length: 12\r\n\r\n${ok}`, lengths],
  ] as const) {
    it(`a response with ${name} is requested once, and the service might have acted`, async () => {
      await assertFinal((await startRawServer((socket) => socket.end(text))).address, message, true);
    });
  }
});

describe("a response that HTTP's rules allow", () => {
  afterEach(disconnect);

  const chunked = `\r\n\r\nb\r\n${ok}\r\n0\r\n\r\n`;
  const length = "Content-Length: 11";
  for (const [name, text, body] of [
    ["the same length twice", `HTTP/1.1 200 OK\r\n${length}\r\n${length}\r\n\r\n${ok}`, { ok: true }],
    ["the same length twice in one line", `HTTP/1.1 200 OK\r\n${length}, 11\r\n\r\n${ok}`, { ok: true }],
    [
      "a length before chunks",
      `HTTP/1.1 200 OK\r\n${length}\r\nTransfer-Encoding: chunked${chunked}`,
      { ok: true },
    ],
    [
      "a length after chunks",
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n${length}${chunked}`,
      { ok: true },
    ],
    ["204 and a length", `HTTP/1.1 204 No Content\r\n${length}\r\n\r\n`, undefined],
    ["204 and no length", "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", undefined],
  ] as const) {
    it(`a response is accepted with ${name}`, async () => {
      const { address } = await startRawServer((socket) => socket.end(text));
      assert.deepEqual((await connect(address, { maxRetries: 0 }).send(make)).body, body);
    });
  }

  const hints = "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n";
  const heads = `${hints}HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n`;
  const whole = `${heads}HTTP/1.1 200 OK\r\n${length}\r\n\r\n${ok}`;
  for (const place of [0, 1, 5, hints.length + 1, hints.length + 12, heads.length, heads.length + 9]) {
    it(`a response is accepted after informational ones, split at byte ${place}`, async () => {
      const { address } = await startRawServer((socket) => {
        socket.setNoDelay().write(whole.slice(0, place));
        setTimeout(() => socket.end(whole.slice(place)), 20);
      });
      assert.deepEqual((await connect(address, { maxRetries: 0 }).send(make)).body, { ok: true });
    });
  }
});
