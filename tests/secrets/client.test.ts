import assert from "node:assert/strict";
import type { Caller } from "../../sdk/base/caller";
import { path } from "../../sdk/base/path";
import type { Validation } from "../../sdk/resource/fields/field";
import type { ResolvedSettings } from "../../sdk/connection/resolve";
import { ServiceClock } from "../../sdk/base/timing";
import { type SecretsClient, secretsProtocol } from "../../sdk/secrets/client";
import { connect, disconnect, failure } from "../http/calls";
import { json, startServer, type Responder, type TestServer } from "../http/server";

const request = { summary: "read the thing", path: path`/things/${"1"}` };
const withName = { ...request, data: (z: Validation) => z.object({ name: z.string() }) };

/**
 * The products' words about an engine whose plugin is not loaded, or that has no such path. OpenBao 2.6.2 returned the
 * first after a restart without the plugin's file, to reads, lists and deletions alike.
 */
const missingRoutes = [
  'no handler for route "things/1". route entry found, but backend is nil.',
  'no handler for route "things/1" on namespace "team/". route entry or namespace is tainted.',
  'no handler for route "things/1".',
  "1 error occurred:\n\t* unsupported path\n\n",
  "namespace not found",
];

describe("SecretsClient", () => {
  const announced: string[] = [];
  let service: TestServer;
  beforeEach(() => {
    announced.length = 0;
  });
  afterEach(disconnect);

  async function clientOf(respond: Responder): Promise<SecretsClient> {
    service = await startServer(respond);
    const announce: Caller["announce"] = (kind, message) => void announced.push(`${kind}: ${message}`);
    const caller = { signal: new AbortController().signal, progress: () => undefined, announce };
    const settings = { dialect: "documented" } as unknown as ResolvedSettings;
    const { saysAbsence } = secretsProtocol;
    const transport = connect(service.address, { saysAbsence });
    return secretsProtocol.clients(transport, settings, new ServiceClock())(caller);
  }
  const returning = (status: number, body?: unknown): Promise<SecretsClient> =>
    clientOf((response) =>
      body === undefined ? response.writeHead(status).end() : json(response, status, body),
    );
  const returningText = (type: string, text: string): Promise<SecretsClient> =>
    clientOf((response) => response.writeHead(404, { "content-type": type }).end(text));
  const methods = (): readonly string[] => service.received.map(({ method }) => method);

  it("the secrets client rejects data about another object", async () => {
    const client = await returning(200, { data: { id: "2", name: "a" } });
    assert.deepEqual(await client.read({ ...withName, id: "2" }), { name: "a" });
    assert.match((await failure(client.read({ ...withName, id: "1" }))).message, /data\.id: expected "1"/);
  });

  const noEngine = { errors: ['no handler for route "things/1". route entry not found.'] };
  const named = { name: "a" };
  for (const [status, title, body, found] of [
    [200, "an envelope", { request_id: "1", data: { ...named, more: 1 } }, named],
    [200, "data without an envelope", named, named],
    [404, "an empty list of errors", { errors: [] }],
    [404, "a warning", { errors: [], warnings: ["mind"] }],
    [404, "a list of strings", { errors: ["no such role"] }],
    [404, "no engine at the path", noEngine],
  ] as const) {
    it(`the secrets client reads ${found ? "the data" : "nothing"} when the service returns ${status} with ${title}`, async () =>
      assert.deepEqual(await (await returning(status, body)).read(withName), found));
  }

  const isHtml = /response is an HTML page, probably from a proxy/;
  const isText = /404: 404 page not found\. The response \(404 page not found\) might come from a gateway/;
  const isWrong = /data\.name: expected a value of type string/;
  for (const [title, respond, message] of [
    ["a page from another server", () => returningText("text/html", "<h1>Not here</h1>"), isHtml],
    ["a text from another server", () => returningText("text/plain", "404 page not found"), isText],
    ["data that is not as documented", () => returning(200, { data: { name: 7 } }), isWrong],
  ] as const) {
    it(`the secrets client does not treat as absence ${title}`, async () => {
      assert.match((await failure((await respond()).read(withName))).message, message);
    });
  }

  const role = { ...request, resource: "ldap/a" };
  for (const saying of missingRoutes) {
    it(`the secrets client does not treat as absence, an empty list or a deletion: ${saying.trim()}`, async () => {
      const client = await returning(404, { errors: [saying] });
      const said =
        /^Could not read the thing: .* 404: (?:no handler for|\S+ \S+).*does not prove.*State is unchanged/;
      assert.match((await failure(client.read(withName))).message, said);
      const noList = /^Could not read the thing: .* 404: \w+.*Check the mount, its engine type and/;
      assert.match((await failure(client.list(request))).message, noList);
      assert.match((await failure(client.delete(request))).message, /does not prove.*State is unchanged/);
      const failed = await clientOf((response, { method }) =>
        json(response, method === "DELETE" ? 500 : 404, { errors: [saying] }),
      );
      await failure(failed.delete(request));
    });
  }

  it("the secrets client shows ten warnings and counts the others, even for a response without data", async () => {
    const warnings = Array.from({ length: 12 }, (_, index) => `mind the gap ${index}`);
    const client = await returning(200, { data: null, warnings });
    assert.equal(await client.write({ ...withName, body: {} }), undefined);
    assert.deepEqual(announced, [
      ...warnings.slice(0, 10).map((warning) => `warning: The secrets service warns: ${warning}`),
      "warning: The secrets service returned 2 more warnings.",
    ]);
  });

  for (const [title, status, body, names] of [
    ["data.keys", 200, { data: { keys: ["a", "b"] } }, ["a", "b"]],
    ["a bare array", 200, ["a", "b"], ["a", "b"]],
    ["an array in data", 200, { data: ["a"] }, ["a"]],
    ["an empty list", 200, { data: { keys: [] } }, []],
    ["an empty list that the service calls missing", 404, { errors: [] }, []],
    ["null data", 200, { data: null }, []],
    ["null keys", 200, { data: { keys: null } }, []],
    ["data without keys", 200, { data: {} }, []],
    ["null", 200, null, []],
    ["nothing", 204, undefined, []],
  ] as const) {
    it(`the secrets client lists the names in ${title}`, async () => {
      assert.deepEqual(await (await returning(status, body)).list(request), names);
      assert.equal(service.received[0]?.url, "/things/1?list=true");
    });
  }

  const isNoName = /data\.keys\[0\]/;
  for (const [title, body, message] of [
    ["a number", { data: { keys: [1] } }, isNoName],
    ["an empty string", { data: { keys: [""] } }, isNoName],
    ["half a character", { data: { keys: ["a\ud800"] } }, isNoName],
    ["a string too long for a name", { data: { keys: ["x".repeat(1_001)] } }, isNoName],
    ["a response without a list", { data: { name: "a" } }, /data\.keys: expected a value of type array/],
    ["no engine at the path", noEngine, /Check the mount, its engine type and/],
  ] as const) {
    it(`the secrets client rejects a list of anything except names: ${title}`, async () => {
      const client = await returning(body === noEngine ? 404 : 200, body);
      assert.match((await failure(client.list(request))).message, message);
    });
  }

  for (const status of [200, 204]) {
    it(`a write succeeds when the response is ${status} without a body`, async () => {
      const client = await returning(status);
      assert.equal(await client.write({ ...withName, body: named }), undefined);
      assert.equal(service.received[0]?.body, '{"name":"a"}');
    });
  }

  it("a write is repeated if the service is not ready, unless it must not happen twice", async () => {
    const client = await clientOf((response, _, count) =>
      json(response, count === 2 ? 200 : 503, { data: { name: "a" } }),
    );
    assert.deepEqual(await client.write({ ...withName, body: {} }), { name: "a" });
    await failure(client.act({ ...withName, body: {} }));
    await failure(client.issue({ ...withName, method: "GET" }));
    assert.equal(service.received.length, 4);
  });

  for (const [duration, leaseDuration] of [
    [60, 60],
    ["60", 60],
    ["1m", 60],
    [null, 0],
    ["soon", 0],
  ] as const) {
    it(`the secrets client returns an issued credential with its lease of ${JSON.stringify(duration)}`, async () => {
      const issued = { data: { name: "a" }, renewable: true };
      const client = await returning(200, { ...issued, lease_id: "things/1/x", lease_duration: duration });
      const found = await client.issue({ ...withName, method: "GET" });
      assert.deepEqual(found, { ...issued, lease: { leaseId: "things/1/x", leaseDuration } });
    });
  }

  const cutOff: Responder = (response) =>
    response.writeHead(200, { "content-length": 9 }).write("{", () => response.destroy());
  const losses: readonly [string, Responder][] = [
    ["is lost", (response) => response.destroy()],
    ["is cut off", cutOff],
    ["is a 502 from a proxy", (response) => json(response, 502, {})],
    ["is not as documented", (response) => json(response, 200, { data: { name: 7 } })],
  ];
  for (const [what, respond] of losses) {
    it(`the secrets client requests a credential once, and the error has the request's advice if the response ${what}`, async () => {
      const client = await clientOf(respond);
      const error = await failure(client.issue({ ...withName, method: "GET", ifLost: "It might exist." }));
      assert.match(error.message, /It might exist\.$/);
      assert.deepEqual([error.mayHaveBeenProcessed, methods()], [true, ["GET"]]);
    });
  }

  it("the secrets client sends an action once, and its advice for a lost response is not shown for a rejection", async () => {
    const action = { ...request, ifLost: "It might have happened." };
    const lost = await failure((await clientOf((response) => response.destroy())).act(action));
    assert.match(lost.message, /It might have happened\.$/);
    assert.deepEqual(methods(), ["POST"]);
    const refused = await failure((await returning(403, { errors: ["no"] })).act(action));
    assert.doesNotMatch(refused.message, /might have happened/);
  });

  const ifLost = "It might exist.";
  const wrapped = { data: null, wrap_info: { token: "hvs.canary", ttl: 60, accessor: "a" } };
  const requests: Readonly<Record<string, (client: SecretsClient) => Promise<unknown>>> = {
    read: (client) => client.read(withName),
    list: (client) => client.list(request),
    write: (client) => client.write(request),
    action: (client) => client.act({ ...withName, ifLost }),
    issue: (client) => client.issue({ ...withName, method: "GET", ifLost }),
    deletion: (client) => client.delete(request),
  };
  for (const [what, send] of Object.entries(requests)) {
    it(`the secrets client explains a wrapped response without showing its token, and what might exist: ${what}`, async () => {
      const { message } = await failure(send(await returning(200, wrapped)));
      assert.match(message, /the response is wrapped.*control group.*min_wrapping_ttl/s);
      assert.doesNotMatch(message, /canary/);
      assert.equal(message.endsWith(`this path. ${ifLost}`), ["action", "issue"].includes(what));
    });
  }

  for (const [status, saying] of [
    ...missingRoutes.map((each) => [404, each] as const),
    ...[400, 405, 409, 410, 422].map((each) => [each, "no such role"] as const),
  ]) {
    it(`the error explains how to declare that a resource is gone: ${status} ${saying.trim()}`, async () => {
      const client = await returning(status, { errors: [saying] });
      for (const send of [() => client.read({ ...withName, ...role }), () => client.delete(role)]) {
        assert.match((await failure(send())).message, /TRIVIUM_ASSUME_GONE=ldap\/a .*pulumi state delete/);
      }
    });
  }

  const list = { summary: "list the things", path: path`/things` };
  const listed = { ...role, listed: { as: "1", lists: [list] } };
  const gateway = { message: "no Route matched" };
  for (const [title, status, body, names, expected] of [
    ["the list does not name the object", 404, gateway, { data: { keys: ["2"] } }, "gone"],
    ["the list is empty", 404, undefined, [], "gone"],
    [
      "the list names the object",
      404,
      gateway,
      { data: { keys: ["1"] } },
      /The list at \/v1\/things contains it/,
    ],
    ["the list is not a list", 404, gateway, { data: null }, /The list at \/v1\/things names nothing/],
    [
      "the list comes from the gateway too",
      404,
      gateway,
      undefined,
      /does not show it either: it returned 404\./,
    ],
    ["the body is empty, and the list does not name the object", 204, undefined, ["2"], "gone"],
    [
      "the body is empty, and the list names the object",
      200,
      undefined,
      ["1"],
      /200 without a body.* contains it/,
    ],
    ["the data is null", 200, { request_id: "1", data: null }, undefined, "gone"],
    ["the body is null", 200, null, undefined, "gone"],
    ["a success has an empty list of errors", 200, { errors: [] }, undefined, /expected a value/],
  ] as const) {
    it(`an object of a documented service is ${expected === "gone" ? "gone" : "kept"} if ${title}`, async () => {
      const client = await clientOf((response, { url, method }) => {
        const isList = url.includes("list=true");
        const [code, content] = isList
          ? [names === undefined ? 404 : 200, names ?? gateway]
          : [method === "DELETE" ? 404 : status, body];
        if (content === undefined) {
          response.writeHead(code).end();
        } else {
          json(response, code, content);
        }
      });
      const reading = client.read({ ...withName, ...listed });
      if (expected === "gone") {
        assert.equal(await reading, undefined);
        return;
      }
      const { message } = await failure(reading);
      assert.match(message, expected);
      assert.match(
        message,
        status === 404 ? /\{"message":"no Route matched"\}.*gateway.*State is unchanged/ : /./,
      );
    });
  }

  it("a deletion that a gateway rejects succeeds only if the list does not contain the object", async () => {
    const names: string[] = ["1"];
    const client = await clientOf((response, { method }) =>
      method === "DELETE" ? json(response, 404, gateway) : json(response, 200, names),
    );
    assert.match(
      (await failure(client.delete(listed))).message,
      /contains it.*State is unchanged.*ASSUME_GONE/,
    );
    names.length = 0;
    await client.delete(listed);
    assert.deepEqual(methods(), ["DELETE", "GET", "DELETE", "GET"]);
  });

  it("a lookup before a creation finds nothing if something else might have responded", async () => {
    for (const [status, body] of [
      [404, gateway],
      [404, undefined],
      [204, undefined],
      [200, null],
    ] as const) {
      const client = (await returning(status, body)).looking();
      assert.equal(await client.read({ ...withName, ...listed }), undefined);
      assert.deepEqual(await client.list(list), []);
    }
    const client = (await returningText("text/plain", "404 page not found")).looking();
    await failure(client.read({ ...withName, ...listed }));
  });

  for (const status of [401, 403, 500]) {
    it(`a resource is not gone because the service returns ${status}`, async () => {
      const client = await returning(status, { errors: ["no"] });
      assert.match((await failure(client.read({ ...withName, ...role }))).message, /^(?!.*ASSUME_GONE)/);
    });
  }

  for (const [status, body] of [[200], [204], [404, { errors: [] }]] as const) {
    it(`a deletion succeeds when the response is ${status}`, async () => {
      await (await returning(status, body)).delete(request);
      assert.deepEqual(methods(), ["DELETE"]);
    });
  }

  it("a deletion during which the service failed succeeds if the object is gone, and fails if it still exists", async () => {
    let status = 404;
    const client = await clientOf((response, { method }) =>
      method === "DELETE"
        ? json(response, 500, { errors: ["in use"] })
        : json(response, status, { errors: [] }),
    );
    await client.delete(request);
    status = 200;
    await assert.rejects(client.delete(request), { message: /500.*in use/ });
    assert.deepEqual(methods(), ["DELETE", "GET", "DELETE", "GET"]);
  });

  it("a deletion that is rejected sends no further requests", async () => {
    await failure((await returning(403, { errors: ["permission denied"] })).delete(request));
    assert.deepEqual(methods(), ["DELETE"]);
  });
});
