import { ServiceClock } from "../../sdk/http/service-clock";
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { path } from "../../sdk/base/path";
import type { Caller } from "../../sdk/base/caller";
import type { Validation } from "../../sdk/base/validation";
import { SecretsClient, SharedState } from "../../sdk/secrets/client";
import { secretsDialects } from "../../sdk/secrets/dialect";
import { connect, disconnect, failure } from "../http/calls";
import { json, startServer, type Responder, type TestServer } from "../http/server";

const request = { summary: "read the thing", path: path`/things/${"1"}` };
const withName = { ...request, data: (z: Validation) => z.object({ name: z.string() }) };

describe("SecretsClient", () => {
  let announced: string[];
  let service: TestServer;
  beforeEach(() => (announced = []));
  afterEach(disconnect);

  /** A client of a service that answers so. */
  async function clientOf(respond: Responder): Promise<SecretsClient> {
    service = await startServer(respond);
    const caller: Caller = {
      signal: new AbortController().signal,
      progress: () => undefined,
      announce: (kind, message) => void announced.push(`${kind}: ${message}`),
    };
    return new SecretsClient(
      connect(service.address),
      caller,
      new SharedState(secretsDialects.documented, new ServiceClock()),
    );
  }

  const responding =
    (status: number, body?: unknown): Responder =>
    (response) => {
      if (body === undefined) {
        response.writeHead(status).end();
      } else {
        json(response, status, body);
      }
    };
  const page = (response: ServerResponse): void => {
    response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not here</h1>");
  };

  describe("reads", () => {
    it("the data of the envelope", async () => {
      const client = await clientOf(responding(200, { request_id: "1", data: { name: "a", more: 1 } }));
      assert.deepEqual(await client.read(withName), { name: "a" });
    });

    it("a response without an envelope", async () => {
      const client = await clientOf(responding(200, { name: "a" }));
      assert.deepEqual(await client.read(withName), { name: "a" });
    });

    for (const [title, body] of [
      ["an empty list of errors", { errors: [] }],
      ["a warning", { errors: [], warnings: ["mind"] }],
      ["an empty object", {}],
      ["no body", undefined],
      ["a message", { message: "no such role" }],
      ["an error", { error: { code: 404 } }],
      ["a list", ["not found"]],
      ["a text", "not found"],
      ["null", null],
    ] as const) {
      it(`nothing, when the service returns 404 with ${title}`, async () => {
        const client = await clientOf(responding(404, body));
        assert.equal(await client.read(withName), undefined);
      });
    }

    it("no absence into a page of another server", async () => {
      const client = await clientOf(page);
      assert.match(
        (await failure(client.read(withName))).message,
        /response is an HTML page, probably from a proxy/,
      );
    });

    it("no absence into the plain text of another server", async () => {
      const client = await clientOf((response) => {
        response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found");
      });
      const error = await failure(client.read(withName));
      assert.match(error.message, /404 with text instead of JSON, which does not prove/);
    });

    it("nothing that is not as documented, and says where", async () => {
      const client = await clientOf(responding(200, { data: { name: 7 } }));
      assert.match(
        (await failure(client.read(withName))).message,
        /data\.name: expected a value of type string/,
      );
    });
  });

  describe("shows the user", () => {
    it("every warning, also of a response without data", async () => {
      const warnings = Array.from({ length: 12 }, (_, index) => `mind the gap ${index}`);
      const client = await clientOf(responding(200, { data: null, warnings }));
      assert.equal(await client.write({ ...withName, body: {} }), undefined);
      assert.deepEqual(announced, [
        ...warnings.slice(0, 10).map((warning) => `warning: The secrets service warns: ${warning}`),
        "warning: The secrets service returned 2 more warnings.",
      ]);
    });
  });

  describe("lists", () => {
    const lists: readonly [string, number, unknown, readonly string[]][] = [
      ["data.keys", 200, { data: { keys: ["a", "b"] } }, ["a", "b"]],
      ["a bare array", 200, ["a", "b"], ["a", "b"]],
      ["an array in data", 200, { data: ["a"] }, ["a"]],
      ["an empty list", 200, { data: { keys: [] } }, []],
      ["an empty list that the service calls missing", 404, { errors: [] }, []],
    ];
    for (const [title, status, body, names] of lists) {
      it(title, async () => {
        const client = await clientOf(responding(status, body));
        assert.deepEqual(await client.list(request), names);
        assert.deepEqual(
          service.received.map(({ method, url }) => `${method} ${url}`),
          ["GET /things/1?list=true"],
        );
      });
    }

    for (const saying of [
      'no handler for route "things/1". route entry not found.',
      "1 error occurred:\n\t* unsupported path\n\n",
    ]) {
      it(`no emptiness into: ${saying.trim()}`, async () => {
        const client = await clientOf(responding(404, { errors: [saying] }));
        const { message } = await failure(client.list(request));
        assert.match(message, /^Could not read the thing: .* 404: (no handler|unsupported path)/);
        assert.match(message, /Check the mount, its engine type and the namespace\.$/);
      });
    }

    for (const [title, key] of [
      ["a number", 1],
      ["an empty text", ""],
      ["half a character", "a\ud800"],
      ["a text too long for a name", "x".repeat(1_001)],
    ] as const) {
      it(`nothing but names: not ${title}`, async () => {
        const client = await clientOf(responding(200, { data: { keys: [key] } }));
        assert.match((await failure(client.list(request))).message, /data\.keys\[0\]/);
      });
    }

    it("nothing out of a response without a list", async () => {
      const client = await clientOf(responding(200, { data: { name: "a" } }));
      assert.match((await failure(client.list(request))).message, /data\.keys: expected a list/);
    });
  });

  describe("writes", () => {
    for (const status of [200, 204]) {
      it(`with success when the response is ${status} without a body`, async () => {
        const client = await clientOf(responding(status));
        assert.equal(await client.write({ ...withName, body: { name: "a" } }), undefined);
        assert.equal(service.received[0]?.body, '{"name":"a"}');
      });
    }

    it("again when the service is not ready, as that does no harm", async () => {
      const client = await clientOf((response, _, count) =>
        json(response, count === 1 ? 503 : 200, { data: { name: "a" } }),
      );
      assert.deepEqual(await client.write({ ...withName, body: {} }), { name: "a" });
    });

    it("not again what must not happen twice", async () => {
      const client = await clientOf(responding(503, { errors: ["sealed"] }));
      await failure(client.act({ ...withName, body: {} }));
      await failure(client.issue({ ...withName, method: "GET" }));
      assert.equal(service.received.length, 2);
    });
  });

  it("has something issued with its lease", async () => {
    const envelope = { lease_id: "things/1/x", lease_duration: 60, renewable: true, data: { name: "a" } };
    const client = await clientOf(responding(200, envelope));
    assert.deepEqual(await client.issue({ ...withName, method: "GET" }), {
      data: { name: "a" },
      lease: { id: "things/1/x", durationSeconds: 60, renewable: true },
    });
  });

  for (const [duration, seconds] of [
    ["60", 60],
    ["1m", 60],
    [null, 0],
    ["soon", 0],
  ] as const) {
    it(`understands a lease that lasts ${JSON.stringify(duration)}`, async () => {
      const client = await clientOf(responding(200, { lease_duration: duration, data: { name: "a" } }));
      const { lease } = await client.issue({ ...withName, method: "GET" });
      assert.equal(lease.durationSeconds, seconds);
    });
  }

  describe("deletes", () => {
    for (const status of [200, 204, 404]) {
      it(`with success when the response is ${status}`, async () => {
        await (await clientOf(responding(status))).delete(request);
      });
    }

    it("with success when the service failed but the object is gone", async () => {
      const client = await clientOf((response, { method }) =>
        json(response, method === "DELETE" ? 500 : 404, { errors: [] }),
      );
      await client.delete(request);
      assert.deepEqual(
        service.received.map(({ method }) => method),
        ["DELETE", "GET"],
      );
    });

    it("with the service's words when it failed and the object is still there", async () => {
      const client = await clientOf((response, { method }) =>
        json(response, method === "DELETE" ? 500 : 200, method === "DELETE" ? { errors: ["in use"] } : {}),
      );
      assert.match((await failure(client.delete(request))).message, /500.*in use/);
    });

    it("without asking further when it is refused", async () => {
      const client = await clientOf(responding(403, { errors: ["permission denied"] }));
      await failure(client.delete(request));
      assert.equal(service.received.length, 1);
    });
  });
});
