import assert from "node:assert/strict";
import { createPrivateKey } from "node:crypto";
import { once } from "node:events";
import { connect as connectSocket, type Socket } from "node:net";
import { CancelledError, ConnectionError } from "../../sdk/base/errors";
import type { TransportSettings } from "../../sdk/http/transport";
import { certificates } from "../support/certificates";
import { connect, disconnect, failure, make } from "./calls";
import { json, startRawServer, startServer, unusedPort } from "./server";

const { authority, client, otherAuthority, server: pair } = certificates();
const tls = { cert: pair.certificate, key: pair.key };
const trusted = { caCertificate: authority.certificate };

describe("the sockets", () => {
  afterEach(disconnect);

  const encryption = { cipher: "aes-256-cbc", passphrase: "canary" };
  const encrypted = createPrivateKey(client.key).export({ type: "pkcs8", format: "pem", ...encryption });
  const older = client.key.replace("\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n");
  const other = otherAuthority.certificate;
  const damaged = other.replace(/\nM/, "\n!");
  const unended = authority.certificate.replace(/-----END.*/s, "");
  const own = { clientCertificate: client.certificate, clientKey: client.key };
  const rows: readonly [what: string, settings: Partial<TransportSettings>, message: RegExp][] = [
    ["an invalid CA certificate", { caCertificate: "x" }, /The CA certificate is not a PEM.*SECRETS_CACERT/],
    [
      "a damaged certificate in a list",
      { caCertificate: [other, damaged, authority.certificate].join("") },
      /Certificate 2 of the 3 in the CA certificate is damaged for the secrets service.*SECRETS_CACERT/,
    ],
    [
      "a truncated certificate in a list",
      { caCertificate: unended + other },
      /Certificate 1 of the 2 in the CA certificate is damaged/,
    ],
    [
      "a damaged certificate in the client's chain",
      { ...own, clientCertificate: client.certificate + damaged },
      /Certificate 2 of the 2 in the client certificate is damaged.*SECRETS_CLIENT_CERT/,
    ],
    ["a certificate alone", { ...own, clientKey: undefined }, /without a client key.*SECRETS_CLIENT_KEY/],
    ["a key alone", { clientKey: client.key }, /without a client certificate.*SECRETS_CLIENT_CERT/],
    ["an invalid certificate", { ...own, clientCertificate: "x" }, /client certificate is not a PEM/],
    ["an invalid key", { ...own, clientKey: "x" }, /client key is not the PEM key/],
    ["an encrypted key", { ...own, clientKey: String(encrypted) }, /passphrase.*openssl pkey .*_CLIENT_KEY/],
    [
      "a key encrypted in the older format",
      { ...own, clientKey: older },
      /key is encrypted with a passphrase/,
    ],
    ["another key", { ...own, clientKey: pair.key }, /client key is not the PEM key/],
  ];
  for (const [what, settings, message] of rows) {
    it(`socket settings are rejected: ${what}`, () =>
      assert.throws(() => connect("https://127.0.0.1", settings), { name: "ConfigurationError", message }));
  }

  it("a connection does not carry a request if it is opened after the call was canceled", async () => {
    const service = await startServer((response) => json(response, 200, {}), tls);
    const abort = new AbortController();
    let closed = (): void => undefined;
    const over = new Promise<void>((resolve) => (closed = resolve));
    const gate = await startRawServer((socket, heard) => {
      abort.abort();
      const upstream = connectSocket(service.port, "127.0.0.1");
      upstream.write(Buffer.from(heard, "latin1"));
      upstream.pipe(socket).pipe(upstream);
      upstream.on("error", () => socket.destroy());
      socket.on("close", closed);
    });
    const transport = connect(gate.address.replace("http:", "https:"), trusted);
    const call = transport.send({ ...make, signal: abort.signal });
    assert.equal((await failure(call, CancelledError)).mayHaveBeenProcessed, false);
    // Closing waits for the handshake that goes on behind the cancelled call.
    await transport.close();
    await over;
    assert.equal(service.received.length, 0);
  });

  const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"ok":true}';
  const interim = "HTTP/1.1 100 Continue\r\n\r\n";
  const cut = [`${interim}HTTP/1.1 100 Continue\r\nX-A: b\r`, "\n\r\nHTTP/1.1 200 OK\r\n", ok.slice(17)];
  for (const [what, chunks] of [
    ["before the response", [interim, ok]],
    ["in the same packet as the response", [interim + ok]],
    ["twice, with headers, split anywhere", cut],
    ["together with early hints", ["HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n", interim, ok]],
  ] as const) {
    it(`a connection accepts a 100 Continue that was not requested: ${what}`, async () => {
      const server = await startRawServer((socket) => {
        const [first = "", ...rest] = chunks;
        socket.setNoDelay().write(first);
        rest.forEach((chunk, index) => setTimeout(() => socket.write(chunk), 20 * (index + 1)));
      });
      assert.deepEqual((await connect(server.address).send(make)).body, { ok: true });
    });
  }

  it("a connection accepts headers of 20 kB, and the error about larger ones names the limit", async () => {
    const server = await startServer((response, { url }) =>
      json(response, 200, { ok: true }, { "x-cookie": "a".repeat(url.endsWith("1") ? size : 0) }),
    );
    let size = 20_000;
    assert.deepEqual((await connect(server.address).send(make)).body, { ok: true });
    size = 70_000;
    const error = await failure(connect(server.address).send(make), ConnectionError);
    assert.match(
      error.message,
      /headers of the response are larger than 64 KiB.*Large headers usually come from a gateway/,
    );
    assert.equal(error.mayHaveBeenProcessed, true);
  });

  it("the error about a kept-alive connection that ends during a creation says what might have happened, without advice about HTTPS", async () => {
    const server = await startServer((response, _request, count) =>
      count === 1 ? json(response, 200, {}) : response.socket?.destroy(),
    );
    const transport = connect(server.address);
    await transport.send(make);
    const error = await failure(transport.send(make), ConnectionError);
    assert.deepEqual([error.mayHaveBeenProcessed, server.received.length], [true, 2]);
    assert.match(
      error.message,
      /The service might have processed the request\. Check before you send it again/,
    );
    assert.doesNotMatch(error.message, /https/i);
  });

  it("a connection with an HTTP version that does not exist is explained", async () => {
    const server = await startRawServer((socket) => socket.end("HTTP/0.0 200 OK\r\n\r\n{}\n"));
    const error = await failure(connect(server.address).send(make), ConnectionError);
    assert.match(error.message, /HTTP version that does not exist.*Upgrade the scheduler/);
    assert.deepEqual([error.mayHaveBeenProcessed, error.permanent], [true, true]);
  });

  /** A server, and a transport that has opened a socket to it. */
  const openEarly = async (options?: typeof tls) => {
    const server = await startServer((response) => json(response, 200, { ok: true }), options);
    const transport = connect(server.address, trusted);
    transport.sockets.open();
    return { ...server, transport };
  };

  for (const [what, options, event, requests] of [
    ["that of the first request", undefined, "connection", 1],
    ["that of the first request, with TLS", tls, "secureConnection", 1],
    ["waited for by the first request", undefined, undefined, 1],
    ["waited for by the first request, with TLS", tls, undefined, 1],
    ["that of one of several initial requests", undefined, undefined, 3],
  ] as const) {
    it(`a socket that is opened early is ${what}`, async () => {
      const { server, transport, received, sockets } = await openEarly(options);
      await (event && once(server, event));
      await Promise.all(Array.from({ length: requests }, () => transport.send(make)));
      assert.deepEqual([received.length, sockets.length], [requests, requests]);
    });
  }

  for (const [what, end] of [
    ["was closed", (socket: Socket) => socket.end()],
    ["was reset", (socket: Socket) => socket.resetAndDestroy()],
    ["was refused", (socket: Socket) => socket.end("HTTP/1.1 408 Request Timeout\r\n\r\n")],
  ] as const) {
    it(`a socket that is opened early is not used if it ${what} before`, async () => {
      const { server, transport, received, sockets } = await openEarly();
      const [socket] = (await once(server, "connection")) as [Socket];
      const closed = once(socket, "close");
      end(socket);
      await closed;
      await transport.send(make);
      assert.deepEqual([received.length, sockets.length], [1, 2]);
    });
  }

  it("a socket that is opened early does not hide that nobody listens", async () => {
    const transport = connect(`http://127.0.0.1:${await unusedPort()}`);
    transport.sockets.open();
    assert.match((await failure(transport.send(make))).message, /ECONNREFUSED/);
  });
});
