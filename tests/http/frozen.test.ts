import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { repository } from "../support/packed-library";

/** A process of its own, which a test stops and lets go on, as `docker pause` does. */
function start(program: string, address: string) {
  const child = spawn(process.execPath, ["-r", "ts-node/register", "-e", program], {
    cwd: repository,
    env: { ...process.env, ADDRESS: address, SCHEDULER_ADDR: address, SCHEDULER_TOKEN: "t" },
  });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  const freeze = async (meanwhile: () => unknown, milliseconds: number): Promise<void> => {
    child.kill("SIGSTOP");
    await meanwhile();
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    child.kill("SIGCONT");
  };
  const printed = async (): Promise<string> => {
    const [out, errors] = await ended;
    assert.equal(errors, "");
    return out.trim();
  };
  return { child, freeze, printed };
}

const transport = `
  const { HttpTransport } = require("./sdk/http/http-transport");
  const made = new HttpTransport({ service: "secrets", address: process.env.ADDRESS, dialect: "documented", maxRetries: 0, requestTimeoutMilliseconds: 1500 });
  const operation = { summary: "make a thing", method: "POST", path: "/things", idempotent: false, body: {} };
  const show = (promise) => promise.then(({ body }) => console.log(String(body.text.length)), (error) => console.log(error.message));`;

const list = `
  const { scheduler } = require("./sdk");
  const show = (promise) => promise.then((events) => console.log(JSON.stringify(events)), (error) => console.log(error.message)).finally(() => process.exit());`;

const event = `${JSON.stringify({ Index: 7, Events: [{ Topic: "Job", Type: "JobRegistered", Key: "web", Namespace: "default", FilterKeys: [], Index: 7, Payload: {} }] })}\n`;

// The stopped process gets signals only, which Windows does not have.
describe("a process that is frozen while it waits", function () {
  this.timeout(60_000);

  const server = createServer();
  let address = "";
  before(async () => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const nextRequest = async (): Promise<ServerResponse> => {
    const [request, response] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
    await text(request);
    return response;
  };

  for (const [size, length] of [
    ["small", 2],
    ["large", 1_000_000],
  ] as const) {
    it(`a process that was frozen receives the ${size} response that arrived in time, although its time limit has passed`, async () => {
      const { freeze, printed } = start(`${transport} show(made.send(operation));`, address);
      const response = await nextRequest();
      await freeze(() => response.end(JSON.stringify({ text: "x".repeat(length) })), 2500);
      assert.equal(await printed(), String(length));
    });
  }

  it("a process that was frozen receives the response to a canceled write that arrived in time", async () => {
    const { child, freeze, printed } = start(
      `${transport}
      const cancelled = new AbortController();
      process.stdin.once("data", () => { process.stdin.destroy(); cancelled.abort(); console.error = () => {}; process.stdout.write(" "); });
      show(made.send({ ...operation, signal: cancelled.signal, graceMilliseconds: 500 }));`,
      address,
    );
    const response = await nextRequest();
    child.stdin.write("x");
    await once(child.stdout, "data");
    await freeze(() => response.end(JSON.stringify({ text: "x" })), 1500);
    assert.equal(await printed(), "1");
  });

  it("a process that was frozen between two requests does not write to a connection that has been closed in the meantime", async () => {
    const { child, freeze, printed } = start(
      `${transport}
      made.send(operation).then(() => { console.log("first"); setTimeout(() => show(made.send(operation)), 1000); });`,
      address,
    );
    (await nextRequest()).end(JSON.stringify({ text: "" }));
    await once(child.stdout, "data");
    await freeze(() => server.closeIdleConnections(), 1500);
    (await nextRequest()).end(JSON.stringify({ text: "xyz" }));
    assert.match(await printed(), /^first\n3$/);
  });

  const calls = {
    "waitForEvent with a time limit":
      'scheduler.waitForEvent({ topics: ["Job"], match: { key: "web" }, timeout: "1.5s" })',
    "readEvents with a time limit": 'scheduler.readEvents({ topics: ["Job"], until: { timeout: "1.5s" } })',
    "readEvents with a pause": 'scheduler.readEvents({ topics: ["Job"], until: { idle: "1.5s" } })',
    "a stream with an idle limit":
      '(async () => { for await (const each of scheduler.events({ topics: ["Job"], idleTimeout: "1.5s", onReconnect: () => console.log("reconnected") })) { return each; } })()',
  };
  for (const [name, call] of Object.entries(calls)) {
    it(`${name} in a process that was frozen receives the event that arrived in time`, async () => {
      const { freeze, printed } = start(`${list} show(${call});`, address);
      const response = await nextRequest();
      response.write("{}\n");
      await new Promise((resolve) => setTimeout(resolve, 300));
      await freeze(() => response.write(event), 2500);
      assert.match(await printed(), /^\[?\{.*"key":"web"/);
      response.destroy();
    });
  }
});
