import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { Connection } from "../../sdk/http/connection";
import { HttpTransport } from "../../sdk/http/http-transport";
import { certificates } from "../support/certificates";
import { failure, make } from "./calls";
import { impatientClock } from "./clock";
import { json, unusedPort } from "./server";

const { authority, server: pair } = certificates();

describe("a socket that is opened early", () => {
  let server: Server;
  let connection: Connection;
  const sockets: Socket[] = [];
  let requests = 0;

  const listen = async (tls: boolean): Promise<string> => {
    const respond = (_: unknown, response: Parameters<typeof json>[0]): void => {
      requests += 1;
      json(response, 200, { ok: true });
    };
    server = tls
      ? createSecureServer({ cert: pair.certificate, key: pair.key }, respond)
      : createServer(respond);
    server.on("connection", (socket: Socket) => sockets.push(socket));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return `${tls ? "https" : "http"}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const connectTo = (address: string): HttpTransport => {
    const settings = { service: "secrets", address, caCertificate: authority.certificate } as const;
    connection = new Connection(settings, impatientClock());
    return new HttpTransport(connection);
  };

  beforeEach(() => {
    sockets.length = 0;
    requests = 0;
  });
  afterEach(async () => {
    await connection.dispatcher.destroy();
    if (server.listening) {
      sockets.forEach((socket) => socket.destroy());
      server.close();
      await once(server, "close");
    }
  });

  for (const tls of [false, true]) {
    it(`is that of the first request${tls ? ", with TLS" : ""}`, async () => {
      const transport = connectTo(await listen(tls));
      connection.open();
      await once(server, tls ? "secureConnection" : "connection");
      await transport.send(make);
      assert.deepEqual([requests, sockets.length], [1, 1]);
    });

    it(`is waited for${tls ? ", with TLS" : ""}`, async () => {
      const transport = connectTo(await listen(tls));
      connection.open();
      await transport.send(make);
      assert.deepEqual([requests, sockets.length], [1, 1]);
    });
  }

  it("serves one of several first requests", async () => {
    const transport = connectTo(await listen(false));
    connection.open();
    await Promise.all([transport.send(make), transport.send(make), transport.send(make)]);
    assert.deepEqual([requests, sockets.length], [3, 3]);
  });

  for (const [what, close] of [
    ["was closed", (socket: Socket) => socket.end()],
    ["was reset", (socket: Socket) => socket.resetAndDestroy()],
    ["was refused", (socket: Socket) => socket.end("HTTP/1.1 408 Request Timeout\r\n\r\n")],
  ] as const) {
    it(`is not used if it ${what} before`, async () => {
      const transport = connectTo(await listen(false));
      connection.open();
      const [socket] = (await once(server, "connection")) as [Socket];
      const closed = once(socket, "close");
      close(socket);
      await closed;
      await transport.send(make);
      assert.deepEqual([requests, sockets.length], [1, 2]);
    });
  }

  it("does not hide that nobody listens", async () => {
    const transport = connectTo(`http://127.0.0.1:${await unusedPort()}`);
    connection.open();
    assert.match((await failure(transport.send(make))).message, /ECONNREFUSED/);
  });
});
