import assert from "node:assert/strict";
import { ConnectionError, ContractError, ServiceError } from "../../sdk/base/errors";
import { path } from "../../sdk/base/path";
import { connect, disconnect, failure, make, read } from "./calls";
import { json, startRawServer, startServer } from "./server";

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
        assert.deepEqual(error.words, ["the reason"]);
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
        assert.match(error.words.join(), /^because/);
      }
    });
  });
});
