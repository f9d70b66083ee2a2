import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect as connectSocket, type Socket } from "node:net";
import { CancelledError, ConfigurationError, ConnectionError } from "../../sdk/base/errors";
import type { HttpTransport } from "../../sdk/http/http-transport";
import type { HttpResponse, TransportSettings } from "../../sdk/http/transport";
import { certificates } from "../support/certificates";
import { connect, disconnect, failure, make } from "./calls";
import { json, startRawServer, startServer, unusedPort } from "./server";

const { authority, client, server: pair } = certificates();
const tls = { cert: pair.certificate, key: pair.key };
const trusted = { caCertificate: authority.certificate };

function call(address: string, settings: Partial<TransportSettings> = {}): Promise<HttpResponse> {
  return connect(address, { ...trusted, ...settings }).send(make);
}

const serve = (from: string) => startServer((response) => json(response, 200, { from }));

describe("settings of sockets", () => {
  afterEach(disconnect);

  const own = { clientCertificate: client.certificate, clientKey: client.key };
  const rows: readonly [what: string, settings: Partial<TransportSettings>, message: RegExp][] = [
    ["an invalid CA certificate", { caCertificate: "x" }, /The CA certificate is not a PEM.*SECRETS_CACERT/],
    ["a certificate alone", { ...own, clientKey: undefined }, /without a client key.*SECRETS_CLIENT_KEY/],
    ["a key alone", { clientKey: client.key }, /without a client certificate.*SECRETS_CLIENT_CERT/],
    ["an invalid certificate", { ...own, clientCertificate: "x" }, /client certificate is not a PEM/],
    ["an invalid key", { ...own, clientKey: "x" }, /client key is not the PEM key/],
    ["another key", { ...own, clientKey: pair.key }, /client key is not the PEM key/],
    ["a proxy without a host", { proxies: { httpsProxy: "http://" } }, /^HTTPS_PROXY is not/],
    ["a proxy of another protocol", { proxies: { httpsProxy: "gopher://a.example" } }, /^HTTPS_PROXY is not/],
    [
      "a proxy of a longer protocol",
      { proxies: { httpsProxy: "httpsx://a.example" } },
      /^HTTPS_PROXY is not/,
    ],
    [
      "a proxy for plain HTTP",
      { address: "http://127.0.0.1", proxies: { httpProxy: "gopher://a.example" } },
      /^HTTP_PROXY is not/,
    ],
  ];
  for (const [what, settings, message] of rows) {
    it(`are refused: ${what}`, () => {
      assert.throws(
        () => connect("https://127.0.0.1", settings),
        (error: unknown) => ConfigurationError.isInstance(error) && message.test(error.message),
      );
    });
  }

  it("may have a SOCKS proxy", () => {
    connect("https://127.0.0.1", { proxies: { httpsProxy: "socks://proxy.example" } });
  });
});

describe("a connection", () => {
  afterEach(disconnect);

  it("carries no request if it is made after the call was cancelled", async () => {
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
    const error = await failure(transport.send({ ...make, signal: abort.signal }));
    assert.ok(CancelledError.isInstance(error));
    assert.equal(error.mayHaveBeenProcessed, false);
    // Closing waits for the handshake that goes on behind the cancelled call.
    await transport.close();
    await over;
    assert.equal(service.received.length, 0);
  });

  it("with an HTTP version that does not exist is explained", async () => {
    const server = await startRawServer((socket) => socket.end("HTTP/0.0 200 OK\r\n\r\n{}\n"));
    const error = await failure(call(server.address));
    assert.ok(ConnectionError.isInstance(error));
    assert.match(error.message, /HTTP version that does not exist.*Upgrade the scheduler/);
    assert.equal(error.mayHaveBeenProcessed, true);
  });
});

