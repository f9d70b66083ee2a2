import assert from "node:assert/strict";
import { ConfigurationError, InputError } from "../../sdk/base/errors";
import { connect, disconnect, failure, make, read, write } from "./calls";
import { json, startServer } from "./server";

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
