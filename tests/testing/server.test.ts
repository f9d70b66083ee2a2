import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { ConnectionError, ServiceError } from "../../sdk/base/errors";
import { startEmulator } from "../../sdk/testing";
import { connect as connectTransport, disconnect, failure, read } from "../http/calls";
import { connect as connectSecurely } from "node:tls";
import { certificates } from "../support/certificates";
import { useEmulator } from "../support/use-emulator";
import { call, until } from "./call";

describe("the emulator's servers", () => {
  const emulator = useEmulator();

  it("the emulator's servers do not apply a request whose client disconnects in the middle, and reject what is not HTTP", async () => {
    const { port, hostname } = new URL(emulator.provisioning.address);
    const send = async (text: string) => {
      const socket = connect(Number(port), hostname);
      await once(socket, "connect");
      socket.write(text);
      return socket;
    };
    const token = `Authorization: Bearer ${emulator.provisioning.token}`;
    const leaving = await send(
      `POST /x HTTP/1.1\r\nHost: x\r\n${token}\r\nContent-Length: 9\r\n\r\n{"data":`,
    );
    await until(() => emulator.provisioning.statistics.requests > 0);
    leaving.destroy();
    await until(() => emulator.provisioning.statistics.inFlight === 0);
    const [request, ...others] = emulator.journal.requests();
    assert.deepEqual([request?.status, request?.body, others], [null, null, []]);
    const [received] = (await once(await send("rubbish\r\n\r\n"), "data")) as [Buffer];
    assert.match(received.toString(), /^HTTP\/1\.1 400 /);
    assert.equal((await call(emulator, "provisioning", "LIST", "/api/v2/projects")).status, 400);
    assert.equal((await call(emulator, "provisioning", "GET", "/x")).status, 404);
  });
});

describe("the emulator's host", () => {
  for (const host of ["", " ", "127.0.0.1:80", "http://localhost", "a b", "[::1]"]) {
    it(`the emulator's host is rejected if it is ${JSON.stringify(host)}`, async () =>
      assert.rejects(startEmulator({ host }), { message: /^".*" is not the name or address of a host/ }));
  }

  it("the emulator's host can be an IPv6 address", async () => {
    const emulator = await startEmulator({ host: "::1" });
    assert.match(emulator.secrets.address, /^http:\/\/\[::1\]:\d+$/);
    await emulator.close();
  });
});