describe("a proxy", () => {
  afterEach(disconnect);

  it("tunnels TLS to the service, and sees no token", async () => {
    const service = await startServer((response) => json(response, 200, { ok: true }), tls);
    const heads: string[] = [];
    const proxy = await startRawServer((socket, heard) => {
      heads.push(heard);
      const upstream = connectSocket(service.port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on("error", () => socket.destroy());
    });
    const response = await call(service.address, {
      token: () => ({ value: "for-the-service", source: "a test" }),
      proxies: { httpsProxy: proxy.address.replace("//", "//me:proxy-canary@") },
    });
    assert.deepEqual(response.body, { ok: true });
    const [head = "", ...more] = heads;
    assert.deepEqual(more, []);
    assert.match(head, new RegExp(`^CONNECT 127\\.0\\.0\\.1:${service.port} `));
    assert.ok(head.includes(Buffer.from("me:proxy-canary").toString("base64")));
    assert.doesNotMatch(head, /for-the-service/);
    assert.equal(service.received[0]?.headers.authorization, "Bearer for-the-service");
  });

  it("may refuse a tunnel, which the error says", async () => {
    const refusal = "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n";
    const proxy = await startRawServer((socket) => socket.end(refusal));
    const settings = { proxies: { httpsProxy: proxy.address }, maxRetries: 0 };
    const error = await failure(call("https://127.0.0.1:1", settings));
    assert.ok(ConnectionError.isInstance(error));
    assert.match(error.message, /403.*proxy refused/i);
    assert.equal(error.mayHaveBeenProcessed, false);
  });

  it("gets the whole address of plain HTTP", async () => {
    const proxy = await serve("the proxy");
    const httpProxy = proxy.address.replace("http://", "");
    const response = await call("http://service.example:81", { proxies: { httpProxy } });
    assert.deepEqual(response.body, { from: "the proxy" });
    const { url, headers } = proxy.received[0] ?? assert.fail();
    assert.deepEqual([url, headers.host], ["http://service.example:81/things/1", "service.example:81"]);
  });

  it("is for its own scheme only, and not for hosts that are excluded", async () => {
    const service = await serve("the service");
    const { address } = await serve("the proxy");
    for (const [from, proxies] of [
      ["the service", { httpsProxy: address }],
      ["the service", { httpProxy: address, noProxy: "127.0.0.1" }],
      ["the proxy", { httpProxy: address, noProxy: "example.com, *" }],
      ["the service", { httpProxy: "", httpsProxy: "" }],
    ] as const) {
      assert.deepEqual((await call(service.address, { proxies })).body, { from });
    }
  });

  it("does not come from the environment of the process", async () => {
    const service = await serve("the service");
    const before = { ...process.env };
    process.env.HTTP_PROXY = "http://127.0.0.1:1";
    try {
      for (const proxies of [undefined, { httpProxy: "http://127.0.0.1:1", noProxy: "127.0.0.1" }]) {
        assert.deepEqual((await call(service.address, { proxies })).body, { from: "the service" });
      }
    } finally {
      Reflect.deleteProperty(process.env, "HTTP_PROXY");
      Object.assign(process.env, before);
    }
  });
});

describe("a socket that is opened early", () => {
  afterEach(disconnect);

  let server: Server;
  let requests = 0;
  const sockets: Socket[] = [];

  const listen = async (isSecure = false): Promise<HttpTransport> => {
    const respond = (_: unknown, response: Parameters<typeof json>[0]): void => {
      requests += 1;
      json(response, 200, { ok: true });
    };
    server = isSecure ? createSecureServer(tls, respond) : createServer(respond);
    server.on("connection", (socket: Socket) => sockets.push(socket));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return connect(`${isSecure ? "https" : "http"}://127.0.0.1:${port}`, trusted);
  };

  afterEach(async () => {
    sockets.splice(0).forEach((socket) => socket.destroy());
    requests = 0;
    server.close();
    await once(server, "close");
  });

  for (const isSecure of [false, true]) {
    for (const waits of [false, true]) {
      it(`is that of the first request${waits ? ", which waits for it" : ""}${isSecure ? ", with TLS" : ""}`, async () => {
        const transport = await listen(isSecure);
        transport.sockets.open();
        if (!waits) {
          await once(server, isSecure ? "secureConnection" : "connection");
        }
        await transport.send(make);
        assert.deepEqual([requests, sockets.length], [1, 1]);
      });
    }
  }

  it("serves one of several first requests", async () => {
    const transport = await listen();
    transport.sockets.open();
    await Promise.all([transport.send(make), transport.send(make), transport.send(make)]);
    assert.deepEqual([requests, sockets.length], [3, 3]);
  });

  for (const [what, close] of [
    ["was closed", (socket: Socket) => socket.end()],
    ["was reset", (socket: Socket) => socket.resetAndDestroy()],
    ["was refused", (socket: Socket) => socket.end("HTTP/1.1 408 Request Timeout\r\n\r\n")],
  ] as const) {
    it(`is not used if it ${what} before`, async () => {
      const transport = await listen();
      transport.sockets.open();
      const [socket] = (await once(server, "connection")) as [Socket];
      const closed = once(socket, "close");
      close(socket);
      await closed;
      await transport.send(make);
      assert.deepEqual([requests, sockets.length], [1, 2]);
    });
  }

  it("does not hide that nobody listens", async () => {
    await listen();
    const transport = connect(`http://127.0.0.1:${await unusedPort()}`);
    transport.sockets.open();
    assert.match((await failure(transport.send(make))).message, /ECONNREFUSED/);
  });
});
