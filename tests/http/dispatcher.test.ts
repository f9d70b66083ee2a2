import assert from "node:assert/strict";
import type { ServerOptions } from "node:https";
import { connect as connectSocket } from "node:net";
import { Connection } from "../../sdk/http/connection";
import type { ConnectionSettings } from "../../sdk/http/connection-settings";
import { CancelledError, ConnectionError, ServiceError } from "../../sdk/base/errors";
import { HttpTransport } from "../../sdk/http/http-transport";
import { path } from "../../sdk/base/path";
import type { HttpResponse } from "../../sdk/http/transport";
import { certificates, type Certificates, type KeyPair } from "../support/certificates";
import { impatientClock } from "./clock";
import { json, startRawServer, startServer, stopServers } from "./server";
import { createRequire } from "node:module";
import { partOfUndici } from "../../sdk/http/undici-parts";

const connections = new Set<Connection>();

function call(address: string, settings: Partial<ConnectionSettings> = {}): Promise<HttpResponse> {
  const connection = new Connection({ service: "provisioning", address, ...settings }, impatientClock());
  connections.add(connection);
  return new HttpTransport(connection).send({
    summary: "make a thing",
    method: "POST",
    path: path`/things`,
    idempotent: false,
  });
}

describe("dispatcher", () => {
  afterEach(() => {
    connections.forEach((connection) => void connection.dispatcher.destroy());
    connections.clear();
    stopServers();
  });

  describe("TLS", () => {
    let made: Certificates;
    before(() => {
      made = certificates();
    });

    async function serve(pair: KeyPair, options: ServerOptions = {}): Promise<string> {
      const server = await startServer((response) => json(response, 200, { ok: true }), {
        cert: pair.certificate,
        key: pair.key,
        ...options,
      });
      return server.address;
    }

    async function fails(promise: Promise<unknown>, ...patterns: readonly RegExp[]): Promise<void> {
      await assert.rejects(promise, (error: unknown) => {
        assert.ok(ConnectionError.isInstance(error), String(error));
        patterns.forEach((pattern) => assert.match(error.message, pattern));
        assert.equal(error.mayHaveBeenProcessed, false, "nothing can have been processed");
        assert.doesNotMatch(error.message, /attempts/, "no retry can mend it");
        return true;
      });
    }

    it("works with the right authority", async () => {
      const address = await serve(made.server);
      assert.deepEqual((await call(address, { caCertificate: made.authority.certificate })).body, {
        ok: true,
      });
    });

    it("explains an unknown authority", async () => {
      const address = await serve(made.server);
      await fails(call(address), /unknown authority/, /PROVISIONING_CACERT/);
      await fails(call(address, { caCertificate: made.otherAuthority.certificate }), /unknown authority/);
    });

    it("explains a certificate for another host, which the server name fixes", async () => {
      const address = await serve(made.otherHost);
      const settings = { caCertificate: made.authority.certificate };
      await fails(call(address, settings), /for another host/, /PROVISIONING_TLS_SERVER_NAME/);
      assert.equal((await call(address, { ...settings, serverName: "service.example" })).status, 200);
    });

    it("explains an expired certificate", async () => {
      const address = await serve(made.expired);
      await fails(call(address, { caCertificate: made.authority.certificate }), /not valid/, /expired/);
    });

    it("accepts anything if configured", async () => {
      assert.equal((await call(await serve(made.expired), { insecureSkipVerify: true })).status, 200);
      assert.equal((await call(await serve(made.otherHost), { insecureSkipVerify: true })).status, 200);
    });

    for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
      it(`shows its certificate, and explains that one is asked for, with ${version}`, async () => {
        const address = await serve(made.server, {
          ca: made.authority.certificate,
          requestCert: true,
          maxVersion: version,
        });
        const settings = { caCertificate: made.authority.certificate };
        const { certificate, key } = made.client;
        assert.equal(
          (await call(address, { ...settings, clientCertificate: certificate, clientKey: key })).status,
          200,
        );
        await fails(call(address, settings), /requires a client certificate/, /PROVISIONING_CLIENT_CERT/);
      });
    }

    it("explains that the service speaks plain HTTP", async () => {
      const server = await startServer((response) => json(response, 200, {}));
      await fails(
        call(server.address.replace("http:", "https:")),
        /does not speak TLS/,
        /start address .* with http:/,
      );
    });

    it("explains that the service speaks TLS: with an alert", async () => {
      const server = await startRawServer((socket) => socket.end(Buffer.from([0x15, 3, 1, 0, 2, 2, 70])));
      await fails(call(server.address), /speaks TLS/, /start address .* with https:/i);
    });

    it("explains that the service speaks TLS: with words", async () => {
      const server = await startRawServer((socket) => {
        socket.end("HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
      });
      await assert.rejects(
        call(server.address),
        (error: unknown) =>
          ServiceError.isInstance(error) && /start address .* with https:/.test(error.message),
      );
    });

    it("explains that the service speaks TLS: with a real server", async () => {
      const address = (await serve(made.server)).replace("https:", "http:");
      await assert.rejects(call(address), (error: unknown) => {
        assert.ok(ConnectionError.isInstance(error));
        assert.match(error.message, /start address .* with https:/i);
        return true;
      });
    });

    it("sends nothing over a connection that is made after the call was cancelled", async () => {
      const service = await startServer((response) => json(response, 200, {}), {
        cert: made.server.certificate,
        key: made.server.key,
      });
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
      const connection = new Connection({
        service: "provisioning",
        address: gate.address.replace("http:", "https:"),
        caCertificate: made.authority.certificate,
      });
      connections.add(connection);
      const operation = {
        summary: "make a thing",
        method: "POST",
        path: path`/things`,
        idempotent: false,
      } as const;
      const error: unknown = await new HttpTransport(connection)
        .send({ ...operation, signal: abort.signal })
        .catch((reason: unknown) => reason);
      assert.ok(CancelledError.isInstance(error));
      assert.equal(error.mayHaveBeenProcessed, false);
      // Closing waits for the handshake that goes on behind the cancelled call.
      await connection.close();
      await over;
      assert.equal(service.received.length, 0);
    });

    it("goes through a proxy in a tunnel that ends at the service", async () => {
      const service = await startServer((response) => json(response, 200, { ok: true }), {
        cert: made.server.certificate,
        key: made.server.key,
      });
      const asked: string[] = [];
      const proxy = await startRawServer((socket, heard) => {
        asked.push(heard);
        const upstream = connectSocket(service.port, "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
          upstream.pipe(socket).pipe(upstream);
        });
        upstream.on("error", () => socket.destroy());
      });
      const response = await call(service.address, {
        caCertificate: made.authority.certificate,
        token: () => ({ value: "for-the-service", source: "a test" }),
        proxies: { httpsProxy: proxy.address.replace("//", "//me:proxy-canary@") },
      });
      assert.deepEqual(response.body, { ok: true });
      assert.equal(asked.length, 1);
      assert.match(asked[0] ?? "", new RegExp(`^CONNECT 127\\.0\\.0\\.1:${service.port} `));
      assert.ok(asked[0]?.includes(Buffer.from("me:proxy-canary").toString("base64")));
      assert.doesNotMatch(asked[0] ?? "", /for-the-service/);
      assert.equal(service.received[0]?.headers.authorization, "Bearer for-the-service");
    });

    it("explains that a proxy refuses the tunnel", async () => {
      const proxy = await startRawServer((socket) =>
        socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n"),
      );
      const response = call("https://127.0.0.1:1", { proxies: { httpsProxy: proxy.address }, maxRetries: 0 });
      await fails(response, /proxy refused/i, /403/);
    });
  });

  describe("proxies for plain HTTP", () => {
    it("get the whole address", async () => {
      const proxy = await startServer((response) => json(response, 200, { from: "the proxy" }));
      const host = proxy.address.replace("http://", "");
      const response = await call("http://service.example:81", { proxies: { httpProxy: host } });
      assert.deepEqual(response.body, { from: "the proxy" });
      assert.equal(proxy.received[0]?.url, "http://service.example:81/things");
      assert.equal(proxy.received[0].headers.host, "service.example:81");
    });

    it("are for their own scheme only, and not for hosts that are excluded", async () => {
      const service = await startServer((response) => json(response, 200, { from: "the service" }));
      const proxy = await startServer((response) => json(response, 200, { from: "the proxy" }));
      for (const proxies of [
        { httpsProxy: proxy.address },
        { httpProxy: proxy.address, noProxy: "127.0.0.1" },
        { httpProxy: proxy.address, noProxy: "example.com, *" },
        { httpProxy: "", httpsProxy: "" },
      ]) {
        const expected = proxies.noProxy === "example.com, *" ? "the proxy" : "the service";
        assert.deepEqual((await call(service.address, { proxies })).body, { from: expected });
      }
    });

    it("do not come from the environment of the process", async () => {
      const service = await startServer((response) => json(response, 200, { from: "the service" }));
      const before = process.env.HTTP_PROXY;
      process.env.HTTP_PROXY = "http://127.0.0.1:1";
      try {
        assert.deepEqual((await call(service.address)).body, { from: "the service" });
        const proxies = { httpProxy: "http://127.0.0.1:1", noProxy: "127.0.0.1" };
        assert.deepEqual((await call(service.address, { proxies })).body, { from: "the service" });
      } finally {
        if (before === undefined) {
          delete process.env.HTTP_PROXY;
        } else {
          process.env.HTTP_PROXY = before;
        }
      }
    });
  });

  it("explains an HTTP version that does not exist", async () => {
    const server = await startRawServer((socket) => socket.end("HTTP/0.0 200 OK\r\n\r\n{}\n"));
    await assert.rejects(
      call(server.address),
      (error: unknown) => ConnectionError.isInstance(error) && /HTTP version/.test(error.message),
    );
  });
});

const whole = createRequire(require.resolve("../../sdk/package.json"))("undici/index.js") as object;

describe("partOfUndici", () => {
  for (const name of ["Agent", "buildConnector", "EnvHttpProxyAgent"] as const) {
    it(`finds ${name}`, () => {
      assert.equal(partOfUndici(name), (whole as Record<string, unknown>)[name]);
    });
  }

  it("finds it in the whole where it has been moved", () => {
    const moved = (): unknown => {
      throw Object.assign(new Error("moved"), { code: "MODULE_NOT_FOUND" });
    };
    assert.equal(partOfUndici("Agent", moved), (whole as Record<string, unknown>).Agent);
  });

  it("hides no other failure", () => {
    const broken = new Error("broken");
    assert.throws(
      () =>
        partOfUndici("Agent", () => {
          throw broken;
        }),
      broken,
    );
  });
});
