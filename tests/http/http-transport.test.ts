import assert from "node:assert/strict";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import { Connection } from "../../sdk/http/connection";
import { CancelledError, ConnectionError, ServiceError, TimeoutError } from "../../sdk/base/errors";
import { HttpTransport } from "../../sdk/http/http-transport";
import { path } from "../../sdk/base/path";
import { connect, disconnect, failure, make, read, write } from "./calls";
import { impatientClock, ManualClock, settle } from "./clock";
import { json, startRawServer, startServer, stopServers, unusedPort } from "./server";

describe("HTTP transport", () => {
  afterEach(disconnect);

  describe("a failed connection", () => {
    it("is surely without effect when nothing listens", async () => {
      const port = await unusedPort();
      const told: string[] = [];
      const progress = (message: string): void => void told.push(message);
      const transport = connect(`http://127.0.0.1:${port}`, { maxRetries: 2 });
      const error = await failure(transport.send({ ...make, progress }));
      assert.ok(ConnectionError.isInstance(error));
      assert.equal(error.code, "ECONNREFUSED");
      assert.equal(error.mayHaveBeenProcessed, false);
      assert.match(error.message, /failed after 3 attempts.*Nothing is listening there.*SECRETS_ADDR/);
      assert.equal(told.length, 2);
      assert.match(told[0] ?? "", /^the service is not reachable, waiting 0\.\d s$/);
    });

    it("is not repeated for a call that may have had an effect", async () => {
      let count = 0;
      const server = await startRawServer((socket) => {
        count++;
        socket.destroy();
      });
      const error = await failure(connect(server.address).send(make));
      assert.ok(ConnectionError.isInstance(error));
      assert.equal(error.mayHaveBeenProcessed, true);
      assert.equal(count, 1);
    });

    it("is not repeated either when a connection was used before", async () => {
      const server = await startServer((response, _request, count) => {
        if (count === 1) {
          json(response, 200, {});
        } else {
          response.socket?.destroy();
        }
      });
      const transport = connect(server.address);
      await transport.send(make);
      const error = await failure(transport.send(make));
      assert.ok(ConnectionError.isInstance(error));
      assert.equal(error.mayHaveBeenProcessed, true);
      assert.equal(server.received.length, 2);
    });

    it("is repeated for an idempotent call", async () => {
      const server = await startServer((response, _request, count) => {
        if (count < 3) {
          response.socket?.destroy();
        } else {
          json(response, 200, { ok: true });
        }
      });
      const response = await connect(server.address).send(write);
      assert.deepEqual(response.body, { ok: true });
      assert.deepEqual(
        server.received.map(({ body }) => body),
        ['{"a":1}', '{"a":1}', '{"a":1}'],
      );
    });

    it("is repeated after a wait, which others do not share", async () => {
      const clock = new ManualClock();
      const server = await startServer((response, { method }) => {
        if (method === "PATCH" && clock.sleeps.length === 0) {
          response.socket?.destroy();
        } else {
          json(response, 200, {});
        }
      });
      const transport = connect(server.address, {}, clock);
      const waiting = transport.send(write);
      while (clock.asleep === 0) {
        await settle();
      }
      await transport.send(read);
      assert.deepEqual(
        server.received.map(({ method }) => method),
        ["PATCH", "GET"],
      );
      await clock.advance(60_000);
      await waiting;
      assert.equal(server.received.length, 3);
    });

    it("may have had an effect when an earlier attempt may have", async () => {
      let connectionsMade = 0;
      const server = await startRawServer((socket) => {
        connectionsMade++;
        stopServers();
        socket.destroy();
      });
      const error = await failure(connect(server.address, { maxRetries: 1 }).send(write));
      assert.ok(ConnectionError.isInstance(error));
      assert.equal(connectionsMade, 1);
      assert.equal(error.code, "ECONNREFUSED");
      assert.equal(error.mayHaveBeenProcessed, true);
    });

    it("cannot be used after it was closed", async () => {
      const server = await startServer((response) => json(response, 200, {}));
      const connection = new Connection({ service: "secrets", address: server.address }, impatientClock());
      const transport = new HttpTransport(connection);
      await transport.send(read);
      await connection.close();
      const error = await failure(transport.send(read));
      assert.ok(ConnectionError.isInstance(error));
      assert.match(error.message, /has closed the connection/);
    });
  });

  describe("a timeout", () => {
    it("reports that the response did not begin", async () => {
      const server = await startServer(() => undefined);
      const error = await failure(connect(server.address).send({ ...make, timeoutMilliseconds: 40 }));
      assert.ok(TimeoutError.isInstance(error));
      assert.deepEqual([error.phase, error.mayHaveBeenProcessed], ["headers", true]);
      assert.match(error.message, /no response within 0\.04 s.*SECRETS_REQUEST_TIMEOUT/);
      assert.equal(server.received.length, 1);
    });

    it("reports that the response did not end, whatever trickles in", async () => {
      const server = await startServer((response) => {
        response.write("{");
        const timer = setInterval(() => response.write(" "), 5);
        response.on("close", () => clearInterval(timer));
      });
      const error = await failure(connect(server.address).send({ ...make, timeoutMilliseconds: 60 }));
      assert.ok(TimeoutError.isInstance(error));
      assert.equal(error.phase, "body");
    });

    it("reports that there was no connection", async () => {
      // The server never says its part of the TLS handshake.
      const server = await startRawServer(() => undefined);
      const address = server.address.replace("http:", "https:");
      const transport = connect(address, { requestTimeoutMilliseconds: 40, maxRetries: 0 });
      const error = await failure(transport.send(make));
      assert.ok(TimeoutError.isInstance(error));
      assert.deepEqual([error.phase, error.mayHaveBeenProcessed], ["connect", false]);
    });

    it("is repeated for an idempotent call", async () => {
      const server = await startServer((response, _request, count) => {
        if (count > 1) {
          json(response, 200, {});
        }
      });
      await connect(server.address).send({ ...write, timeoutMilliseconds: 60 });
      assert.equal(server.received.length, 2);
    });
  });

  describe("a rate limit", () => {
    it("is waited for by everybody", async () => {
      const clock = new ManualClock();
      const server = await startServer((response, _request, count) => {
        json(response, count === 1 ? 429 : 200, {}, count === 1 ? { "retry-after": "5" } : {});
      });
      const transport = connect(server.address, {}, clock);
      const told: string[] = [];
      const progress = (message: string): void => void told.push(message);
      const first = transport.send({ ...make, progress });
      while (told.length === 0) {
        await settle();
      }
      const second = transport.send({ ...read, progress });
      await clock.advance(5000);
      assert.equal(server.received.length, 1);
      assert.match(told[0] ?? "", /^rate limited, waiting 5\.\d s$/);
      assert.match(told[1] ?? "", /^the service is rate limiting, waiting 5\.\d s$/);
      await clock.advance(2000);
      await Promise.all([first, second]);
      assert.equal(server.received.length, 3);
    });

    it("does not keep a thousand calls from succeeding when every other request is refused", async () => {
      const server = await startServer((response, _request, count) => {
        // Not every second one, which a call could meet again and again.
        const refused = (count * 2654435761) % 4294967296 < 2147483648;
        json(response, refused ? 429 : 200, {}, refused ? { "x-ratelimit-reset": "0.3" } : {});
      });
      const transport = connect(server.address, { maxConcurrency: 8 });
      const responses = await Promise.all(Array.from({ length: 1000 }, () => transport.send(make)));
      assert.equal(responses.length, 1000);
      assert.ok(server.received.length < 3000, String(server.received.length));
    });

    it("ends in an error that says what to set", async () => {
      const server = await startServer((response) =>
        json(response, 429, { errors: [{ status: 429, title: "Too many" }] }),
      );
      const error = await failure(connect(server.address, { maxRetries: 1 }).send(read));
      assert.ok(ServiceError.isInstance(error));
      assert.equal(server.received.length, 7);
      assert.equal(error.attempts, 7);
      assert.match(error.message, /429 after 7 attempts.*Too many.*SECRETS_MAX_CONCURRENCY/);
    });
  });

  it("sends at most the allowed number of concurrent requests", async () => {
    const held: ServerResponse[] = [];
    const server = await startServer((response, { url }) => {
      if (url === "/probe") {
        json(response, 200, {});
      } else {
        held.push(response);
      }
    });
    const limited = connect(server.address, { maxConcurrency: 3 });
    const prober = connect(server.address);
    const responses = Promise.all(Array.from({ length: 7 }, () => limited.send(read)));
    for (let responded = 0; responded < 7; responded++) {
      const expected = Math.min(7, responded + 3);
      while (held.length < expected) {
        await settle();
      }
      // Whatever was sent at the same time has arrived when a later request has been answered.
      await prober.send({ ...read, path: path`/probe` });
      assert.equal(held.length, expected);
      json(held[responded]!, 200, {});
    }
    assert.equal((await responses).length, 7);
  });

  describe("cancelling", () => {
    it("ends a request in flight", async () => {
      const abort = new AbortController();
      const server = await startServer(() => abort.abort());
      const error = await failure(connect(server.address).send({ ...make, signal: abort.signal }));
      assert.ok(CancelledError.isInstance(error));
      assert.equal(error.mayHaveBeenProcessed, true);
    });

    it("ends the reading of a response", async () => {
      for (const status of [200, 500]) {
        const abort = new AbortController();
        const server = await startServer((response) => response.writeHead(status).write("{"));
        // undici tells there that it has the head of an answer; the body is read next.
        const cancel = (): void => void setImmediate(() => abort.abort());
        subscribe("undici:request:headers", cancel);
        const error = await failure(connect(server.address).send({ ...make, signal: abort.signal }));
        unsubscribe("undici:request:headers", cancel);
        assert.ok(CancelledError.isInstance(error));
      }
    });

    it("lets a written request have its time of grace", async () => {
      const abort = new AbortController();
      const server = await startServer((response) => {
        abort.abort();
        json(response, 200, { done: true });
      });
      const transport = connect(server.address);
      const response = await transport.send({ ...make, signal: abort.signal, graceMilliseconds: 20_000 });
      assert.deepEqual(response.body, { done: true });
    });

    it("ends a written request after its time of grace", async () => {
      const abort = new AbortController();
      const server = await startServer(() => abort.abort());
      const transport = connect(server.address);
      const error = await failure(transport.send({ ...make, signal: abort.signal, graceMilliseconds: 20 }));
      assert.ok(CancelledError.isInstance(error));
      assert.equal(error.mayHaveBeenProcessed, true);
    });

    it("gives no grace to a request that was not written", async () => {
      const abort = new AbortController();
      const server = await startRawServer(() => abort.abort());
      const address = server.address.replace("http:", "https:");
      const transport = connect(address);
      const error = await failure(
        transport.send({ ...make, signal: abort.signal, graceMilliseconds: 60_000 }),
      );
      assert.ok(CancelledError.isInstance(error));
      assert.equal(error.mayHaveBeenProcessed, false);
    });

    it("ends a wait between attempts", async () => {
      const clock = new ManualClock();
      const abort = new AbortController();
      const server = await startServer((response) => json(response, 502, {}));
      const transport = connect(server.address, {}, clock);
      const progress = (): void => abort.abort();
      const error = await failure(transport.send({ ...write, signal: abort.signal, progress }));
      assert.ok(CancelledError.isInstance(error));
      assert.equal(error.mayHaveBeenProcessed, true);
      assert.equal(server.received.length, 1);
      assert.equal(clock.asleep, 0);
    });

    it("ends a wait for a turn", async () => {
      const abort = new AbortController();
      const server = await startServer(() => abort.abort());
      const transport = connect(server.address, { maxConcurrency: 1 });
      const busy = transport.send(make);
      const error = await failure(transport.send({ ...make, signal: abort.signal }));
      assert.ok(CancelledError.isInstance(error));
      assert.equal(error.mayHaveBeenProcessed, false);
      assert.equal(server.received.length, 1);
      stopServers();
      await failure(busy);
    });

    it("ends an attempt to connect, which then sends nothing", async () => {
      const abort = new AbortController();
      const server = await startRawServer(() => abort.abort());
      const address = server.address.replace("http:", "https:");
      const error = await failure(connect(address).send({ ...make, signal: abort.signal }));
      assert.ok(CancelledError.isInstance(error));
      assert.equal(error.mayHaveBeenProcessed, false);
    });

    it("makes no request when it was aborted before", async () => {
      const server = await startServer((response) => json(response, 200, {}));
      const error = await failure(connect(server.address).send({ ...make, signal: AbortSignal.abort() }));
      assert.ok(CancelledError.isInstance(error));
      assert.equal(server.received.length, 0);
    });
  });
});
