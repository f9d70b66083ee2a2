import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type IncomingMessage, get } from "node:http";
import { join } from "node:path";
import type { Emulator } from "../../../sdk/testing";
import { useEmulator } from "../../support/use-emulator";
import { at, call } from "../call";
import { mayRead, subscribe } from "./subscribe";

const path = "/v1/event/stream";
const node = (key: string) => ({ topic: "Node", type: "NodeRegistration", key });

/** A token that the secrets service has had made. */
async function issueFor(emulator: Emulator, policies: readonly string[]): Promise<string> {
  emulator.secrets.addSchedulerRole({ name: "r", policies });
  assert.equal((await call(emulator, "secrets", "GET", "/v1/scheduler/creds/r")).status, 200);
  return emulator.inspect().scheduler.aclTokens.at(-1)?.secretId ?? assert.fail("no token");
}

describe("the emulated scheduler", () => {
  const emulator = useEmulator({ scheduler: { eventBufferSize: 4 } });

  const issue = (...policies: readonly string[]): Promise<string> => issueFor(emulator, policies);

  it("the emulated scheduler lets a client token read what its policies currently allow together", async () => {
    const token = await issue("nodes", "jobs", "unknown");
    const topics = [["Node"], ["Job", "Deployment"], []];
    const read = () => Promise.all(topics.map((each) => mayRead(emulator, token, ...each)));
    const { scheduler } = emulator;
    assert.deepEqual(await read(), [403, 403, 403], "a policy that does not exist allows nothing");
    scheduler.addPolicy({ name: "nodes", readNodes: true });
    for (const readJobs of [["default", "web"], "*"] as const) {
      scheduler.addPolicy({ name: "jobs", readJobs });
      assert.deepEqual(await read(), [200, 200, 403]);
    }
    scheduler.removePolicy("jobs");
    assert.deepEqual(await read(), [200, 403, 403]);
  });

  it("the emulated scheduler ends the streams of the tokens that have a policy when it changes, and no others", async () => {
    const { scheduler } = emulator;
    ["nodes", "other"].forEach((name) => scheduler.addPolicy({ name, readNodes: true }));
    const concerned = await subscribe(emulator, await issue("nodes"), "Node");
    const other = await subscribe(emulator, await issue("other"), "Node");
    const management = await subscribe(emulator, scheduler.token);
    scheduler.addPolicy({ name: "nodes", readNodes: false });
    await concerned.ended;
    assert.equal(emulator.inspect().scheduler.subscriptions.length, 2);
    [other, management].forEach((each) => each.close());
  });

  it("the emulated scheduler accepts an index for a frame, but never a smaller one than before", () => {
    const { events } = emulator;
    const found = [events.emit(node("n1"), 7), events.emit(node("n2"), 7), events.emit(node("n3"))];
    assert.deepEqual(found, [7, 7, 8]);
    assert.throws(() => events.emit(node("n4"), 7), /from 8 on, not 7/);
    assert.throws(() => events.emit(node("n4"), 8.5), /whole number/);
    const { frames } = emulator.inspect().scheduler;
    const shown = frames.map(({ Index, Events: [event] }) => `${Index} ${event?.Index} ${event?.Key}`);
    assert.deepEqual(shown, ["7 7 n1", "7 7 n2", "8 8 n3"]);
  });

  it("the emulated scheduler ends the stream of a reader that is too slow to stay within the buffer", async () => {
    const headers = { Authorization: `Bearer ${emulator.scheduler.token}` };
    const request = get(emulator.scheduler.address + path, { headers, agent: false });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const payload = { Node: { Name: "x".repeat(1024 * 1024) } };
    const subscriptions = (): number => emulator.inspect().scheduler.subscriptions.length;
    for (let number = 1; number <= 40 && subscriptions() > 0; number++) {
      emulator.events.emit({ ...node(`n${number}`), payload });
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(subscriptions(), 0);
    response.resume();
    await assert.rejects(once(response, "end"), { code: "ECONNRESET" });
  });

  it("the emulated scheduler rejects other paths and methods, and undocumented queries", async () => {
    assert.equal((await call(emulator, "scheduler", "GET", "/v1/jobs")).status, 404);
    const reply = await call(emulator, "scheduler", "POST", path);
    assert.deepEqual([reply.status, reply.headers.get("allow")], [405, "GET"]);
    for (const query of [
      "index=-1",
      "index=1.5",
      "index=",
      "index=1&index=2",
      "namespace=a&namespace=b",
      "topic=",
      "topic=:a",
      "topic=Node:",
      "topics=Node",
    ]) {
      assert.equal((await call(emulator, "scheduler", "GET", `${path}?${query}`)).status, 400, query);
    }
  });

  it("the emulated scheduler rejects topics and namespaces that a token is not allowed to read", async () => {
    const most = { readNodes: true, readJobs: "*" } as const;
    for (const [access, query] of [
      [most, ""],
      [{ readJobs: "*" }, "?topic=Node"],
      [{ readJobs: ["a"] }, "?topic=Job&namespace=b"],
      [{ readNodes: true, readJobs: ["a"] }, "?topic=Node&namespace=*"],
      [most, "?topic=Custom"],
    ] as const) {
      const token = emulator.scheduler.addToken({ access });
      assert.equal((await call(emulator, "scheduler", "GET", path + query, { token })).status, 403, query);
    }
  });
});

describe("the emulated scheduler in the hashicorp dialect", () => {
  const emulator = useEmulator({ dialect: { scheduler: "hashicorp" } });

  const issue = (...policies: readonly string[]): Promise<string> => issueFor(emulator, policies);

  /** The frames that a subscriber gets at once, after the first heartbeat. */
  const frames = async (query = ""): Promise<unknown[]> => {
    const token = emulator.scheduler.addToken();
    const headers: Record<string, string> =
      query === "" ? { "X-Nomad-Token": token } : { Authorization: `Bearer ${token}` };
    const response = await fetch(emulator.scheduler.address + path + query, { headers });
    emulator.scheduler.revokeToken(token);
    emulator.advance("5s");
    const [, ...lines] = (await response.text()).split("\n");
    assert.equal(lines.pop(), "");
    return lines.map((line) => JSON.parse(line) as unknown);
  };
  /** Members of all events. */
  const shown = async (query?: string, ...names: readonly string[]): Promise<string[]> =>
    (await frames(query))
      .flatMap((frame) => at(frame, "Events") as unknown[])
      .map((event) => names.map((name) => at(event, name)).join());

  it("the emulated scheduler uses the product's topics and types instead of the documented ones", async () => {
    emulator.events.emit([
      { topic: "NodeDrain", type: "NodeDrain", key: "n1" },
      { topic: "Node", type: "NodeEvent", key: "n1" },
      { topic: "Service", type: "ServiceRegistration", key: "s1" },
    ]);
    const expected = ["Node,NodeDrain,", "Node,NodeStreamEvent,", "Service,ServiceRegistration,default"];
    assert.deepEqual(await shown("", "Topic", "Type", "Namespace"), expected);
    assert.deepEqual(await shown("?topic=NodeDrain"), []);
  });

  it("the emulated scheduler writes events with the members of the recorded ones, in their order", async () => {
    const file = join(__dirname, "../../fixtures/wire/nomad-1.10.5-event-stream.ndjson");
    const recorded = readFileSync(file, "utf8").match(/^.*"Events".*$/gm) ?? [];
    emulator.events.emit(node("n1"));
    const [sent] = await frames();
    const membersOf = (frame: unknown) =>
      [frame, at(frame, "Events", 0)].map((value) => Object.keys(value as object));
    assert.ok(recorded.length > 20);
    recorded.forEach((line) => assert.deepEqual(membersOf(JSON.parse(line)), membersOf(sent)));
  });

  // Recorded from Nomad 2.0.5.
  it("the emulated scheduler writes policies and tokens in events with the members of the recorded ones", async () => {
    const file = join(__dirname, "../../fixtures/wire/nomad-2.0.5-acl-events.ndjson");
    const recorded = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    const payloads = (all: readonly unknown[], kind: string) =>
      all.map((frame) => at(frame, "Events", 0, "Payload", kind)).filter((each) => each !== undefined);
    emulator.scheduler.addPolicy({ name: "p" });
    const issued = [await issueFor(emulator, ["p"]), await issueFor(emulator, ["p"])];
    assert.notEqual(issued[0], issued[1]);
    emulator.scheduler.removePolicy("p");
    const sent = await frames();
    for (const kind of ["ACLPolicy", "ACLToken"]) {
      const [expected, found] = [payloads(recorded, kind)[0], payloads(sent, kind)[0]];
      assert.deepEqual(Object.keys(found as object), Object.keys(expected as object), kind);
      assert.match(String(at(found, "Hash")), /^[\w+/]{43}=$/);
      const hashes = new Set(payloads(sent, kind).map((each) => at(each, "Hash")));
      assert.equal(hashes.size, kind === "ACLPolicy" ? 1 : 2);
    }
    const roles = payloads(sent, "ACLToken").map((each) => at(each, "Roles"));
    assert.deepEqual(new Set(roles.map((each) => JSON.stringify(each))), new Set(["[]"]));
  });

  it("the emulated scheduler sends the newest frame when the index is not reached yet, whatever else the query says", async () => {
    ["n1", "n2", "n3"].forEach((key) => emulator.events.emit(node(key)));
    for (const [query, keys] of [
      ["?index=1000", ["n3"]],
      ["?index=2", ["n2", "n3"]],
      ["?region=global&index=&namespace=default&namespace=b", ["n1", "n2", "n3"]],
      ["?topic=Node:", []],
    ] as const) {
      assert.deepEqual(await shown(query, "Key"), keys);
    }
    assert.equal((await call(emulator, "scheduler", "GET", `${path}?topic=Node:a:b`)).status, 400);
    emulator.reset();
    assert.deepEqual(await shown("?index=1000"), []);
  });

  // Nomad 2.0.5, nomad/stream/subscription.go, filter.
  it("the emulated scheduler treats the wildcard as one only if it is the only key of its topic", async () => {
    const job = { topic: "Job", type: "JobRegistered" };
    emulator.events.emit([
      { ...job, key: "web" },
      { ...job, key: "api" },
      { ...job, key: "db", filterKeys: ["web"] },
      { topic: "Node", type: "NodeRegistration", key: "n1" },
    ]);
    for (const [query, keys] of [
      ["?topic=Job", ["web", "api", "db"]],
      ["?topic=Job&topic=Job:web", ["web", "db"]],
      ["?topic=Job&topic=Job", []],
      ["?topic=Job:web&topic=Job:web", ["web", "web", "db", "db"]],
      ["?topic=*&topic=Job:web", ["web", "api", "db", "n1"]],
      ["?topic=*&topic=*", []],
      ["?topic=*:web&topic=Job", ["web", "db"]],
      ["?topic=*:web", ["web", "db"]],
    ] as const) {
      assert.deepEqual(await shown(query, "Key"), keys, query);
    }
  });

  const rights = {
    readJobs: ["Job", "Allocation", "Deployment", "Evaluation", "Service", "CSIPlugin"],
    readVolumes: ["HostVolume", "CSIVolume"],
    readVariables: ["Variable"],
    readNodes: ["Node"],
    readOperator: ["Operator"],
    management: [
      "NodePool",
      "ACLToken",
      "ACLPolicy",
      "ACLRole",
      "ACLAuthMethod",
      "ACLBindingRule",
      "*",
      "New",
    ],
  } as const;
  const ofNamespaces = ["readJobs", "readVolumes", "readVariables"];
  const all = Object.values(rights).flat();
  for (const [right, topics] of Object.entries(rights)) {
    it(`the emulated scheduler lets a token with ${right} alone subscribe to ${topics.join(", ")}`, async () => {
      emulator.events.refusal = "status";
      const own = ofNamespaces.includes(right) ? { [right]: ["default"] } : { [right]: true };
      const access = right === "management" ? right : own;
      const token = emulator.scheduler.addToken({ access });
      const allowed: string[] = [];
      for (const topic of all) {
        if ((await mayRead(emulator, token, topic)) === 200) {
          allowed.push(topic);
        }
      }
      assert.deepEqual(allowed, right === "management" ? all : topics);
      if (right !== "management") {
        emulator.scheduler.addPolicy({ name: "p", ...own });
        assert.equal(await mayRead(emulator, await issue("p"), topics[0]), 200, "by a policy");
      }
    });
  }

  const get = async (path: string, token?: string) => {
    const headers: Record<string, string> = token === undefined ? {} : { "X-Nomad-Token": token };
    const response = await fetch(emulator.scheduler.address + path, { headers });
    return { status: response.status, body: await response.json().catch(() => undefined) };
  };

  it("the emulated scheduler sends nothing on a stream that it rejects, and ends it after a few seconds", async () => {
    const { address, token } = emulator.scheduler;
    const reader = emulator.scheduler.addToken({ access: { readNodes: true } });
    for (const [query, used] of [
      ["", undefined],
      ["", "wrong"],
      ["?topic=Job", reader],
      ["?region=mars", token],
    ] as const) {
      const headers: Record<string, string> = used === undefined ? {} : { "X-Nomad-Token": used };
      const response = await fetch(address + path + query, { headers });
      assert.equal(response.status, 200);
      const text = response.text();
      emulator.advance("5s");
      assert.equal(await text, "");
    }
    emulator.events.refusal = "status";
    assert.equal((await get(`${path}?region=mars`, token)).status, 500);
    assert.equal((await get(path, "wrong")).status, 403);
    emulator.reset();
    assert.equal(emulator.events.refusal, "silence");
  });

  it("the emulated scheduler uses a UUID as its own token, which can look itself up", async () => {
    const { token } = emulator.scheduler;
    assert.match(token, /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
    const { body } = await get("/v1/acl/token/self", token);
    assert.deepEqual([at(body, "SecretID"), at(body, "Type")], [token, "management"]);
    assert.equal((await get("/v1/acl/token/self", "wrong")).status, 403);
    const anonymous = await get("/v1/acl/token/self");
    assert.deepEqual([anonymous.status, at(anonymous.body, "AccessorID")], [200, "anonymous"]);
  });

  // command/agent/http.go of Nomad 2.0.5; an unknown path has no content there.
  it("the emulated scheduler reports that it does not serve a path of the product", async () => {
    const { token } = emulator.scheduler;
    for (const path of [
      "jobs",
      "job/web/plan",
      "nodes",
      "acl/roles",
      "operator/raft/configuration",
      "var/x",
    ]) {
      const { status, body } = await call(emulator, "scheduler", "GET", `/v1/${path}`, { token });
      assert.equal(status, 501, path);
      assert.match(String(body), /^The emulator of pulumi-trivium does not implement GET \/v1\//);
    }
    assert.equal((await get("/v1/nosuch", token)).status, 404);
  });

  it("the emulated scheduler describes its region, its agent, its servers and its namespaces", async () => {
    emulator.scheduler.addPolicy({ name: "p", readJobs: ["team"] });
    emulator.events.emit({ topic: "Job", type: "JobRegistered", key: "web", namespace: "shop" });
    const { token } = emulator.scheduler;
    const names = (body: unknown): unknown[] => (body as object[]).map((each) => at(each, "Name"));
    assert.deepEqual((await get("/v1/regions")).body, ["global"]);
    assert.deepEqual((await get("/v1/status/peers")).body, ["127.0.0.1:4647"]);
    const healthy = { ok: true, message: "ok" };
    assert.deepEqual((await get("/v1/agent/health")).body, { client: healthy, server: healthy });
    assert.deepEqual(names((await get("/v1/namespaces", token)).body), ["default", "shop", "team"]);
    assert.deepEqual(names((await get("/v1/namespaces", await issue("p"))).body), ["team"]);
    assert.deepEqual((await get("/v1/namespaces")).body, []);
    const members = await get("/v1/agent/members", token);
    assert.equal(at(members.body, "Members", 0, "Tags", "build"), "2.0.5");
    assert.equal((await get("/v1/agent/members")).status, 403);
  });
});

describe("the emulated scheduler of a release before 2.0", () => {
  const emulator = useEmulator({ dialect: "hashicorp", scheduler: { release: "1.10" } });

  it("the emulated scheduler of a release before 2.0 rejects with a status, and writes why a stream ends", async () => {
    const token = emulator.scheduler.addToken();
    assert.equal(await mayRead(emulator, "wrong"), 403);
    const subscribed = await subscribe(emulator, token, "Node");
    emulator.scheduler.revokeToken(token);
    assert.match((await subscribed.ended) ?? "", /^\{\}\nsubscription closed by server/);
  });
});
