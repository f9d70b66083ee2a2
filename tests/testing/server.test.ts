import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { startEmulator } from "../../sdk/testing";
import { type Endpoint, Router } from "../../sdk/testing/router";
import { certificates } from "../support/certificates";
import { useEmulator } from "../support/use-emulator";
import { call, until } from "./call";

describe("the emulator's servers", () => {
  const emulator = useEmulator();
  const open = async () => {
    const { port, hostname } = new URL(emulator.provisioning.address);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    return socket;
  };

  it("the emulator's servers do not apply a request whose client leaves in the middle", async () => {
    const head = `POST /x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${emulator.provisioning.token}`;
    const socket = await open();
    socket.write(`${head}\r\nContent-Length: 1000\r\n\r\n{"data":`);
    await until(() => emulator.provisioning.statistics.requests > 0);
    socket.destroy();
    await until(() => emulator.provisioning.statistics.inFlight === 0);
    const found = emulator.journal.requests().map(({ status, body }) => [status, body]);
    assert.deepEqual(found, [[null, null]]);
    assert.equal((await call(emulator, "provisioning", "GET", "/x")).status, 404);
  });

  it("the emulator's servers refuse what is not HTTP", async () => {
    const socket = await open();
    socket.write("rubbish\r\n\r\n");
    const [received] = (await once(socket, "data")) as [Buffer];
    assert.match(received.toString(), /^HTTP\/1\.1 400 /);
    await once(socket, "close");
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
      const [response] = (await once(httpsRequest(url, { agent: false, headers, ca }).end(), "response")) as [
        IncomingMessage,
      ];
      await once(response.resume(), "end");
      return response.statusCode;
    };
    const { port, hostname } = new URL(emulator.provisioning.address);
    const silent = connect(Number(port), hostname);
    await once(silent, "connect");
    emulator.faults.add({ drop: "before" });
    await assert.rejects(ask());
    const refusal = emulator.faults.add({ refuse: true });
    await assert.rejects(ask(), { code: "ECONNREFUSED" });
    refusal.remove();
    assert.equal(await ask(), 404);
  });

  it("the emulator with TLS understands the method LIST among other requests, at the secrets service only", async () => {
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
    const plain = await startEmulator();
    const { status } = await call(plain, "provisioning", "LIST", "/api/v2/projects");
    await plain.close();
    assert.equal(status, 400);
  });
});

it("the emulator's router decodes parameters, finds none that are empty, and says what a path allows", () => {
  const [list, show, remove] = [
    { method: "GET", path: "/things" },
    { method: "GET", path: "/things/:id" },
    { method: "DELETE", path: "/things/:id" },
  ] as const satisfies readonly Endpoint[];
  const router = new Router<Endpoint>([list, show, remove]);
  const nothing = { target: undefined, parameters: {}, allowedMethods: [] };
  const long = "x".repeat(1_000);
  for (const [method, path, expected] of [
    ["DELETE", "/things/a%2Fb%25", { target: remove, parameters: { id: "a/b%" } }],
    ["GET", `/things/${long}`, { target: show, parameters: { id: long } }],
    ["PATCH", "/things/1", { allowedMethods: ["GET", "DELETE"] }],
    ...["/", "/things/", "things", "*", "http://host/things", "/things/%zz"].map(
      (other) => ["GET", other, {}] as const,
    ),
  ] as const) {
    assert.deepEqual(router.find(method, path), { ...nothing, ...expected }, path);
  }
});