describe("the emulator with TLS", () => {
  const { authority, server } = certificates();
  const ca = authority.certificate;
  const emulator = useEmulator({ tls: server });

  it("the emulator with TLS has faults, and ends connections that never finish their handshake", async () => {
    const ask = async (): Promise<number | undefined> => {
      const headers = { Authorization: `Bearer ${emulator.provisioning.token}` };
      const url = `${emulator.provisioning.address}/api/v2/projects/x`;
      const request = httpsRequest(url, { agent: false, headers, ca }).end();
      const [response] = (await once(request, "response")) as [IncomingMessage];
      await once(response.resume(), "end");
      return response.statusCode;
    };
    const { port, hostname } = new URL(emulator.provisioning.address);
    await once(connect(Number(port), hostname), "connect");
    emulator.faults.add({ drop: "before" });
    await assert.rejects(ask());
    const refusal = emulator.faults.add({ refuse: true });
    await assert.rejects(ask(), { code: "ECONNREFUSED" });
    refusal.remove();
    assert.equal(await ask(), 404);
  });

  it("the emulator with TLS accepts the method LIST among other requests, only in the secrets service", async () => {
    const methods = "/v1/identity/mfa/method/totp";
    const port = Number(new URL(emulator.secrets.address).port);
    const socket = connectSecurely({ port, host: "127.0.0.1", ca });
    let received = "";
    socket.setEncoding("utf8").on("data", (text: string) => (received += text));
    const head = `HTTP/1.1\r\nHost: x\r\nX-Secrets-Token: ${emulator.secrets.token}\r\n`;
    const body = JSON.stringify({ issuer: "one" }).padEnd(300_000);
    for (const [request, response] of [
      [`LIST ${methods} ${head}\r\n`, /"keys":\[\]/],
      [`POST ${methods} ${head}Content-Length: ${body.length}\r\n\r\n${body}`, /method_id/],
      [`LIST ${methods} ${head}\r\n`, /"keys":\["/],
      [`LIST ${methods}?list=false ${head}\r\n`, /given once/],
    ] as const) {
      received = "";
      socket.write(request);
      await until(() => received.endsWith("}"));
      assert.match(received, response);
    }
    socket.destroy();
    assert.equal(emulator.journal.requests()[3]?.target, `${methods}?list=false&list=true`);
  });
});

describe("the emulator's method LIST", () => {
  const emulator = useEmulator();
  const methods = "/v1/identity/mfa/method/totp";

  /** Writes each piece when the one before has been sent, and reads until so many responses are there. */
  async function exchange(pieces: readonly string[], responses: number): Promise<string[]> {
    const { port, hostname } = new URL(emulator.secrets.address);
    const socket = connect(Number(port), hostname).setNoDelay();
    let received = "";
    socket.setEncoding("utf8").on("data", (text: string) => (received += text));
    for (const piece of pieces) {
      socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const statuses = () => received.match(/HTTP\/1\.1 \d+/g) ?? [];
    await until(() => statuses().length >= responses);
    socket.destroy();
    return statuses().map((status) => status.slice(-3));
  }
  const head = (): string => `HTTP/1.1\r\nHost: x\r\nX-Secrets-Token: ${emulator.secrets.token}\r\n`;

  it("a request with the method LIST is accepted wherever its chunks are split", async () => {
    const request = `LIST ${methods} ${head()}\r\n`;
    for (const place of [1, 4, 5, 20, methods.length + 12, request.length - 3, request.length - 1]) {
      assert.deepEqual(
        await exchange([request.slice(0, place), request.slice(place)], 1),
        ["200"],
        `${place}`,
      );
    }
    assert.deepEqual(await exchange(Array.from(request), 1), ["200"]);
  });

  it("data that is not a request is rejected at once by the service that accepts the method LIST, even without an end", async () => {
    assert.deepEqual(await exchange(["\u0016\u0003\u0001\u0002\u0000"], 1), ["400"]);
    assert.deepEqual(await exchange(["rubbish"], 1), ["400"]);
  });

  it("a request with the method LIST is accepted among others that are sent at once, whatever their bodies are", async () => {
    const list = `LIST ${methods} ${head()}\r\n`;
    const body = JSON.stringify({ issuer: "LIST /x HTTP/1.1\r\n\r\n" });
    const post = `POST ${methods} ${head()}`;
    const whole = `${post}Content-Length: ${body.length}\r\n\r\n${body}`;
    const size = body.length.toString(16);
    const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n${size};a=b\r\n${body}\r\n0\r\nX-Trailer: LIST\r\n\r\n`;
    const all = list + whole + list + chunked + chunked + list;
    const expected = ["200", "200", "200", "200", "200", "200"];
    for (const length of [all.length, 7, 100]) {
      const pieces = all.match(new RegExp(`.{1,${length}}`, "gs")) ?? [];
      assert.deepEqual(await exchange(pieces, expected.length), expected, `${length}`);
    }
    assert.deepEqual(await exchange([chunked.slice(0, -2), "\r\n"], 1), ["200"]);
  });
});

describe("the emulator with client certificates", () => {
  const { authority, otherAuthority, server, client, expired, replaced, refused } = certificates();
  const emulator = useEmulator({ tls: { ...server, clientCertificateAuthority: authority.certificate } });
  afterEach(disconnect);

  // crypto/tls/handshake_server.go of Go 1.26.8: processCertsFromClient.
  for (const [title, pair, code] of [
    ["no certificate", undefined, "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED"],
    ["a certificate of another authority", replaced.client, "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA"],
    ["a certificate that signed itself", otherAuthority, "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA"],
    ["an expired certificate", expired, "ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED"],
    ["an authority's chain that is too long", refused.tooDeep, "ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE"],
  ] as const) {
    it(`a client with ${title} receives the alert of a server in Go, and the error says what to set`, async () => {
      const own = pair === undefined ? {} : { clientCertificate: pair.certificate, clientKey: pair.key };
      const settings = { caCertificate: authority.certificate, maxRetries: 0, ...own };
      const error = await failure(
        connectTransport(emulator.secrets.address, settings).send(read),
        ConnectionError,
      );
      assert.equal(error.code, code);
      assert.match(
        error.message,
        /requires a client certificate, and none was sent or it was rejected.*clientCertificate/,
      );
    });
  }

  for (const ciphers of ["TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256"]) {
    it(`a client with the cipher ${ciphers} also receives the alert`, async () => {
      const { port, hostname: host } = new URL(emulator.scheduler.address);
      const socket = connectSecurely({ port: Number(port), host, ca: authority.certificate, ciphers });
      const [error] = (await once(socket, "error")) as [NodeJS.ErrnoException];
      assert.equal(error.code, "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED");
    });
  }

  it("a client with a certificate from the CA is served, after others that were rejected", async () => {
    const own = { clientCertificate: client.certificate, clientKey: client.key };
    const settings = { caCertificate: authority.certificate, ...own };
    const error = await failure(
      connectTransport(emulator.secrets.address, settings).send(read),
      ServiceError,
    );
    assert.equal(error.status, 403);
  });
});
