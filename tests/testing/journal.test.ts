import assert from "node:assert/strict";
import type { RequestFilter } from "../../sdk/testing";
import { useEmulator } from "../support/use-emulator";
import { call, until } from "./call";

describe("the emulator's journal", () => {
  const emulator = useEmulator({ seed: { organizations: [{ name: "acme" }] } });
  const collection = "/api/v2/organizations/acme/projects";
  const list = async (query = "") => call(emulator, "provisioning", "GET", collection + query);

  it("the journal contains every request with everything that was sent and the returned status, as a copy", async () => {
    const body = { data: { type: "projects", attributes: { name: "web" } } };
    const query = "?topic=Node&topic=Job:a%20b&page%5Bsize%5D=1&empty=";
    await call(emulator, "provisioning", "POST", collection + query, { body, headers: { "X-Trace": "a" } });
    await call(emulator, "provisioning", "POST", collection, { body: "{" });
    await list();
    const [request, ...others] = emulator.journal.requests();
    const { headers = {}, ...rest } = request ?? {};
    assert.deepEqual(rest, {
      number: 1,
      service: "provisioning",
      method: "POST",
      target: collection + query,
      path: collection,
      query: { topic: ["Node", "Job:a b"], "page[size]": "1", empty: "" },
      caller: "main",
      body,
      status: 400,
      fault: null,
    });
    assert.deepEqual([headers["x-trace"], headers["authorization"]], ["a", "Bearer ***"]);
    const found = others.map((other) => `${String(other.body)} ${other.status}`);
    assert.deepEqual(found, ["{ 400", "null 200"]);
    Reflect.set(request?.query ?? {}, "empty", "changed");
    assert.equal(emulator.journal.requests()[0]?.query["empty"], "");
  });

  it("the journal never shows a token, but its name", async () => {
    const { secrets } = emulator;
    const tokens = [secrets.addToken({ name: "reader" }), secrets.addToken(), "a-wrong-one"];
    for (const token of [...tokens, null]) {
      await call(emulator, "secrets", "GET", "/v1/x", { token });
    }
    const headers = { Authorization: "a-wrong-one" };
    await call(emulator, "scheduler", "GET", "/x", { token: null, headers });
    const requests = emulator.journal.requests();
    const seen = requests.map(({ caller, headers }) =>
      [caller, headers["x-secrets-token"] ?? headers["authorization"]].join(),
    );
    assert.deepEqual(seen, ["reader,***", "token-2,***", ",***", ",", ",***"]);
    assert.ok(!tokens.some((token) => JSON.stringify(requests).includes(token)));
  });

  const filters: readonly (readonly [what: string, filter: RequestFilter, isMatch: boolean])[] = [
    ["the service", { service: "provisioning" }, true],
    ["another service", { service: "secrets" }, false],
    ["another method", { method: "POST" }, false],
    ["one of several methods", { method: ["POST", "GET"] }, true],
    ["the whole path", { path: collection }, true],
    ["a part of the path", { path: "/api/v2/organizations" }, false],
    ["a pattern of the path", { path: "/api/v2/organizations/:name/*" }, true],
    ["an expression", { path: /^\/api\/v2\/org/g }, true],
    ["another expression", { path: /workspaces/ }, false],
    ["a predicate on the path", { path: (path) => path.endsWith("/projects") }, true],
    ["a predicate on the request", { where: ({ query }) => query["q"] === "web" }, true],
    ["two parts of which one is wrong", { path: collection, method: "POST" }, false],
  ];
  for (const [what, filter, isMatch] of filters) {
    it(`the journal and faults select requests by ${what}`, async () => {
      const fault = emulator.faults.add({ ...filter, status: 503 });
      const { status } = await list("?q=web");
      assert.deepEqual([status, fault.hits], isMatch ? [503, 1] : [200, 0]);
      assert.equal(emulator.journal.count(filter), fault.hits);
      assert.equal(emulator.journal.count({ ...filter, status: 503 }), fault.hits);
      assert.equal(emulator.journal.count({ status: 404 }), 0);
    });
  }

  it("the journal counts requests in progress until they end or the journal is cleared", async () => {
    const stall = emulator.faults.add({ delay: "1h", times: 2 });
    const replies = [list(), list()];
    await until(() => stall.hits === 2);
    await list();
    const { provisioning, secrets } = emulator;
    const open = { requests: 3, answered: 1, inFlight: 2, mostInFlight: 3 };
    assert.deepEqual([provisioning.statistics, secrets.statistics.requests], [open, 0]);
    assert.equal(emulator.journal.requests()[0]?.status, null);
    emulator.advance("1h");
    await Promise.all(replies);
    assert.deepEqual(provisioning.statistics, { ...open, answered: 3, inFlight: 0 });
    emulator.faults.add({ delay: "1h" });
    const late = list();
    await until(() => provisioning.statistics.inFlight === 1);
    emulator.journal.clear();
    emulator.advance("1h");
    assert.equal((await late).status, 200);
    const none = { requests: 0, answered: 0, inFlight: 0, mostInFlight: 0 };
    assert.deepEqual([emulator.journal.requests(), provisioning.statistics], [[], none]);
    await list();
    assert.equal(emulator.journal.requests()[0]?.number, 1);
  });
});
