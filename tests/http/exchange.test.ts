import assert from "node:assert/strict";
import {
  CancelledError,
  ConfigurationError,
  ConnectionError,
  ContractError,
  InputError,
  ServiceError,
  TimeoutError,
} from "../../sdk/base/errors";
import { path } from "../../sdk/base/path";
import type { Operation } from "../../sdk/http/transport";
import { connect, disconnect, failure, make, read, write } from "./calls";
import { settle } from "./clock";
import { json, startRawServer, startServer } from "./server";

describe("the request", () => {
  afterEach(disconnect);

  it("has path, query, body, and the headers that were set", async () => {
    const server = await startServer((response) => json(response, 200, {}));
    const transport = connect(`${server.address}/prefix/`, {
      basePath: "/v1",
      token: () => ({ value: "t-123456", source: "a test" }),
      authenticationHeader: (token) => ({ "x-secrets-token": token }),
      headers: { "x-extra": "extra-value" },
    });
    await transport.send({
      ...make,
      mediaType: "application/vnd.api+json",
      query: { "page[size]": 5, q: "a b+c", flag: true, none: undefined, topic: ["Node", "Job:a"] },
    });
    const [received] = server.received;
    assert.ok(received);
    assert.equal(received.method, "POST");
    assert.equal(
      received.url,
      "/prefix/v1/things/1?page%5Bsize%5D=5&q=a%20b%2Bc&flag=true&topic=Node&topic=Job%3Aa",
    );
    assert.equal(received.body, '{"a":1}');
    assert.equal(received.headers["content-type"], "application/vnd.api+json");
    assert.equal(received.headers["x-secrets-token"], "t-123456");
    assert.equal(received.headers["x-extra"], "extra-value");
    assert.equal(received.headers["accept-encoding"], "identity");
    assert.equal(received.headers.authorization, undefined);
  });

  it("has a media type without a body when the operation asks for it, and no media type otherwise", async () => {
    const server = await startServer((response) => response.writeHead(204).end());
    const transport = connect(server.address);
    await transport.send({ ...read, method: "DELETE", mediaType: "application/vnd.api+json" });
    await transport.send(read);
    await transport.send(write);
    assert.deepEqual(
      server.received.map(({ headers }) => headers["content-type"]),
      ["application/vnd.api+json", undefined, "application/json"],
    );
  });

  it("has the token as it is at that moment, as a bearer by default", async () => {
    let count = 0;
    const server = await startServer((response) => json(response, 200, {}));
    const transport = connect(server.address, {
      token: () => Promise.resolve({ value: `token-${++count}`, source: "a file" }),
    });
    await transport.send(read);
    await transport.send(read);
    assert.deepEqual(
      server.received.map(({ headers }) => headers.authorization),
      ["Bearer token-1", "Bearer token-2"],
    );
  });

  it("is not made with a token that no header carries", async () => {
    const server = await startServer((response) => json(response, 200, {}));
    const token = { value: "line-break\n", source: "the file token.txt" };
    const error = await failure(connect(server.address, { token: () => token }).send(read));
    assert.ok(ConfigurationError.isInstance(error));
    assert.match(error.message, /the file token\.txt/);
    assert.doesNotMatch(error.message, /line-break/);
    assert.equal(server.received.length, 0);
  });
});

describe("a query with half a character", () => {
  afterEach(disconnect);

  it("is refused by the parameter's name before anything is sent", async () => {
    const { address, received } = await startServer((response) => json(response, 200, {}));
    const error = await failure(connect(address).send({ ...read, query: { q: "\ud800" } }));
    assert.ok(InputError.isInstance(error));
    assert.match(error.message, /q is not well-formed Unicode/);
    assert.deepEqual(received, []);
  });
});

