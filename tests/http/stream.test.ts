import assert from "node:assert/strict";
import { CancelledError, ConnectionError, ServiceError, TimeoutError } from "../../sdk/base/errors";
import { path } from "../../sdk/base/path";
import type { Operation } from "../../sdk/http/transport";
import { connect, disconnect, failure, read } from "./calls";
import { settle } from "./clock";
import { json, startServer } from "./server";

describe("a stream", () => {
  afterEach(disconnect);

  const watch: Operation = { ...read, summary: "follow events" };

  it("a stream yields bytes as they arrive, beyond the time limit, and does not count against the concurrency limit", async () => {
    let finish = (): void => undefined;
    const server = await startServer((response, { url }) => {
      if (url === "/other") {
        json(response, 200, {});
        return;
      }
      response.write("one");
      finish = () => response.end("three");
    });
    const transport = connect(server.address, { maxConcurrency: 1 });
    const { body } = await transport.stream({ ...watch, timeoutMilliseconds: 300 });
    let text = "";
    for await (const chunk of body) {
      text += Buffer.from(chunk).toString();
      if (text === "one") {
        assert.equal((await transport.send({ ...read, path: path`/other` })).status, 200);
        // Time itself is what is tested: more of it than the limit.
        setTimeout(finish, 400);
      }
    }
    assert.equal(text, "onethree");
  });

  it("a stream reads no faster than it is consumed", async () => {
    const chunk = Buffer.alloc(1024 * 1024);
    let written = 0;
    const server = await startServer((response) => {
      const fill = (): void => {
        written += 1;
        if (written < 256) {
          response.write(chunk, fill);
        }
      };
      fill();
    });
    const stream = await connect(server.address).stream(watch);
    const iterator = stream.body[Symbol.asyncIterator]();
    await iterator.next();
    // Until the sockets are full and nothing moves any more; only time shows that nothing happens.
    for (let before = -1; before !== written;) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.ok(written < 64, `${written} MB`);
    stream.close();
  });

  it("a stream fails when the connection breaks, and when it is aborted", async () => {
    const abort = new AbortController();
    let breakOff = (): unknown => undefined;
    const server = await startServer((response) => {
      response.write("one");
      breakOff = () => response.destroy();
    });
    for (const [end, expected] of [
      [() => breakOff(), ConnectionError],
      [() => abort.abort(), CancelledError],
    ] as const) {
      const { body } = await connect(server.address).stream({ ...watch, signal: abort.signal });
      setImmediate(end);
      assert.ok(expected.isInstance(await failure(drain(body))));
    }
  });

  it("a stream closes the connection when its reader leaves or closes the stream", async () => {
    const closed: string[] = [];
    const server = await startServer((response, { url }) => {
      response.write("one");
      response.on("close", () => closed.push(url));
    });
    const transport = connect(server.address);
    const left = await transport.stream({ ...watch, path: path`/left` });
    for await (const chunk of left.body) {
      assert.equal(Buffer.from(chunk).toString(), "one");
      break;
    }
    const stream = await transport.stream({ ...watch, path: path`/closed` });
    const reading = drain(stream.body);
    setImmediate(() => stream.close());
    await reading;
    while (closed.length < 2) {
      await settle();
    }
    assert.deepEqual(closed.sort(), ["/closed", "/left"]);
  });

  it("a stream that is rejected or does not begin fails with an ordinary error", async () => {
    const server = await startServer((response, { url }) => {
      const status = Number(/\d+/.exec(url)?.[0]);
      if (status >= 300) {
        json(response, status, { errors: ["Permission denied"] });
      }
    });
    const transport = connect(server.address);
    for (const status of [300, 403]) {
      const refused = await failure(transport.stream({ ...watch, path: path`/${status}` }), ServiceError);
      assert.match(refused.message, new RegExp(`follow events.*${status}.*Permission denied`));
    }
    await failure(transport.stream({ ...watch, timeoutMilliseconds: 40 }), TimeoutError);
    assert.equal(server.received.length, 3);
  });
});

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of body) {
    assert.ok(chunk.length > 0);
  }
}
