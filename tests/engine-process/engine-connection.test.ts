import assert from "node:assert/strict";
import { unusedPort } from "../http/server";
import { runAsProvider } from "./as-provider";

/** A gRPC server, and what the process hears of its engine. */
const preamble = `
  const http2 = require("node:http2");
  const { once } = require("node:events");
  const { EngineConnection } = require("./sdk/engine/engine-connection");
  const heard = [];
  let onNews = () => undefined;
  const note = (news) => () => { heard.push(news); onNews(); };
  const hear = async (news) => {
    while (!heard.includes(news)) {
      await new Promise((resolve) => { onNews = resolve; });
    }
  };
  const listener = { cancelled: note("cancelled"), disconnected: note("disconnected"), ended: note("ended") };
  const listening = async (server) => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return server.address().port;
  };
  const connect = async (port) => {
    const client = http2.connect("http://127.0.0.1:" + port);
    await once(client, "remoteSettings");
    return client;
  };
`;

describe("EngineConnection", function () {
  this.timeout(30_000);

  it("EngineConnection does not treat an address where nothing has ever listened as its engine's", async () => {
    const { stdout } = await runAsProvider(`${preamble}
      (async () => {
        const port = await listening(http2.createServer());
        new EngineConnection("127.0.0.1:${await unusedPort()}", listener);
        for (let turn = 0; turn < 20; turn += 1) {
          const client = await connect(port);
          client.close();
          await hear("disconnected");
          heard.length = turn === 19 ? heard.length : 0;
        }
        console.log(heard.join());
        process.exit();
      })();`);
    assert.equal(stdout, "disconnected\n");
  });

  it("EngineConnection does not wait for calls that it cannot see in this version of Node.js", async () => {
    const { stdout } = await runAsProvider(`${preamble}
      (async () => {
        const server = http2.createServer((request, response) => {
          // This call never ends.
          Object.getOwnPropertySymbols = () => [];
          void connection.idle().then(() => { console.log("idle"); process.exit(); });
        });
        const port = await listening(server);
        const connection = new EngineConnection("127.0.0.1:1", listener);
        (await connect(port)).request();
      })();`);
    assert.equal(stdout, "idle\n");
  });

  it("EngineConnection leaves cancellation to signals in a version of Node.js that does not show a process's servers", async () => {
    const script = `${preamble}
      delete process._getActiveHandles;
      const signal = require("./sdk/engine/cancellation").cancellationSignal();
      signal.addEventListener("abort", () => console.log("cancelled"));
      setInterval(() => undefined, 1000);
      process.kill(process.pid, "SIGINT");`;
    const { code, stdout } = await runAsProvider(script);
    assert.deepEqual([code, stdout], [130, "cancelled\n"]);
  });
});
