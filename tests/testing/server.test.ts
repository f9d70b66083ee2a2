import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { certificates } from "../support/certificates";
import { useEmulator } from "../support/use-emulator";
import { call, until } from "./call";

describe("the emulator's servers", () => {
  const emulator = useEmulator();

  it("the emulator's servers do not apply a request whose client leaves in the middle, and refuse what is not HTTP", async () => {
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
  });
});
