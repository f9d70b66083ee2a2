import assert from "node:assert/strict";
import { cancellationSignal, untilSettled } from "../../sdk/engine/cancellation";
import { runAsProvider } from "./as-provider";

describe("cancellation", () => {
  it("cancellation leaves SIGINT to other processes than the engine's, with one signal for all callers", () => {
    const before = process.listenerCount("SIGINT");
    assert.equal(cancellationSignal().aborted, false);
    assert.equal(process.listenerCount("SIGINT"), before);
    assert.equal(cancellationSignal(), cancellationSignal());
  });

  it("untilSettled returns what the work returns, and fails as it fails", async () => {
    assert.equal(await untilSettled(() => Promise.resolve(5)), 5);
    const failing = untilSettled(() => Promise.reject(new Error("failed")));
    await assert.rejects(failing, /^Error: failed$/);
  });

  it("the cancellation signal takes as many listeners as there are requests, without a warning", async () => {
    const { stderr } = await runAsProvider(`
        const signal = require("./sdk/engine/cancellation").cancellationSignal();
        for (let request = 0; request < 50; request += 1) {
          signal.addEventListener("abort", () => undefined);
        }
        setImmediate(() => process.exit());`);
    assert.equal(stderr, "");
  });

  it("untilSettled lets all work end before the process does, whether it succeeds or fails", async () => {
    const script = `
        const { cancellationSignal, untilSettled } = require("./sdk/engine/cancellation");
        const signal = cancellationSignal();
        process.on("exit", (code) => console.log("exit", code));
        const work = (ends) => untilSettled(async () => {
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
          for (let turn = 0; turn < 50; turn += 1) {
            await new Promise((resolve) => setImmediate(resolve));
          }
          await ends();
        }).catch(() => undefined);
        work(async () => console.log("succeeded"));
        work(async () => { console.log("failed"); throw new Error("failed"); });
        setInterval(() => undefined, 1000);
        // What was settled is sent at once.
        globalThis.setTimeout = (send) => setImmediate(send);
        process.kill(process.pid, "SIGINT");`;
    const { code, stdout } = await runAsProvider(script);
    assert.deepEqual([code, stdout], [130, "succeeded\nfailed\nexit 130\n"]);
  });

  it("cancellation hears the engine's Cancel call on every server of the process, and no other call", async () => {
    const script = `
        const http2 = require("node:http2");
        const { cancellationSignal } = require("./sdk/engine/cancellation");
        const server = http2.createServer((request, response) => response.end());
        server.listen(0, "127.0.0.1", async () => {
          const signal = cancellationSignal();
          const client = http2.connect("http://127.0.0.1:" + server.address().port);
          for (const name of ["Check", "Cancel"]) {
            const call = client.request({ ":method": "POST", ":path": "/pulumirpc.ResourceProvider/" + name });
            call.resume().end();
            await new Promise((resolve) => call.on("close", resolve));
            console.log(name, signal.aborted);
          }
          client.close();
          server.close();
        });`;
    assert.equal((await runAsProvider(script)).stdout, "Check false\nCancel true\n");
  });
});