describe("attempt", () => {
  afterEach(disconnect);

  describe("the response", () => {
    it("is JSON, nothing, or an accepted refusal", async () => {
      const server = await startServer((response, { url }) => {
        const status = Number(url.split("/").pop());
        const bodies: Readonly<Record<number, string>> = {
          200: '{"a":[1]}',
          202: " \n",
          404: '{"errors":[]}',
          409: "taken",
        };
        response.writeHead(status, { "x-one": ["a", "b"] }).end(bodies[status]);
      });
      const transport = connect(server.address);
      const responseTo = (status: number) =>
        transport.send({ ...read, path: path`/${status}`, accept: [404, 409] });
      const response = await responseTo(200);
      assert.deepEqual(response.body, { a: [1] });
      assert.equal(response.status, 200);
      assert.equal(server.received.length, 1);
      assert.equal(response.headers["x-one"], "a, b");
      assert.equal(response.request, `GET ${server.address}/200`);
      assert.equal((await responseTo(202)).body, undefined);
      assert.equal((await responseTo(204)).body, undefined);
      assert.deepEqual((await responseTo(404)).body, { errors: [] });
      assert.equal((await responseTo(409)).body, "taken");
    });

    it("is not taken from a proxy's page, even where the status is accepted", async () => {
      const server = await startServer((response) => {
        response
          .writeHead(404, { "content-type": "text/html" })
          .end("<html><title>No such host</title></html>");
      });
      const error = await failure(connect(server.address).send({ ...read, accept: [404] }));
      assert.ok(ServiceError.isInstance(error));
      assert.match(error.message, /No such host/);
      assert.match(error.message, /proxy/);
    });

    it("has no member that could change a prototype", async () => {
      const server = await startServer((response) => {
        response.end('{"a":{"__proto__":{"polluted":1},"b":2},"\\u005f_proto__":{"polluted":1}}');
      });
      const { body } = await connect(server.address).send(read);
      assert.deepEqual(body, { a: { b: 2 } });
      assert.deepEqual(Object.keys(body as object), ["a"]);
      assert.equal(Object.assign({}, body as { polluted?: number }).polluted, undefined);
    });

    for (const [name, body, pattern] of [
      ["broken JSON", '{"a":', /expected JSON, got text that is not JSON\./],
      ["a page", "<html>log in</html>", /HTML page.*check the address/],
      ["more than 16 MB", Buffer.alloc(17 * 1024 * 1024, " "), /larger than 16 MB/],
    ] as const) {
      it(`is refused when it is ${name}`, async () => {
        const server = await startServer((response) => response.end(body));
        const error = await failure(connect(server.address).send(make));
        assert.ok(ContractError.isInstance(error));
        assert.match(error.message, pattern);
        assert.ok(error.message.includes(`POST ${server.address}/things/1`), error.message);
        assert.equal(error.mayHaveBeenProcessed, true);
        assert.equal(server.received.length, 1);
      });
    }

    it("is refused when it is compressed, as nobody has asked for that", async () => {
      const { address } = await startServer((response) =>
        response.writeHead(200, { "content-encoding": "br" }).end(Buffer.from([0x0b, 0x02, 0x80])),
      );
      const error = await failure(connect(address).send(read));
      assert.match(error.message, /expected JSON, got the content encoding br, which was not requested/);
    });

    it("is no success, and no stream, where the status is none", async () => {
      const { address } = await startServer((response) => response.writeHead(300).end());
      for (const call of [connect(address).stream(read), connect(address).send(read)]) {
        const error = await failure(call);
        assert.ok(ServiceError.isInstance(error));
        assert.equal(error.status, 300);
      }
    });

    const cuts: Readonly<Record<string, string>> = {
      "a length": 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a":1}',
      chunks: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n7\r\n{"a":1}\r\n',
    };
    for (const [name, cut] of Object.entries(cuts)) {
      it(`is refused when it has ${name} and is cut short`, async () => {
        let count = 0;
        const server = await startRawServer((socket) => {
          count++;
          socket.end(cut);
        });
        const error = await failure(connect(server.address).send(make));
        assert.ok(ConnectionError.isInstance(error));
        assert.equal(error.mayHaveBeenProcessed, true);
        assert.equal(count, 1);
      });
    }

    it("is followed nowhere", async () => {
      const other = await startServer((response) => json(response, 200, {}));
      for (const [location, pattern] of [
        [`${other.address}/somewhere?token=x`, new RegExp(`redirects to ${other.address}\\..*SECRETS_ADDR`)],
        ["/elsewhere", /redirects to another path of/],
        [undefined, /is not a success/],
      ] as const) {
        const server = await startServer((response) => {
          response.writeHead(307, location === undefined ? {} : { location }).end();
        });
        const token = { value: "t-123456", source: "a test" };
        const error = await failure(connect(server.address, { token: () => token }).send(make));
        assert.ok(ServiceError.isInstance(error));
        assert.equal(error.status, 307);
        assert.equal(error.mayHaveBeenProcessed, false);
        assert.match(error.message, pattern);
        assert.equal(server.received.length, 1);
      }
      assert.equal(other.received.length, 0);
    });
  });

  describe("a refusal", () => {
    const cases: readonly [number, Record<string, string>, boolean, RegExp][] = [
      [400, {}, false, /the reason/],
      [401, {}, false, /comes from the file t\.txt\..*TRIVIUM_SECRETS_TOKEN overrides it/],
      [403, {}, false, /comes from the file t\.txt\. The token lacks the permission/],
      [404, {}, false, /SECRETS_NAMESPACE/],
      [408, {}, true, /the reason/],
      [415, {}, false, /media type/],
      [422, {}, false, /the reason/],
      [425, {}, true, /the reason/],
      [429, {}, false, /SECRETS_MAX_CONCURRENCY/],
      [500, {}, true, /An argument may be invalid.* check the log/],
      [502, {}, true, /A proxy could not reach/],
      [503, {}, true, /sealed/],
      [503, { "retry-after": "1" }, false, /sealed/],
      [504, {}, true, /A proxy could not reach/],
    ];
    for (const [status, headers, processed, pattern] of cases) {
      const name = [status, ...Object.keys(headers)].join(" with ");
      it(`${name} says ${String(pattern)} and that the call ${processed ? "may" : "cannot"} have had an effect`, async () => {
        const server = await startServer((response) =>
          json(response, status, { errors: ["the reason"] }, headers),
        );
        const token = { value: "t-123456", source: "the file t.txt" };
        const error = await failure(
          connect(server.address, { maxRetries: 0, token: () => token }).send(make),
        );
        assert.ok(ServiceError.isInstance(error));
        assert.equal(error.status, status);
        assert.deepEqual(error.messages, ["the reason"]);
        assert.match(
          error.message,
          /^Could not make a thing: POST http:\/\/127\.0\.0\.1:\d+\/things\/1 returned/,
        );
        assert.match(error.message, pattern);
        assert.equal(error.mayHaveBeenProcessed, processed);
      });
    }

    it("keeps the headers that help to understand it, and no others", async () => {
      const headers = { "retry-after": "7", "x-ratelimit-limit": "30", allow: "GET" };
      const others = { ...headers, "x-token": "t", "x-allow": "t", "server-token": "t" };
      const { address } = await startServer((response) => json(response, 405, {}, others));
      const error = await failure(connect(address).send(read));
      assert.ok(ServiceError.isInstance(error));
      const { "content-type": type, ...kept } = error.headers;
      assert.match(type ?? "", /json/);
      assert.deepEqual(kept, headers);
    });

    it("does not tell the secret that the service repeats", async () => {
      const server = await startServer((response, { headers }) => {
        json(response, 400, { errors: [`bad token ${String(headers.authorization)}`] });
      });
      const token = { value: "repeated-token", source: "a test" };
      const error = await failure(connect(server.address, { token: () => token }).send(read));
      assert.match(error.message, /bad token Bearer \[secret\]/);
    });

    it("counts although its body is broken, endless or large", async () => {
      for (const body of [
        "HTTP/1.1 422 No\r\ncontent-length: 100\r\n\r\nbecause",
        `HTTP/1.1 422 No\r\ncontent-length: 99999999\r\n\r\nbecause ${"x".repeat(200_000)}`,
      ]) {
        const server = await startRawServer((socket) => {
          socket.write(body);
          if (body.length < 1000) {
            socket.end();
          }
        });
        const error = await failure(connect(server.address).send(make));
        assert.ok(ServiceError.isInstance(error));
        assert.match(error.messages.join(), /^because/);
      }
    });
  });
});

