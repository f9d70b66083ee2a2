import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { type Emulator, type Fault, startEmulator } from "../../sdk/testing";
import { useEmulator } from "../support/use-emulator";
import { at, call, until, type CallOptions, type Reply } from "./call";

describe("the emulator's faults", () => {
  const seed = { organizations: [{ name: "acme" }] };
  const emulator = useEmulator({ seed });
  const collection = "/api/v2/organizations/acme/projects";
  const body = { data: { type: "projects", attributes: { name: "web" } } };
  const create = (options?: CallOptions): Promise<Reply> =>
    call(emulator, "provisioning", "POST", collection, { body, ...options });
  const exists = (): boolean => emulator.inspect().provisioning.projects.some(({ name }) => name === "web");
  const recorded = () => emulator.journal.requests().map(({ status, fault }) => `${status} ${fault}`);
  const statuses = async (count: number, other: Emulator = emulator): Promise<number[]> => {
    const replies: number[] = [];
    while (replies.length < count) {
      replies.push((await call(other, "provisioning", "GET", collection)).status);
    }
    return replies;
  };
  const all = ["provisioning", "secrets", "scheduler"] as const;
  const listening = async (): Promise<string[]> => {
    const names: string[] = [];
    for (const service of all) {
      const { hostname, port } = new URL(emulator[service].address);
      const socket = connect(Number(port), hostname);
      await once(socket, "connect").then(
        () => names.push(service),
        (error: unknown) => assert.equal(at(error, "code"), "ECONNREFUSED"),
      );
      socket.destroy();
    }
    return names;
  };

  for (const [sent, type, headers] of [
    ["<html>Bad Gateway</html>", "text/html"],
    ["try later", "text/plain"],
    [{ errors: [] }, "application/json"],
    [{}, "application/vnd.api+json", { "content-type": "application/vnd.api+json" }],
    ["", null, { "Retry-After": "2" }],
  ] as const) {
    it(`a status fault responds with ${type}`, async () => {
      emulator.faults.add({ status: 502, ...(type && { body: sent }), ...(headers && { headers }) });
      const reply = await create();
      assert.deepEqual([reply.status, reply.body, reply.headers.get("content-type")], [502, sent, type]);
      assert.equal(reply.headers.get("retry-after"), type === null ? "2" : null);
      assert.deepEqual([exists(), recorded()], [false, ["502 status 502 before"]]);
    });
  }

  it("a status fault can occur after the request was applied, and also affects an invalid token, as with a proxy", async () => {
    emulator.faults.add({ status: 504, when: "after" });
    assert.deepEqual([(await create()).status, exists()], [504, true]);
    emulator.faults.add({ status: 502 });
    assert.equal((await create({ token: "wrong" })).status, 502);
  });

  it("a delay holds the request until the emulator's time has passed, even if the client has left", async () => {
    const fault = emulator.faults.add({ delay: "1h" });
    const client = new AbortController();
    const reply = create({ signal: client.signal });
    await until(() => fault.hits === 1);
    client.abort();
    await assert.rejects(reply, { name: "AbortError" });
    await until(() => emulator.provisioning.statistics.inFlight === 0);
    emulator.advance("59m");
    assert.equal(exists(), false);
    emulator.advance("1m");
    await until(exists);
    assert.equal(emulator.journal.requests()[0]?.status, null);
  });

  for (const when of ["before", "after"] as const) {
    for (const end of ["its time", "the fault"] as const) {
      it(`a delay ${when} ends with ${end}, and the request continues`, async () => {
        const fault = emulator.faults.add({ delay: "1h", when });
        const reply = create();
        await until(() => fault.hits === 1 && exists() === (when === "after"));
        if (end === "the fault") {
          fault.remove();
        }
        emulator.advance(end === "its time" ? "1h" : 0);
        assert.equal((await reply).status, 201);
      });
    }
  }

  it("a delay of forever never responds, and closes the connection when the fault is removed", async () => {
    const fault = emulator.faults.add({ delay: "forever" });
    const reply = create();
    await until(() => fault.hits === 1);
    emulator.advance("1000d");
    fault.remove();
    await assert.rejects(reply);
    assert.equal(exists(), false);
  });

  it("truncate sends the headers and half of the body, or nothing if there is no body", async () => {
    const { id } = emulator.provisioning.addProject({ organization: "acme", name: "web" });
    emulator.faults.add({ truncate: true, times: 2 });
    const headers = { Authorization: `Bearer ${emulator.provisioning.token}` };
    const request = get(emulator.provisioning.address + collection, { headers, agent: false });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    let text = "";
    response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    await assert.rejects(once(response, "end"), { code: "ECONNRESET" });
    assert.equal(text.length, Math.floor(Number(response.headers["content-length"]) / 2));
    assert.match(text, /^\{"data":\[/);
    await assert.rejects(call(emulator, "provisioning", "DELETE", `/api/v2/projects/${id}`));
    assert.equal(exists(), false);
  });

  it("latency slows down every request, and combines with other faults", async () => {
    const latency = emulator.faults.add({ latency: 1 });
    emulator.faults.add({ status: 503 });
    assert.deepEqual([(await create()).status, (await create()).status, latency.hits], [503, 201, 2]);
    assert.deepEqual(recorded(), ["503 latency 1, status 503 before", "201 latency 1"]);
  });

  it("a refusal closes open connections, lasts for its duration, and then the service listens on the same ports", async () => {
    const stall = emulator.faults.add({ delay: "forever" });
    const reply = create();
    await until(() => stall.hits === 1);
    emulator.faults.add({ refuse: "10m" });
    await assert.rejects(reply);
    assert.deepEqual(await listening(), []);
    emulator.advance("10m");
    assert.deepEqual(await listening(), all);
  });

  it("a refusal ends with the last of several, and can be replaced without a gap", async () => {
    const every = emulator.faults.add({ refuse: true });
    const one = emulator.faults.add({ service: "secrets", refuse: true });
    every.remove();
    assert.deepEqual(await listening(), ["provisioning", "scheduler"]);
    one.remove();
    emulator.faults.add({ refuse: true });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await listening(), []);
    emulator.reset();
    assert.deepEqual(await listening(), all);
  });

  it("a fault depends on the probability, and is the same for the same seed and after a reset", async () => {
    const results: string[] = [];
    const other = await startEmulator({ faultSeed: 2, seed });
    for (const each of [emulator, emulator, other]) {
      each.reset();
      each.faults.add({ status: 503, probability: 0.5 });
      results.push((await statuses(40, each)).join());
    }
    await other.close();
    const [first = "", again, others] = results;
    const hits = first.split("503").length - 1;
    assert.ok(hits > 8 && hits < 32, `${hits} of 40`);
    assert.deepEqual([again === first, others === first], [true, false]);
  });

  it("faults occur one at a time in the order in which they were added, and are removed by clear", async () => {
    emulator.faults.add({ status: 503, skip: 1, times: 2 });
    emulator.faults.add({ status: 502 });
    assert.deepEqual(await statuses(5), [502, 503, 503, 200, 200]);
    emulator.faults.add({ status: 503, times: 9 });
    emulator.faults.clear();
    assert.deepEqual(await statuses(1), [200]);
  });

  for (const [fault, message] of [
    [{ method: "GET" }, /exactly one of/],
    [{ status: 500, methods: "GET" }, /fault.methods is not a valid member; did you mean method\?/],
    [{ drop: "after", when: "before" }, /fault.when is not a valid member/],
    [{ drop: "during" }, /"before" or "after"/],
    [{ status: 100 }, /from 200 to 599/],
    [{ delay: "soon" }, /fault.delay must be "forever", or a duration/],
    [{ latency: -1 }, /fault.latency must be milliseconds/],
    [{ refuse: "soon" }, /fault.refuse must be true, or a duration/],
    [{ refuse: true, service: "secret" }, /fault.service must be "provisioning" or/],
    [{ status: 500, times: 0 }, /times/],
    [{ status: 500, probability: 2 }, /probability/],
  ] as const) {
    it(`the emulator rejects the fault ${JSON.stringify(fault)}`, () =>
      assert.throws(() => emulator.faults.add(fault as unknown as Fault), { message }));
  }
});
