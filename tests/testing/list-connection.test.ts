import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectPlainly, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { startEmulator, type Emulator } from "../../sdk/testing";
import { certificates } from "../support/certificates";
import { call, until } from "./call";

const methods = "/v1/identity/mfa/method/totp";

describe("the method LIST", () => {
  const { authority, server } = certificates();
  const ways: readonly [string, Parameters<typeof startEmulator>[0], (port: number) => Socket][] = [
    ["plain HTTP", {}, (port) => connectPlainly(port, "127.0.0.1")],
    [
      "TLS",
      { tls: server },
      (port) => connectSecurely({ port, host: "127.0.0.1", ca: authority.certificate }),
    ],
  ];
  for (const [how, options, connect] of ways) {
    describe(`over ${how}`, () => {
      let emulator: Emulator;
      before(async () => {
        emulator = await startEmulator(options);
      });
      beforeEach(() => {
        emulator.reset();
        emulator.secrets.addTotpMethod({ issuer: "one" });
      });
      after(async () => emulator.close());

      /** Sends requests one after the other over one connection. @returns the answers' bodies */
      const exchange = async (...requests: readonly string[]): Promise<string[]> => {
        const socket = connect(Number(new URL(emulator.secrets.address).port));
        let received = "";
        socket.setEncoding("utf8").on("data", (text: string) => (received += text));
        const bodies: string[] = [];
        for (const request of requests) {
          received = "";
          socket.write(request);
          await until(() => received.endsWith("}"));
          bodies.push(received.slice(received.indexOf("\r\n\r\n") + 4));
        }
        socket.end();
        await once(socket, "close");
        return bodies;
      };
      const head = (firstLine: string): string =>
        `${firstLine} HTTP/1.1\r\nHost: x\r\nX-Secrets-Token: ${emulator.secrets.token}\r\n`;
      const list = (query = ""): string => `${head(`LIST ${methods}${query}`)}\r\n`;
      const count = (body: string | undefined): number => {
        const { data } = JSON.parse(body ?? "") as { readonly data: { readonly keys: readonly string[] } };
        return data.keys.length;
      };

      it("is understood among other requests, large ones too", async () => {
        const body = JSON.stringify({ issuer: "two" }).padEnd(300_000);
        const post = `${head(`POST ${methods}`)}Content-Length: ${body.length}\r\n\r\n${body}`;
        const [first, , last] = await exchange(list(), post, list("?list=false"));
        assert.equal(count(first), 1);
        assert.match(last ?? "", /given once/);
        assert.equal(emulator.inspect().secrets.totpMethods.length, 2);
        assert.deepEqual(
          emulator.journal.requests().map(({ method, target }) => `${method} ${target}`),
          [`GET ${methods}?list=true`, `POST ${methods}`, `GET ${methods}?list=false&list=true`],
        );
      });

      it("is struck by the faults for GET", async () => {
        const fault = emulator.faults.add({ drop: "before", method: "GET" });
        const socket = connect(Number(new URL(emulator.secrets.address).port));
        socket.write(list());
        await once(socket, "close");
        assert.equal(fault.hits, 1);
        assert.equal(emulator.secrets.statistics.inFlight, 0);
      });

      it("leaves answers whole that are larger than any buffer", async () => {
        for (let number = 0; number < 2_000; number += 1) {
          emulator.secrets.addTotpMethod({ issuer: `issuer-${number}` });
        }
        const [body] = await exchange(list());
        assert.equal(count(body), 2_001);
      });
    });
  }

  it("is none of the other services'", async () => {
    const emulator = await startEmulator();
    try {
      assert.equal((await call(emulator, "provisioning", "LIST", "/api/v2/projects")).status, 400);
    } finally {
      await emulator.close();
    }
  });
});