describe("a stream", () => {
  afterEach(disconnect);

  const watch: Operation = { ...read, summary: "follow events" };

  it("gives bytes as they come, beyond the time limit, until the service ends it", async () => {
    let finish = (): void => undefined;
    const server = await startServer((response) => {
      response.write("one");
      finish = () => response.end("three");
    });
    const transport = connect(server.address, { maxConcurrency: 1 });
    const { body, status } = await transport.stream({ ...watch, timeoutMilliseconds: 300 });
    assert.equal(status, 200);
    const chunks: string[] = [];
    for await (const chunk of body) {
      chunks.push(Buffer.from(chunk).toString());
      if (chunks.length === 1) {
        // Time itself is what is tested: more of it than the limit.
        setTimeout(finish, 400);
      }
    }
    assert.equal(chunks.join(""), "onethree");
  });

  it("takes no turn while it lasts", async () => {
    const server = await startServer((response, { url }) => {
      if (url === "/things/1") {
        response.write("endless");
      } else {
        json(response, 200, {});
      }
    });
    const transport = connect(server.address, { maxConcurrency: 1 });
    const stream = await transport.stream(watch);
    assert.equal((await transport.send({ ...read, path: path`/other` })).status, 200);
    stream.close();
  });

  it("reads no faster than it is consumed", async () => {
    const chunk = Buffer.alloc(64 * 1024);
    let written = 0;
    const server = await startServer((response) => {
      const fill = (): void => {
        do {
          written += chunk.length;
        } while (written < 256 * 1024 * 1024 && response.write(chunk));
      };
      response.on("drain", fill);
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
    assert.ok(written < 64 * 1024 * 1024, String(written));
    stream.close();
  });

  it("fails when the connection breaks", async () => {
    let breakOff = (): unknown => undefined;
    const server = await startServer((response) => {
      response.write("one");
      breakOff = () => response.destroy();
    });
    const { body } = await connect(server.address).stream(watch);
    breakOff();
    const error = await failure(drain(body));
    assert.ok(ConnectionError.isInstance(error));
  });

  it("ends when it is aborted", async () => {
    const abort = new AbortController();
    const server = await startServer((response) => response.write("one"));
    const { body } = await connect(server.address).stream({ ...watch, signal: abort.signal });
    const error = failure(drain(body));
    setImmediate(() => abort.abort());
    assert.ok(CancelledError.isInstance(await error));
  });

  it("closes the connection when its reader leaves or closes it", async () => {
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

  it("is an error like any other when it is refused or does not begin", async () => {
    const server = await startServer((response, { url }) => {
      if (url === "/refused") {
        json(response, 403, { errors: ["Permission denied"] });
      }
    });
    const transport = connect(server.address);
    const refused = await failure(transport.stream({ ...watch, path: path`/refused` }));
    assert.ok(ServiceError.isInstance(refused));
    assert.match(refused.message, /follow events.*403.*Permission denied/);
    const late = await failure(transport.stream({ ...watch, timeoutMilliseconds: 40 }));
    assert.ok(TimeoutError.isInstance(late));
    assert.equal(server.received.length, 2);
  });
});

async function drain(body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of body) {
    assert.ok(chunk.length > 0);
  }
}
