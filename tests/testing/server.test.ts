import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import type { IncomingMessage } from "node:http";
import { type RequestOptions, request as httpsRequest } from "node:https";
import { type Socket, connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { connect as connectSecurely } from "node:tls";
import ts from "typescript";
import { type Emulator, startEmulator } from "../../sdk/testing";
import { type Endpoint, Router } from "../../sdk/testing/router";
import { certificates } from "../support/certificates";
import { useEmulator } from "../support/use-emulator";
import { call, until } from "./call";

const methods = "/v1/identity/mfa/method/totp";

describe("the emulator's servers", () => {
  describe("with clients that misbehave", () => {
    const emulator = useEmulator();
    beforeEach(() => {
      emulator.provisioning.addOrganization({ name: "acme" });
    });

    /** Sends bytes, then hangs up or waits for the other side to. */
    const send = async (text: string, hangUp: boolean): Promise<string> => {
      const { port, hostname } = new URL(emulator.provisioning.address);
      const socket = connect(Number(port), hostname);
      let received = "";
      socket.setEncoding("utf8").on("data", (chunk: string) => (received += chunk));
      await once(socket, "connect");
      const sent = emulator.provisioning.statistics.requests;
      socket.write(text);
      if (hangUp) {
        await until(() => emulator.provisioning.statistics.requests > sent);
        socket.destroy();
      } else {
        await once(socket, "close");
      }
      return received;
    };
    const head = (token: string): string =>
      [
        "POST /api/v2/organizations/acme/projects HTTP/1.1",
        "Host: service",
        `Authorization: Bearer ${token}`,
        "Content-Type: application/vnd.api+json",
      ].join("\r\n");

    it("survives one that leaves in the middle of its request, which is not applied", async () => {
      const { token } = emulator.provisioning;
      await send(`${head(token)}\r\nContent-Length: 1000\r\n\r\n{"data":`, true);
      await until(() => emulator.provisioning.statistics.inFlight === 0);
      assert.deepEqual(
        emulator.journal.requests().map(({ status, body }) => [status, body]),
        [[null, null]],
      );
      assert.equal((await call(emulator, "provisioning", "GET", "/x")).status, 404);
    });

    it("refuses what is not HTTP", async () => {
      assert.match(await send("rubbish\r\n\r\n", false), /^HTTP\/1\.1 400 /);
      assert.equal((await call(emulator, "provisioning", "GET", "/x")).status, 404);
    });

    it("refuses a body of more than 16 MiB", async () => {
      const reply = await call(emulator, "provisioning", "POST", "/api/v2/organizations/acme/projects", {
        body: "x".repeat(16 * 1024 * 1024 + 1),
      });
      assert.equal(reply.status, 413);
      assert.equal(emulator.journal.requests()[0]?.status, 413);
    });
  });

  describe("with TLS", () => {
    const { authority, otherAuthority, server, client } = certificates();
    const ask = async (emulator: Emulator, options: RequestOptions): Promise<number | undefined> => {
      const request = httpsRequest(`${emulator.provisioning.address}/api/v2/projects/x`, {
        agent: false,
        headers: { Authorization: `Bearer ${emulator.provisioning.token}` },
        ...options,
      });
      request.end();
      const [response] = (await once(request, "response")) as [IncomingMessage];
      response.resume();
      await once(response, "end");
      return response.statusCode;
    };

    it("serves HTTPS with the given certificate", async () => {
      const emulator = await startEmulator({ tls: server });
      try {
        assert.match(emulator.provisioning.address, /^https:\/\/127\.0\.0\.1:\d+$/);
        assert.equal(await ask(emulator, { ca: authority.certificate }), 404);
        await assert.rejects(
          ask(emulator, { ca: otherAuthority.certificate }),
          /unable to verify|self-signed/,
        );
        await assert.rejects(call(emulator, "provisioning", "GET", "/x"));
      } finally {
        await emulator.close();
      }
    });

    it("demands a client certificate of the given authority", async () => {
      const emulator = await startEmulator({
        tls: { ...server, clientCertificateAuthority: authority.certificate },
      });
      try {
        const ca = authority.certificate;
        const { key, certificate: cert } = client;
        assert.equal(await ask(emulator, { ca, key, cert }), 404);
        await assert.rejects(ask(emulator, { ca }));
        const foreign = { key: otherAuthority.key, cert: otherAuthority.certificate };
        await assert.rejects(ask(emulator, { ca, ...foreign }));
        assert.equal(emulator.journal.count(), 1);
      } finally {
        await emulator.close();
      }
    });

    it("has faults, and ends connections that never finish their handshake", async () => {
      const emulator = await startEmulator({ tls: server });
      const { port, hostname } = new URL(emulator.provisioning.address);
      const silent = connect(Number(port), hostname);
      await once(silent, "connect");
      emulator.faults.add({ drop: "before" });
      await assert.rejects(ask(emulator, { ca: authority.certificate }));
      const refusal = emulator.faults.add({ refuse: true });
      await assert.rejects(ask(emulator, { ca: authority.certificate }), { code: "ECONNREFUSED" });
      refusal.remove();
      assert.equal(await ask(emulator, { ca: authority.certificate }), 404);
      await emulator.close();
    });
  });
});

describe("the method LIST", () => {
  const { authority, server } = certificates();
  const ways: readonly [string, Parameters<typeof startEmulator>[0], (port: number) => Socket][] = [
    ["plain HTTP", {}, (port) => connect(port, "127.0.0.1")],
    [
      "TLS",
      { tls: server },
      (port) => connectSecurely({ port, host: "127.0.0.1", ca: authority.certificate }),
    ],
  ];
  for (const [how, options, connect] of ways) {
    describe(`over ${how}`, () => {
      const emulator = useEmulator(options);
      beforeEach(() => {
        emulator.secrets.addTotpMethod({ issuer: "one" });
      });

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

/**
 * Runs an expression where the emulator's sources lie compiled, as `./testing`, but no package is installed.
 *
 * @returns the message of the error that it throws, or nothing
 */
export function failureWithoutPackages(expression: string): string {
  const folder = mkdtempSync(join(tmpdir(), "without-packages-"));
  try {
    const sources = resolve(__dirname, "../../sdk");
    cpSync(join(sources, "testing.ts"), join(folder, "testing.ts"));
    for (const room of ["testing", "base", "go-template"]) {
      cpSync(join(sources, room), join(folder, room), { recursive: true });
    }
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (name.endsWith(".ts")) {
        const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
        const source = readFileSync(join(folder, name), "utf8");
        const { outputText } = ts.transpileModule(source, { compilerOptions });
        writeFileSync(join(folder, name.replace(/ts$/, "js")), outputText);
      }
    }
    // The package brings zod along.
    mkdirSync(join(folder, "node_modules"));
    symlinkSync(resolve(sources, "../node_modules/zod"), join(folder, "node_modules", "zod"));
    const program = `try { ${expression} } catch (error) { console.log(error.message); }`;
    return spawnSync(process.execPath, ["-e", program], { cwd: folder, encoding: "utf8" }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("the emulator's router", () => {
  const endpoint = (method: Endpoint["method"], path: string): Endpoint => ({ method, path });
  const list = endpoint("GET", "/things");
  const show = endpoint("GET", "/things/:id");
  const remove = endpoint("DELETE", "/things/:id");
  const router = new Router([list, show, remove, endpoint("POST", "/things/:id/parts/:part")]);

  it("finds endpoints and the values in their paths", () => {
    assert.deepEqual(router.find("GET", "/things"), { target: list, parameters: {} });
    assert.deepEqual(router.find("DELETE", "/things/a%2Fb%25"), {
      target: remove,
      parameters: { id: "a/b%" },
    });
    const found = router.find("POST", "/things/1/parts/2");
    assert.deepEqual(found !== undefined && "parameters" in found && found.parameters, {
      id: "1",
      part: "2",
    });
    const long = "x".repeat(1_000);
    assert.deepEqual(router.find("GET", `/things/${long}`), { target: show, parameters: { id: long } });
  });

  it("names the methods of a path that does not know this one", () => {
    assert.deepEqual(router.find("PATCH", "/things/1"), { allowedMethods: ["GET", "DELETE"] });
    assert.deepEqual(router.find("OPTIONS", "/things"), { allowedMethods: ["GET"] });
  });

  for (const path of [
    "/",
    "/thing",
    "/things/",
    "/things/1/parts",
    "things",
    "*",
    "http://host/things",
    "/things/%zz",
  ]) {
    it(`does not find ${path}`, () => assert.equal(router.find("GET", path), undefined));
  }

  it("says what to install where its package is missing", () => {
    assert.match(
      failureWithoutPackages('require("./testing")'),
      /needs the package "find-my-way", which is not installed.*npm install --save-dev find-my-way@9\n$/,
    );
  });
});
