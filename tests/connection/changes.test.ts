import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { connect as connectSocket, type Socket } from "node:net";
import { join } from "node:path";
import { Server } from "node:tls";
import { streamEvents } from "../../sdk/scheduler";
import { listTotpMethods } from "../../sdk/secrets/mfa";
import { json, startRawServer, startServer, stopServers } from "../http/server";
import { frameLine } from "../scheduler/raw-scheduler";
import { certificates, type KeyPair } from "../support/certificates";
import { temporaryDirectory } from "../support/packed-library";
import { useEnvironment } from "./environment";

const { authority, client, otherAuthority, otherHost, replaced } = certificates();

interface World {
  readonly authority: KeyPair;
  readonly server: KeyPair;
  readonly client: KeyPair;
}

const first: World = { authority, server: otherHost, client };
const second: World = { authority: otherAuthority, ...replaced };

describe("what a connection is made with", function () {
  this.timeout(30_000);
  useEnvironment(() => ({}));
  afterEach(stopServers);

  it("a stream and a client survive two changes of CA, certificate, key and proxy in one process", async () => {
    const folder = temporaryDirectory("changes");
    const file = (name: string): string => join(folder, name);
    const optionsOf = ({ server, authority: { certificate } }: World) => ({
      cert: server.certificate,
      key: server.key,
      ca: certificate,
      requestCert: true,
      rejectUnauthorized: true,
    });
    let index = 0;
    const open = new Set<Socket>();
    const service = await startServer((response, { url, headers }) => {
      if (!url.startsWith("/v1/event/stream")) {
        json(response, 200, { data: { keys: [], key_info: {} } });
        return;
      }
      index += 1;
      assert.equal(headers.host, "service.example");
      response.write(frameLine(index));
    }, optionsOf(first));
    service.server.on("secureConnection", (socket: Socket) => {
      open.add(socket.on("error", () => undefined));
    });
    const startProxy = () =>
      startRawServer((socket, head) => {
        assert.match(head, /^CONNECT service\.example:443 /);
        const upstream = connectSocket(service.port, "127.0.0.1");
        socket.on("close", () => upstream.destroy());
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        upstream
          .on("error", () => socket.destroy())
          .pipe(socket)
          .pipe(upstream);
      });
    const change = async (world: World): Promise<{ readonly used: () => number }> => {
      await writeFile(file("ca.pem"), world.authority.certificate);
      await writeFile(file("client.pem"), world.client.certificate);
      await writeFile(file("client.key"), world.client.key);
      assert.ok(service.server instanceof Server);
      service.server.setSecureContext(optionsOf(world));
      const proxy = await startProxy();
      process.env.HTTPS_PROXY = proxy.address;
      return { used: () => proxy.sockets.length };
    };
    const settings = (service: string) => ({
      [`${service}_ADDR`]: "https://service.example",
      [`${service}_TOKEN`]: "token",
      [`${service}_CACERT`]: file("ca.pem"),
      [`${service}_CLIENT_CERT`]: file("client.pem"),
      [`${service}_CLIENT_KEY`]: file("client.key"),
    });
    Object.assign(process.env, settings("SCHEDULER"), settings("SECRETS"), { SECRETS_MAX_RETRIES: "0" });
    let proxy = await change(first);
    const stream = streamEvents({ topics: ["Node"] });
    try {
      for (const world of [second, first, undefined]) {
        const frame = await stream.next();
        assert.equal(frame.value?.index, index);
        assert.deepEqual((await listTotpMethods()).ids, []);
        assert.ok(proxy.used() >= 2, "both went through the proxy of now");
        if (world !== undefined) {
          proxy = await change(world);
          open.forEach((socket) => socket.destroy());
          open.clear();
        }
      }
    } finally {
      await stream.return?.();
      await rm(folder, { recursive: true });
    }
  });
});
