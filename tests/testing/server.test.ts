import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type RequestOptions, request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { type Emulator, type EmulatorTls, startEmulator } from "../../sdk/testing";
import { type Endpoint, Router } from "../../sdk/testing/router";
import { certificates } from "../support/certificates";
import { useEmulator } from "../support/use-emulator";
import { call, until } from "./call";

describe("the emulator's servers", () => {
  const emulator = useEmulator();
  const projects = "/api/v2/organizations/acme/projects";

  /** Sends bytes, then hangs up or waits for the other side to. */
  const send = async (text: string, hangUp: boolean): Promise<string> => {
    const { port, hostname } = new URL(emulator.provisioning.address);
    const socket = connect(Number(port), hostname);
    let received = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => (received += chunk));
    await once(socket, "connect");
    socket.write(text);
    if (hangUp) {
      await until(() => emulator.provisioning.statistics.requests > 0);
      socket.destroy();
    } else {
      await once(socket, "close");
    }
    return received;
  };

  it("the emulator's servers do not apply a request whose client leaves in the middle", async () => {
    const authorization = `Authorization: Bearer ${emulator.provisioning.token}`;
    const head = `POST ${projects} HTTP/1.1\r\nHost: x\r\n${authorization}\r\nContent-Length: 1000`;
    await send(`${head}\r\n\r\n{"data":`, true);
    await until(() => emulator.provisioning.statistics.inFlight === 0);
    const found = emulator.journal.requests().map(({ status, body }) => [status, body]);
    assert.deepEqual(found, [[null, null]]);
    assert.equal((await call(emulator, "provisioning", "GET", "/x")).status, 404);
  });

  it("the emulator's servers refuse what is not HTTP", async () => {
    assert.match(await send("rubbish\r\n\r\n", false), /^HTTP\/1\.1 400 /);
  });
});

describe("the emulator with TLS", () => {
  const { authority, otherAuthority, server, client } = certificates();
  const ca = authority.certificate;
  let emulator: Emulator;
  const start = async (more: Partial<EmulatorTls> = {}): Promise<void> => {
    emulator = await startEmulator({ tls: { ...server, ...more } });
  };
  afterEach(async () => emulator.close());
  const ask = async (options: RequestOptions): Promise<number | undefined> => {
    const headers = { Authorization: `Bearer ${emulator.provisioning.token}` };
    const url = `${emulator.provisioning.address}/api/v2/projects/x`;
    const request = httpsRequest(url, { agent: false, headers, ...options });
    request.end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    response.resume();
    await once(response, "end");
    return response.statusCode;
  };

  it("the emulator with TLS demands a client certificate of the given authority", async () => {
    await start({ clientCertificateAuthority: ca });
    assert.match(emulator.provisioning.address, /^https:\/\/127\.0\.0\.1:\d+$/);
    assert.equal(await ask({ ca, key: client.key, cert: client.certificate }), 404);
    await assert.rejects(ask({ ca }));
    await assert.rejects(ask({ ca, key: otherAuthority.key, cert: otherAuthority.certificate }));
    assert.equal(emulator.journal.count(), 1);
  });

  it("the emulator with TLS has faults, and ends connections that never finish their handshake", async () => {
    await start();
    await assert.rejects(ask({ ca: otherAuthority.certificate }), /unable to verify|self-signed/);
    const { port, hostname } = new URL(emulator.provisioning.address);
    const silent = connect(Number(port), hostname);
    await once(silent, "connect");
    emulator.faults.add({ drop: "before" });
    await assert.rejects(ask({ ca }));
    const refusal = emulator.faults.add({ refuse: true });
    await assert.rejects(ask({ ca }), { code: "ECONNREFUSED" });
    refusal.remove();
    assert.equal(await ask({ ca }), 404);
  });
});

describe("the method LIST", () => {
  const { authority, server } = certificates();
  const methods = "/v1/identity/mfa/method/totp";

  for (const tls of [undefined, server]) {
    it(`the method LIST is understood among other requests ${tls ? "with" : "without"} TLS, by the secrets service only`, async () => {
      const emulator = await startEmulator(tls && { tls });
      try {
        const port = Number(new URL(emulator.secrets.address).port);
        const socket = tls
          ? connectSecurely({ port, host: "127.0.0.1", ca: authority.certificate })
          : connect(port, "127.0.0.1");
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
        if (tls === undefined) {
          assert.equal((await call(emulator, "provisioning", "LIST", "/api/v2/projects")).status, 400);
        }
      } finally {
        await emulator.close();
      }
    });
  }
});

describe("the emulator's router", () => {
  const endpoint = (method: Endpoint["method"], path: string): Endpoint => ({ method, path });
  const list = endpoint("GET", "/things");
  const show = endpoint("GET", "/things/:id");
  const remove = endpoint("DELETE", "/things/:id");
  const router = new Router([list, show, remove]);

  const long = "x".repeat(1_000);
  for (const [method, path, expected] of [
    ["GET", "/things", { target: list }],
    ["DELETE", "/things/a%2Fb%25", { target: remove, parameters: { id: "a/b%" } }],
    ["GET", `/things/${long}`, { target: show, parameters: { id: long } }],
    ["PATCH", "/things/1", { allowedMethods: ["GET", "DELETE"] }],
    ["OPTIONS", "/things", { allowedMethods: ["GET"] }],
    ...["/", "/thing", "/things/", "things", "*", "http://host/things", "/things/%zz"].map(
      (other) => ["GET", other, {}] as const,
    ),
  ] as const) {
    it(`the emulator's router finds what ${method} ${path.slice(0, 20)} names, or what the path allows`, () => {
      const nothing = { target: undefined, parameters: {}, allowedMethods: [] };
      assert.deepEqual(router.find(method, path), { ...nothing, ...expected });
    });
  }
});
