import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import {
  brotliCompressSync,
  constants,
  createDeflate,
  createDeflateRaw,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from "node:zlib";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import {
  CancelledError,
  ConnectionError,
  ContractError,
  ServiceError,
  TimeoutError,
} from "../../sdk/base/errors";
import { path } from "../../sdk/base/path";
import { processRedactor } from "../../sdk/base/redactor";
import { headerText } from "../../sdk/http/transport";
import { certificates } from "../support/certificates";
import { connect, disconnect, failure, make, read, write } from "./calls";
import { ManualClock, settle } from "./clock";
import { json, type Responder, startRawServer, startServer, stopServers, unusedPort } from "./server";

const ok: Responder = (response) => json(response, 200, {});
const tokenOf = (value: string) => ({ token: () => ({ value, source: "the file t.txt" }) });

const abortedBefore = (abort: () => void): ReturnType<typeof startServer> => {
  abort();
  return startServer(ok);
};
const silent = (heard: () => void = () => undefined) => startServer(heard);
/** Sends nothing in the TLS handshake. */
const handshake = async (heard: () => void = () => undefined) => {
  const { address } = await startRawServer(heard);
  return { address: address.replace("http:", "https:") };
};

describe("the transport", () => {
  afterEach(disconnect);

  it("a request has the path, query, body and headers that were set", async () => {
    const server = await startServer(ok);
    const transport = connect(`${server.address}//prefix//`, {
      basePath: "v1/",
      ...tokenOf("t-123456"),
      authenticationHeader: (token) => ({ "x-secrets-token": token }),
      headers: { "x-extra": "extra-value" },
    });
    const query = { "page[size]": 5, q: "a b+c", flag: true, none: undefined, topic: ["Node", "Job:a"] };
    await transport.send({ ...make, query });
    const [{ headers, ...received } = assert.fail()] = server.received;
    const url = "/prefix/v1/things/1?page%5Bsize%5D=5&q=a%20b%2Bc&flag=true&topic=Node&topic=Job%3Aa";
    assert.deepEqual(received, { method: "POST", url, body: '{"a":1}' });
    assert.deepEqual(
      [headers["x-secrets-token"], headers["x-extra"], headers["accept-encoding"], headers.authorization],
      ["t-123456", "extra-value", "identity", undefined],
    );
    const types = "application/vnd.api+json, application/json";
    assert.deepEqual([headers.accept, headers["user-agent"]], [types, "pulumi-trivium"]);
  });

  it("a request has the current token as a bearer token, and a media type if it has a body or requests one", async () => {
    let count = 0;
    const server = await startServer((response) => response.writeHead(204).end());
    const token = () => Promise.resolve({ value: `token-${++count}`, source: "a file" });
    const transport = connect(server.address, { token });
    for (const each of [{ ...read, mediaType: "application/vnd.api+json" }, read, write]) {
      await transport.send(each);
    }
    const all = server.received.map(({ headers }) => headers);
    assert.equal(
      all.map(({ authorization }) => authorization).join(),
      "Bearer token-1,Bearer token-2,Bearer token-3",
    );
    const types = all.map((headers) => headers["content-type"]);
    assert.deepEqual(types, ["application/vnd.api+json", undefined, "application/json"]);
  });

  for (const [status, isOver, requests] of [
    [403, true, 2],
    [403, false, 1],
    [404, true, 1],
  ] as const) {
    it(`a request ${requests === 2 ? "is" : "is not"} repeated with the next token after ${status} if the first one ${isOver ? "has" : "has not"} expired`, async () => {
      const server = await startServer((response, _request, count) =>
        json(response, count === 1 ? status : 200, {}),
      );
      let count = 0;
      const hasEnded = () => Promise.resolve(isOver);
      const token = () => ({ value: `token-${++count}`, source: "a login", hasEnded });
      const call = connect(server.address, { token }).send(make);
      await (requests === 2 ? call : failure(call, ServiceError));
      const tokens = server.received.map(({ headers }) => headers.authorization);
      assert.deepEqual(tokens, ["Bearer token-1", "Bearer token-2"].slice(0, requests));
    });
  }

  const ofToken = "The token of the secrets service, from the file t.txt,";
  const noHeader = "contains a line break or another character that is not allowed in a header";
  for (const [value, query, kind, expected] of [
    ["", {}, "ConfigurationError", `${ofToken} is empty.`],
    ["a\nb", {}, "ConfigurationError", `${ofToken} ${noHeader}.`],
    ["token-1", { q: "\ud800" }, "InputError", "q is not well-formed Unicode."],
  ] as const) {
    it(`a request is not sent: ${expected}`, async () => {
      const call = connect("https://127.0.0.1", tokenOf(value)).send({ ...read, query });
      const { name, message } = await failure(call);
      assert.deepEqual([name, message], [kind, expected]);
    });
  }

  it("a request has headers of printable characters only", () => {
    for (const [allowed, texts] of [
      [true, ["", "token", "two words\tand more", "caf\u00e9"]],
      [false, ["a\nb", "a\r\nX-Injected: 1", "a\n", "a\0", "\u007f", "\u6f22", "\ud800"]],
    ] as const) {
      texts.forEach((text) => assert.equal(headerText.test(text), allowed, JSON.stringify(text)));
    }
  });

  it("the secrets of a request are redacted: headers and key", () => {
    const { certificate: clientCertificate, key: clientKey } = certificates().client;
    connect("https://service.example", {
      headers: { "x-key": "header-secret" },
      clientCertificate,
      clientKey,
    });
    const [, line = ""] = clientKey.split("\n");
    assert.equal(processRedactor.redact(`header-secret, ${line}`), "[secret], [secret]");
  });

  it("a response is JSON, empty, or an accepted error status, and none arrives after the transport was closed", async () => {
    const bodies: Readonly<Record<string, string>> = {
      200: '{"a":{"__proto__":{"polluted":1},"b":2},"\\u005f_proto__":{"polluted":1}}',
      202: " \n",
      404: '{"errors":[]}',
      409: "taken",
      410: "<html><title>No such host</title></html>",
    };
    const server = await startServer((response, { url }) => {
      const status = url.slice(1);
      response.writeHead(Number(status), { "x-one": ["a", "b"] }).end(bodies[status]);
    });
    const transport = connect(server.address);
    const responseTo = (status: number) =>
      transport.send({ ...read, path: path`/${status}`, accept: [404, 409, 410] });
    const response = await responseTo(200);
    assert.deepEqual([response.status, response.headers["x-one"]], [200, "a, b"]);
    assert.equal(response.request, `GET ${server.address}/200`);
    // A member that could change a prototype is dropped.
    assert.deepEqual(response.body, { a: { b: 2 } });
    const others = await Promise.all([202, 204, 404, 409].map(responseTo));
    const actual = others.map(({ body }) => body);
    assert.deepEqual(actual, [undefined, undefined, { errors: [] }, "taken"]);
    // A page that a proxy sent says nothing about the object.
    assert.match((await failure(responseTo(410), ServiceError)).message, /No such host.*proxy/);
    assert.equal(server.received.length, 6);
    await transport.close();
    const closed = await failure(responseTo(200), ConnectionError);
    assert.match(closed.message, /has closed the connection\. Create a new connection\.$/);
  });

  for (const [what, body, headers, pattern] of [
    ["broken JSON", '{"a":', {}, /expected JSON, got text that is not JSON\./],
    ["a page", "<html>log in</html>", {}, /HTML page.*check the address/],
    ["more than 16 MB", Buffer.alloc(17 * 1024 * 1024, " "), {}, /larger than 16 MB/],
    [
      "in an unknown encoding",
      "x",
      { "content-encoding": "zstd, br" },
      /encoding zstd, br, which was not.*gateway/,
    ],
  ] as const) {
    it(`a response is rejected when it is ${what}`, async () => {
      const server = await startServer((response) => response.writeHead(200, headers).end(body));
      const error = await failure(connect(server.address).send(make), ContractError);
      assert.match(error.message, pattern);
      assert.ok(error.message.includes(`POST ${server.address}/things/1`), error.message);
      assert.deepEqual([error.mayHaveBeenProcessed, server.received.length], [true, 1]);
    });
  }

  const plain = JSON.stringify({ errors: ["no, for a reason"], ok: true });
  for (const [encoding, body] of [
    ["gzip", gzipSync(plain)],
    ["x-gzip", gzipSync(plain)],
    ["deflate", deflateSync(plain)],
    // Without the head that the standard requires, as some servers write it.
    ["deflate", deflateRawSync(plain)],
    ["Deflate, gzip", gzipSync(deflateRawSync(plain))],
    ["br", brotliCompressSync(plain)],
    ["identity", Buffer.from(plain)],
    ["gzip, BR", brotliCompressSync(gzipSync(plain))],
  ] as const) {
    it(`a response in ${encoding}, which was not requested, is decoded, including errors and streams`, async () => {
      let status = 200;
      const server = await startServer((response) => {
        response.writeHead(status, { "content-encoding": encoding }).end(body);
      });
      const transport = connect(server.address);
      assert.deepEqual((await transport.send(make)).body, JSON.parse(plain));
      const stream = await transport.stream(read);
      assert.equal(await text(stream.body), plain);
      status = 403;
      assert.match((await failure(transport.send(make), ServiceError)).message, /no, for a reason/);
      status = 204;
      assert.equal((await transport.send(make)).body, undefined);
    });
  }

  it("a response in deflate is decoded as it arrives, even if its first byte arrives alone", async () => {
    for (const compress of [createDeflate, createDeflateRaw]) {
      const compressed = compress({ flush: constants.Z_SYNC_FLUSH });
      compressed.write("first");
      const server = await startServer((response) => {
        response.writeHead(200, { "content-encoding": "deflate" });
        const [begin, rest] = [compressed.read(1) as Buffer, compressed.read() as Buffer];
        response.write(begin);
        setTimeout(() => response.write(rest), 20);
      });
      await once(compressed, "readable");
      const stream = await connect(server.address).stream(read);
      for await (const piece of stream.body) {
        assert.equal(Buffer.from(piece).toString(), "first");
        break;
      }
      stream.close();
      compressed.destroy();
    }
  });

  for (const encoding of ["gzip", "deflate", "br"]) {
    it(`a response in damaged ${encoding} is requested only once, and the error explains why`, async () => {
      const server = await startServer((response) => {
        response.writeHead(200, { "content-encoding": encoding }).end("no such thing");
      });
      const error = await failure(connect(server.address).send(read), ConnectionError);
      assert.match(error.message, /is damaged, and compressed although that was not requested .*gateway/);
      assert.equal(server.received.length, 1);
    });
  }

  for (const [what, cut] of [
    ["a length", 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a":1}'],
    ["chunks", 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n7\r\n{"a":1}\r\n'],
    ["nothing", ""],
  ] as const) {
    it(`a response is not requested again after ${what} that is cut short, if the call might have had an effect`, async () => {
      const { address, sockets } = await startRawServer((socket) => socket.end(cut));
      const error = await failure(connect(address).send(make), ConnectionError);
      assert.deepEqual([error.mayHaveBeenProcessed, sockets.length], [true, 1]);
    });
  }

  for (const [status, headers, processed] of [
    [300, {}, false],
    [307, { location: "/elsewhere" }, false],
    [400, {}, false],
    [403, {}, false],
    [408, {}, true],
    [425, {}, true],
    [429, {}, false],
    [500, {}, true],
    [503, {}, true],
    [503, { "retry-after": "1" }, false],
    [504, {}, true],
  ] as const) {
    const what = [status, ...Object.keys(headers)].join(" with ");
    it(`an error status ${what} means that the call ${processed ? "might" : "cannot"} have had an effect`, async () => {
      const { address } = await startServer((response) =>
        json(response, status, { errors: ["the reason"] }, headers),
      );
      const error = await failure(connect(address, { maxRetries: 0 }).send(make), ServiceError);
      assert.deepEqual([error.status, error.messages], [status, ["the reason"]]);
      assert.match(error.message, /^Could not make a thing: POST http:\/\/[\d.:]+\/things\/1 returned/);
      assert.equal(error.mayHaveBeenProcessed, processed);
    });
  }

  it("an error status keeps the headers that help to diagnose it, and hides a secret that the service repeats", async () => {
    const kept = { "retry-after": "7", "x-ratelimit-limit": "30", allow: "GET", "content-type": "a/b" };
    const others = { "x-token": "t", "x-allow": "t", "server-token": "t" };
    const { address } = await startServer((response, { headers }) => {
      const body = { errors: [`bad token ${String(headers.authorization)}`] };
      json(response, 405, body, { ...kept, ...others });
    });
    const error = await failure(connect(address, tokenOf("repeated-token")).send(read), ServiceError);
    assert.deepEqual(error.headers, kept);
    assert.match(error.message, /bad token Bearer \[secret\]/);
  });

  it("an error status is recognized even if its body is broken, endless or large", async () => {
    for (const body of [
      "HTTP/1.1 422 No\r\ncontent-length: 100\r\n\r\nbecause",
      `HTTP/1.1 422 No\r\ncontent-length: 99999999\r\n\r\nbecause ${"x".repeat(200_000)}`,
    ]) {
      const end = body.length < 1000;
      const { address } = await startRawServer((socket) => (end ? socket.end(body) : socket.write(body)));
      const { messages } = await failure(connect(address).send(make), ServiceError);
      assert.match(messages.join(), /^because/);
    }
  });

  it("a failed connection attempt has no effect if nothing listens at the address", async () => {
    const shown: string[] = [];
    const progress = (message: string): void => void shown.push(message);
    const transport = connect(`http://127.0.0.1:${await unusedPort()}`, { maxRetries: 2 });
    const error = await failure(transport.send({ ...make, progress }), ConnectionError);
    assert.deepEqual([error.code, error.mayHaveBeenProcessed, shown.length], ["ECONNREFUSED", false, 2]);
    assert.match(error.message, /after 3 attempts.*has not processed the request\. Nothing is.*SECRETS_ADDR/);
    assert.match(shown[0] ?? "", /^the service is not reachable, waiting 0\.\d s$/);
  });

  it("a failed connection is retried for an idempotent call after a wait that does not affect other requests", async () => {
    const clock = new ManualClock();
    const server = await startServer((response, request, count) =>
      request.method === "PATCH" && clock.sleeps.length === 0
        ? response.socket?.destroy()
        : ok(response, request, count),
    );
    const transport = connect(server.address, {}, clock);
    const waiting = transport.send(write);
    while (clock.asleep === 0) {
      await settle();
    }
    await transport.send(read);
    await clock.advance(60_000);
    await waiting;
    const requests = server.received.map(({ method, body }) => method + body);
    assert.deepEqual(requests, ['PATCH{"a":1}', "GET", 'PATCH{"a":1}']);
  });

  it("a failed connection might have had an effect if an earlier attempt might have", async () => {
    const { address } = await startRawServer(stopServers);
    const error = await failure(connect(address, { maxRetries: 1 }).send(write), ConnectionError);
    assert.deepEqual([error.code, error.mayHaveBeenProcessed], ["ECONNREFUSED", true]);
  });

  const trickling = () =>
    startServer((response) => {
      response.write("{");
      const timer = setInterval(() => response.write(" "), 5);
      response.on("close", () => clearInterval(timer));
    });
  for (const [what, serve, phase, mayHaveBeenProcessed] of [
    ["the response did not begin", silent, "headers", true],
    ["the response did not end, even if some of it keeps arriving", trickling, "body", true],
    ["there was no connection", handshake, "connect", false],
  ] as const) {
    it(`a timeout is retried if that is safe, and its error says that ${what}`, async () => {
      const { address } = await serve();
      const settings = { requestTimeoutMilliseconds: 150, maxRetries: 1 };
      const error = await failure(connect(address, settings).send(write), TimeoutError);
      assert.deepEqual([error.phase, error.mayHaveBeenProcessed], [phase, mayHaveBeenProcessed]);
      assert.match(
        error.message,
        /after 2 attempts.*within 0\.15 s.*The service might be over.*SECRETS_REQUEST_TIMEOUT/,
      );
    });
  }

  it("a rate limit makes all requests wait, and the rejected one is sent first", async () => {
    const clock = new ManualClock();
    const server = await startServer((response, _request, count) => {
      json(response, count === 1 ? 429 : 200, {}, count === 1 ? { "retry-after": "5" } : {});
    });
    const transport = connect(server.address, { maxConcurrency: 1 }, clock);
    const shown: string[] = [];
    const progress = (message: string): void => void shown.push(message);
    const both = [transport.send({ ...make, progress }), transport.send({ ...write, progress })];
    while (shown.length < 2) {
      await settle();
    }
    await clock.advance(5000);
    assert.equal(server.received.length, 1);
    const waits = /^the service is rate limiting, waiting 5\.\d s,rate limited, waiting 5\.\d s$/;
    assert.match(shown.join(), waits);
    await clock.advance(2000);
    await Promise.all(both);
    assert.equal(server.received.map(({ method }) => method).join(), "POST,POST,PATCH");
  });

  it("an error reports that all retries failed and, after a rate limit, what to set", async () => {
    let status = 429;
    const server = await startServer((response) => json(response, status, { errors: ["Too many"] }));
    const error = await failure(connect(server.address, { maxRetries: 1 }).send(read), ServiceError);
    assert.deepEqual([server.received.length, error.attempts], [7, 7]);
    assert.match(error.message, /429 after 7 attempts.*Too many.*SECRETS_MAX_CONCURRENCY/);
    status = 500;
    const { message } = await failure(connect(server.address, { maxRetries: 0 }).send(read));
    assert.match(message, /All retries failed\.$/);
  });

  for (const [when, serve, grace, mayHaveBeenProcessed] of [
    ["in flight", silent, {}, true],
    ["after its grace period once it was written", silent, { graceMilliseconds: 20 }, true],
    ["while it connects, without a grace period", handshake, { graceMilliseconds: 60_000 }, false],
    ["while it connects", handshake, {}, false],
    ["before it starts", abortedBefore, {}, false],
  ] as const) {
    it(`a canceled call ends ${when}`, async () => {
      const abort = new AbortController();
      const { address } = await serve(() => abort.abort());
      const call = connect(address).send({ ...make, signal: abort.signal, ...grace });
      assert.equal((await failure(call, CancelledError)).mayHaveBeenProcessed, mayHaveBeenProcessed);
    });
  }

  it("a write is not sent if it is canceled by what had happened before", async () => {
    const abort = new AbortController();
    const server = await startServer((response) => json(response, 200, {}));
    const transport = connect(server.address);
    setImmediate(() => abort.abort());
    const { mayHaveBeenProcessed } = await failure(
      transport.send({ ...make, signal: abort.signal }),
      CancelledError,
    );
    assert.deepEqual([mayHaveBeenProcessed, server.received], [false, []]);
  });

  it("a canceled call ends while the response is read", async () => {
    for (const status of [200, 500]) {
      const abort = new AbortController();
      const server = await startServer((response) => response.writeHead(status).write("{"));
      // undici publishes there that it has the headers of a response; the body is read next.
      const cancel = (): void => void setImmediate(() => abort.abort());
      subscribe("undici:request:headers", cancel);
      await failure(connect(server.address).send({ ...make, signal: abort.signal }), CancelledError);
      unsubscribe("undici:request:headers", cancel);
    }
  });

  it("a canceled call receives its response within the grace period", async () => {
    const abort = new AbortController();
    const server = await startServer((response) => {
      abort.abort();
      json(response, 200, { done: true });
    });
    const operation = { ...make, signal: abort.signal, graceMilliseconds: 20_000 };
    assert.deepEqual((await connect(server.address).send(operation)).body, { done: true });
  });

  it("a canceled call ends during a wait between attempts", async () => {
    const clock = new ManualClock();
    const abort = new AbortController();
    const server = await startServer((response) => json(response, 502, {}));
    const progress = (): void => abort.abort();
    const call = connect(server.address, {}, clock).send({ ...write, signal: abort.signal, progress });
    assert.equal((await failure(call, CancelledError)).mayHaveBeenProcessed, true);
    assert.deepEqual([server.received.length, clock.asleep], [1, 0]);
  });

  it("a call that waits for a turn, because the maximum number of calls is running, ends when it is canceled", async () => {
    const abort = new AbortController();
    const server = await startServer(() => abort.abort());
    const transport = connect(server.address, { maxConcurrency: 1 });
    const busy = transport.send(make);
    const error = await failure(transport.send({ ...make, signal: abort.signal }), CancelledError);
    assert.deepEqual([error.mayHaveBeenProcessed, server.received.length], [false, 1]);
    stopServers();
    await failure(busy);
  });
});
