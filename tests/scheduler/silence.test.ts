import assert from "node:assert/strict";
import { ServiceError, TimeoutError } from "../../sdk/base/errors";
import { events, readEvents, waitForEvent } from "../../sdk/scheduler";
import { eventGateDefinition } from "../../sdk/scheduler/event-gate";
import type { StreamOptions } from "../../sdk/scheduler/options";
import { useEnvironment } from "../connection/environment";
import { failure } from "../http/calls";
import { startRawServer, stopServers } from "../http/server";
import { FakeEngine } from "../support/fake-engine";
import { useEmulator } from "../support/use-emulator";

const unknown = "00000000-0000-4000-8000-000000000000";

// Nomad 2.0.5, command/agent/event_endpoint.go: 200 before the request is checked; nomad/stream/ndjson.go: an accepted
// stream begins with a heartbeat.
describe("a stream that the product accepts but leaves silent", function () {
  this.timeout(60_000);
  const emulator = useEmulator({
    dialect: "hashicorp",
    seed: { schedulerPolicies: [{ name: "readers", readJobs: ["team"] }] },
  });
  useEnvironment(() => emulator.environment);
  afterEach(stopServers);

  const nodes = (): string => emulator.scheduler.addToken({ access: { readNodes: true }, name: "nodes" });
  const cases: readonly [string, () => StreamOptions, RegExp][] = [
    [
      "a wrong token",
      () => ({ token: unknown }),
      /GET \S+\/v1\/acl\/token\/self returned 403: Permission denied\. .*token from the argument token/,
    ],
    [
      "an unknown region",
      () => ({ region: "mars" }),
      /When asked about the token, it responds: No path to region\. There is no region "mars", or its servers cannot be reached: check region \(trivium:schedulerRegion/,
    ],
    [
      "a namespace without access",
      () => ({ token: nodes(), topics: ["Node", "Job"] }),
      /The token "nodes" \(client\) is valid.* The namespace default does not exist, or the token has no access to it; it has access to none\. This subscription requires node:read for nodes; namespace:read-job in the namespace default/,
    ],
  ];
  const calls: Readonly<Record<string, (options: StreamOptions) => Promise<unknown>>> = {
    readEvents: (options) => readEvents({ ...options, until: { idle: "1s" } }),
    "readEvents with a short time limit": (options) => readEvents({ ...options, until: { timeout: "0.2s" } }),
    waitForEvent: (options) => waitForEvent({ ...options, timeout: "5m" }),
    "waitForEvent with a short time limit": (options) => waitForEvent({ ...options, timeout: "0.2s" }),
    events: (options) => events(options).next(),
  };
  for (const [title, optionsFor, message] of cases) {
    for (const [name, call] of Object.entries(calls)) {
      it(`${name} reports within seconds that ${title} is rejected`, async () => {
        const begun = performance.now();
        assert.match((await failure(call(optionsFor()))).message, message);
        assert.ok(performance.now() - begun < 5_000);
      });
    }
  }

  it("a stream without a token is rejected, and the error names the setting", async () => {
    process.env.SCHEDULER_TOKEN = "";
    const error = await failure(readEvents({ until: { idle: "1s" }, topics: ["Job"] }));
    assert.match(error.message, /No token was sent: set token \(trivium:schedulerToken, SCHEDULER_TOKEN/);
  });

  it("a token that lacks a permission in a namespace it can use is rejected once the stream has been silent for a few seconds", async () => {
    emulator.events.emit({ topic: "Job", type: "JobRegistered", key: "web", namespace: "team" });
    const token = emulator.scheduler.addToken({ access: { readVariables: ["team"] }, name: "variables" });
    const waiting = failure(waitForEvent({ token, topics: ["Job"], namespace: "team", timeout: "5m" }));
    const { message } = await waiting;
    assert.match(
      message,
      /the scheduler accepted the request but sent nothing\. The token "variables" \(client\) is valid, but most likely lacks a permission\. This subscription requires namespace:read-job in the namespace team/,
    );
  });

  it("an event gate with an invalid token fails within seconds, and reports that", async () => {
    const gate = new FakeEngine(eventGateDefinition, emulator);
    emulator.scheduler.revokeToken(emulator.scheduler.token);
    const begun = performance.now();
    const creation = gate.up({ topics: ["Job"], match: { key: "web" }, timeout: "10m" });
    await assert.rejects(creation, { message: /acl\/token\/self returned 403: Permission denied/ });
    assert.ok(performance.now() - begun < 5_000);
    assert.equal(gate.id, undefined);
  });

  it("a follower whose token is revoked ends with the rejection", async () => {
    const token = emulator.scheduler.addToken({ access: { readNodes: true } });
    emulator.events.emit({ topic: "Node", type: "NodeRegistration", key: "n1" });
    const stream = events({ token, topics: ["Node"] });
    assert.equal((await stream.next()).value?.key, "n1");
    emulator.scheduler.revokeToken(token);
    emulator.advance("5s");
    const error = await failure(stream.next());
    assert.ok(ServiceError.isInstance(error));
    assert.equal(error.status, 403);
  });

  it("an accepted stream without events is read as empty", async () => {
    assert.deepEqual(await readEvents({ topics: ["Node"], until: { idle: "0.2s" } }), []);
    assert.deepEqual(await readEvents({ topics: ["Node"], until: { timeout: "0.5s" } }), []);
  });

  it("a silent stream with a management token is not reported as a missing permission", async () => {
    const { port } = new URL(emulator.scheduler.address);
    const server = await startRawServer((socket, head) => {
      if (head.includes("/event/stream")) {
        socket.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n");
        return;
      }
      const [, path = ""] = head.split(" ");
      const headers = { "x-nomad-token": emulator.scheduler.token };
      void fetch(`http://127.0.0.1:${port}${path}`, { headers }).then(async (response) => {
        const body = await response.text();
        socket.end(
          `HTTP/1.1 ${response.status} Ok\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n${body}`,
        );
      });
    });
    const error = await failure(
      readEvents({
        address: server.address,
        token: emulator.scheduler.token,
        dialect: "hashicorp",
        until: { timeout: "0.3s" },
      }),
    );
    assert.ok(TimeoutError.isInstance(error));
    assert.match(error.message, /has not sent anything\. A proxy might be holding the response back/);
  });

  it("readEvents fails if it could not connect within its time limit", async () => {
    emulator.faults.add({ service: "scheduler", drop: "before", times: 1000 });
    const error = await failure(readEvents({ until: { timeout: "0.3s" } }));
    assert.match(
      error.message,
      /^Timed out after 0\.3 s waiting for events\. The stream did not begin; the last reason: /,
    );
  });
});

describe("a silent stream in the documented dialect", () => {
  const emulator = useEmulator();
  useEnvironment(() => emulator.environment);

  it("after its time limit, waitForEvent reports that nothing was sent, which might be a rejection", async () => {
    emulator.events.refusal = "silence";
    const { message } = await failure(waitForEvent({ token: unknown, topics: ["Job"], timeout: "0.3s" }));
    assert.match(
      message,
      /^Timed out after 0\.3 s waiting for an event\. The scheduler has not sent anything\. Some releases reject a token in this way\. This subscription requires namespace:read-job/,
    );
  });
});
