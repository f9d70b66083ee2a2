import assert from "node:assert/strict";
import { useEmulator } from "../support/use-emulator";
import { at, call, until } from "./call";

describe("the emulator's journal", () => {
  const emulator = useEmulator();
  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
  });

  const collection = "/api/v2/organizations/acme/projects";

  it("has every request with all that was sent and the status returned", async () => {
    const body = { data: { type: "projects", attributes: { name: "web" } } };
    const headers = { "X-Trace": "a" };
    await call(emulator, "provisioning", "POST", collection, { body, headers });
    const [request, another] = emulator.journal.requests();
    assert.equal(another, undefined);
    assert.ok(request !== undefined);
    assert.deepEqual(
      { ...request, headers: {} },
      {
        number: 1,
        service: "provisioning",
        method: "POST",
        target: collection,
        path: collection,
        query: {},
        headers: {},
        caller: "main",
        body,
        status: 201,
        fault: null,
      },
    );
    assert.equal(request.headers["x-trace"], "a");
    assert.equal(request.headers["content-type"], "application/vnd.api+json");
  });

  it("never shows a token, but who used it", async () => {
    const wrong = "a-wrong-one";
    const reader = emulator.secrets.addToken({ name: "reader" });
    const unnamed = emulator.secrets.addToken();
    await call(emulator, "provisioning", "GET", collection);
    await call(emulator, "provisioning", "GET", collection, { token: wrong });
    await call(emulator, "provisioning", "GET", collection, {
      token: null,
      headers: { Authorization: wrong },
    });
    await call(emulator, "secrets", "GET", "/v1/x", { token: reader });
    await call(emulator, "secrets", "GET", "/v1/x", { token: unnamed });
    await call(emulator, "secrets", "GET", "/v1/x", { token: null });
    const requests = emulator.journal.requests();
    assert.deepEqual(
      requests.map(({ caller }) => caller),
      ["main", null, null, "reader", "token-2", null],
    );
    assert.deepEqual(
      requests.map(({ headers }) => headers["authorization"] ?? headers["x-secrets-token"]),
      ["Bearer ***", "Bearer ***", "***", "***", "***", undefined],
    );
    for (const secret of [emulator.provisioning.token, wrong, reader, unnamed]) {
      assert.ok(!JSON.stringify(requests).includes(secret));
    }
  });

  it("shows the query decoded, repeated parameters as lists, and the target as it was sent", async () => {
    await call(emulator, "scheduler", "GET", "/v1/x?topic=Node&topic=Job:a%20b&page%5Bsize%5D=1&empty=");
    const [request] = emulator.journal.requests();
    assert.deepEqual(request?.query, { topic: ["Node", "Job:a b"], "page[size]": "1", empty: "" });
    assert.equal(request.path, "/v1/x");
    assert.equal(request.target, "/v1/x?topic=Node&topic=Job:a%20b&page%5Bsize%5D=1&empty=");
  });

  it("shows a body that is no JSON as text, and none as null", async () => {
    await call(emulator, "provisioning", "POST", collection, { body: "{" });
    await call(emulator, "provisioning", "GET", collection);
    assert.deepEqual(
      emulator.journal.requests().map(({ body }) => body),
      ["{", null],
    );
  });

  it("selects by service, method, path, status and anything else", async () => {
    await call(emulator, "provisioning", "GET", collection);
    await call(emulator, "provisioning", "GET", `${collection}?q=a`);
    await call(emulator, "provisioning", "DELETE", "/api/v2/projects/prj-1");
    await call(emulator, "secrets", "GET", "/v1/x");
    const { journal } = emulator;
    assert.equal(journal.count(), 4);
    assert.equal(journal.count({ service: "provisioning" }), 3);
    assert.equal(journal.count({ service: "provisioning", method: "GET" }), 2);
    assert.equal(journal.count({ method: ["DELETE", "GET"] }), 4);
    assert.equal(journal.count({ path: "/api/v2/projects/:id" }), 1);
    assert.equal(journal.count({ path: "/api/v2/projects" }), 0);
    assert.equal(journal.count({ path: /projects$/ }), 2);
    assert.equal(journal.count({ status: 404 }), 2);
    assert.equal(journal.count({ where: ({ query }) => query["q"] === "a" }), 1);
    assert.deepEqual(
      journal.requests({ status: 404 }).map(({ number }) => number),
      [3, 4],
    );
  });

  it("hands out copies of plain data", async () => {
    await call(emulator, "provisioning", "GET", collection);
    const requests = emulator.journal.requests();
    assert.deepEqual(JSON.parse(JSON.stringify(requests)), requests);
    Reflect.set(requests[0]?.query ?? {}, "q", "changed");
    assert.deepEqual(emulator.journal.requests()[0]?.query, {});
  });

  it("counts what is under way, and shows it without a status", async () => {
    const stall = emulator.faults.add({ delay: "1h", times: 2 });
    const replies = [1, 2].map(async () => call(emulator, "provisioning", "GET", collection));
    await until(() => stall.hits === 2);
    await call(emulator, "provisioning", "GET", collection);
    assert.deepEqual(emulator.provisioning.statistics, {
      requests: 3,
      answered: 1,
      inFlight: 2,
      mostInFlight: 3,
    });
    assert.equal(emulator.journal.requests()[0]?.status, null);
    emulator.advance("1h");
    await Promise.all(replies);
    assert.deepEqual(emulator.provisioning.statistics, {
      requests: 3,
      answered: 3,
      inFlight: 0,
      mostInFlight: 3,
    });
    assert.equal(emulator.secrets.statistics.requests, 0);
  });

  it("starts again when cleared, while the state stays", async () => {
    const stall = emulator.faults.add({ delay: "1h" });
    const reply = call(emulator, "provisioning", "GET", collection);
    await until(() => stall.hits === 1);
    emulator.journal.clear();
    emulator.advance("1h");
    assert.equal(at((await reply).body, "data", "length"), 1);
    assert.deepEqual(emulator.journal.requests(), []);
    assert.deepEqual(emulator.provisioning.statistics, {
      requests: 0,
      answered: 0,
      inFlight: 0,
      mostInFlight: 0,
    });
    await call(emulator, "provisioning", "GET", collection);
    assert.equal(emulator.journal.requests()[0]?.number, 1);
  });
});
