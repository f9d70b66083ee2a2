import assert from "node:assert/strict";
import { once } from "node:events";
import { get } from "node:http";
import { connect } from "node:net";
import { startEmulator, type Emulator, type Fault } from "../../sdk/testing";
import { useEmulator } from "../support/use-emulator";
import { at, call, until, type CallOptions, type Reply } from "./call";

describe("the emulator's faults", () => {
  const emulator = useEmulator();
  beforeEach(() => {
    emulator.provisioning.addOrganization({ name: "acme" });
  });

  const collection = "/api/v2/organizations/acme/projects";
  const create = async (name: string, options?: CallOptions): Promise<Reply> =>
    call(emulator, "provisioning", "POST", collection, {
      body: { data: { type: "projects", attributes: { name } } },
      ...options,
    });
  const list = async (): Promise<Reply> => call(emulator, "provisioning", "GET", collection);
  const exists = (name: string): boolean =>
    emulator.inspect().provisioning.projects.some((project) => project.name === name);
  const recorded = () => emulator.journal.requests().map(({ status, fault }) => [status, fault]);
  const canConnect = async (address: string): Promise<string> => {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    try {
      await once(socket, "connect");
      return "connected";
    } catch (error) {
      return String(at(error, "code"));
    } finally {
      socket.destroy();
    }
  };

  describe("drop", () => {
    it("before: the connection ends and nothing is applied; the next request is well", async () => {
      const fault = emulator.faults.add({ method: "POST", drop: "before" });
      await assert.rejects(create("web"));
      assert.equal(exists("web"), false);
      assert.equal(fault.hits, 1);
      assert.equal((await create("web")).status, 201);
      assert.equal(fault.hits, 1);
      assert.deepEqual(recorded(), [
        [null, "drop before"],
        [201, null],
      ]);
    });

    it("after: the connection ends, but the request was applied", async () => {
      emulator.faults.add({ drop: "after" });
      await assert.rejects(create("web"));
      assert.equal(exists("web"), true);
      assert.deepEqual(recorded(), [[null, "drop after"]]);
    });
  });

  describe("status", () => {
    for (const [body, type] of [
      ["<html>Bad Gateway</html>", "text/html"],
      ["try later", "text/plain"],
      [{ errors: [] }, "application/json"],
    ] as const) {
      it(`returns ${type}`, async () => {
        emulator.faults.add({ status: 502, body });
        const reply = await create("web");
        assert.deepEqual([reply.status, reply.body, reply.headers.get("content-type")], [502, body, type]);
        assert.equal(exists("web"), false);
        assert.deepEqual(recorded(), [[502, "status 502 before"]]);
      });
    }

    it("responds with the given media type", async () => {
      emulator.faults.add({ status: 500, body: {}, headers: { "content-type": "application/vnd.api+json" } });
      assert.equal((await list()).headers.get("content-type"), "application/vnd.api+json");
    });

    it("responds with headers, and without a body unless one is given", async () => {
      emulator.faults.add({ status: 429, headers: { "Retry-After": "2", "X-RateLimit-Reset": "0.3" } });
      const reply = await list();
      assert.deepEqual([reply.status, reply.body], [429, ""]);
      assert.equal(reply.headers.get("retry-after"), "2");
      assert.equal(reply.headers.get("x-ratelimit-reset"), "0.3");
    });

    it("can come after the request was applied", async () => {
      emulator.faults.add({ status: 504, when: "after" });
      assert.equal((await create("web")).status, 504);
      assert.equal(exists("web"), true);
    });

    it("hits also a request whose token is wrong, as a proxy in front would", async () => {
      emulator.faults.add({ status: 502 });
      assert.equal((await create("web", { token: "wrong" })).status, 502);
    });
  });

  describe("delay", () => {
    it("stalls the request until the emulator's time has passed", async () => {
      const fault = emulator.faults.add({ delay: "1h" });
      const reply = create("web");
      await until(() => fault.hits === 1);
      emulator.advance("59m");
      assert.equal(exists("web"), false);
      assert.equal(emulator.provisioning.statistics.inFlight, 1);
      emulator.advance("1m");
      assert.equal((await reply).status, 201);
    });

    it("applies the request even if the client has left meanwhile", async () => {
      const fault = emulator.faults.add({ delay: "1h" });
      const client = new AbortController();
      const reply = create("web", { signal: client.signal });
      await until(() => fault.hits === 1);
      client.abort();
      await assert.rejects(reply, { name: "AbortError" });
      await until(() => emulator.provisioning.statistics.inFlight === 0);
      emulator.advance("1h");
      await until(() => exists("web"));
      assert.equal(emulator.journal.requests()[0]?.status, null);
    });

    it("after: holds back the response to a request that was applied", async () => {
      const fault = emulator.faults.add({ delay: "1h", when: "after" });
      const reply = create("web");
      await until(() => exists("web"));
      assert.equal(fault.hits, 1);
      emulator.advance("1h");
      assert.equal((await reply).status, 201);
    });

    it("ends when the fault is removed: the request goes on", async () => {
      const fault = emulator.faults.add({ delay: "1h" });
      const reply = create("web");
      await until(() => fault.hits === 1);
      fault.remove();
      assert.equal((await reply).status, 201);
    });

    it("forever: never responds, and cuts the connection when the fault is removed", async () => {
      const fault = emulator.faults.add({ delay: "forever" });
      const reply = create("web");
      await until(() => fault.hits === 1);
      emulator.advance("1000d");
      fault.remove();
      await assert.rejects(reply);
      assert.equal(exists("web"), false);
    });
  });

  describe("truncate", () => {
    it("sends the headers and half of the body, of a request that was applied", async () => {
      emulator.faults.add({ truncate: true });
      await assert.rejects(create("web"));
      assert.equal(exists("web"), true);

      emulator.faults.add({ truncate: true });
      const request = get(emulator.provisioning.address + collection, {
        headers: { Authorization: `Bearer ${emulator.provisioning.token}` },
        agent: false,
      });
      const [response] = (await once(request, "response")) as [import("node:http").IncomingMessage];
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      await assert.rejects(once(response, "end"), { code: "ECONNRESET" });
      assert.equal(response.statusCode, 200);
      assert.equal(text.length, Math.floor(Number(response.headers["content-length"]) / 2));
      assert.match(text, /^\{"data":\[/);
    });

    it("cuts a response without a body before its headers", async () => {
      const { id } = emulator.provisioning.addProject({ organization: "acme", name: "web" });
      emulator.faults.add({ truncate: true });
      await assert.rejects(call(emulator, "provisioning", "DELETE", `/api/v2/projects/${id}`));
      assert.equal(exists("web"), false);
    });
  });

  describe("latency", () => {
    it("slows down every request, and joins other faults", async () => {
      const latency = emulator.faults.add({ latency: 1 });
      emulator.faults.add({ status: 503 });
      assert.equal((await create("web")).status, 503);
      assert.equal((await create("web")).status, 201);
      assert.equal(latency.hits, 2);
      assert.deepEqual(recorded(), [
        [503, "latency 1, status 503 before"],
        [201, "latency 1"],
      ]);
    });
  });

  describe("refuse", () => {
    it("has connections refused until it is removed, then listens on the same port", async () => {
      const { address } = emulator.provisioning;
      const fault = emulator.faults.add({ service: "provisioning", refuse: true });
      assert.equal(await canConnect(address), "ECONNREFUSED");
      assert.equal(await canConnect(emulator.secrets.address), "connected");
      await assert.rejects(list());
      fault.remove();
      assert.equal(emulator.provisioning.address, address);
      assert.equal((await list()).status, 200);
    });

    it("cuts what is open", async () => {
      const stall = emulator.faults.add({ delay: "forever" });
      const reply = list();
      await until(() => stall.hits === 1);
      emulator.faults.add({ refuse: true });
      await assert.rejects(reply);
    });

    it("lasts as long as told, for all services when none is named", async () => {
      emulator.faults.add({ refuse: "10m" });
      for (const service of ["provisioning", "secrets", "scheduler"] as const) {
        assert.equal(await canConnect(emulator[service].address), "ECONNREFUSED");
      }
      emulator.advance("10m");
      for (const service of ["provisioning", "secrets", "scheduler"] as const) {
        assert.equal(await canConnect(emulator[service].address), "connected");
      }
    });

    it("can be switched in one go", async () => {
      emulator.faults.add({ refuse: true }).remove();
      emulator.faults.add({ refuse: true });
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(await canConnect(emulator.provisioning.address), "ECONNREFUSED");
      emulator.reset();
      assert.equal(await canConnect(emulator.provisioning.address), "connected");
    });

    it("ends with the last of several", async () => {
      const all = emulator.faults.add({ refuse: true });
      const one = emulator.faults.add({ service: "secrets", refuse: true });
      all.remove();
      assert.equal(await canConnect(emulator.provisioning.address), "connected");
      assert.equal(await canConnect(emulator.secrets.address), "ECONNREFUSED");
      one.remove();
      assert.equal(await canConnect(emulator.secrets.address), "connected");
    });
  });

  describe("which requests they hit", () => {
    const statuses = async (count: number): Promise<number[]> => {
      const all: number[] = [];
      for (let number = 0; number < count; number++) {
        all.push((await list()).status);
      }
      return all;
    };

    it("is one, unless times says how many", async () => {
      emulator.faults.add({ status: 503 });
      assert.deepEqual(await statuses(3), [503, 200, 200]);
      emulator.faults.add({ status: 503, times: 2 });
      assert.deepEqual(await statuses(3), [503, 503, 200]);
      const always = emulator.faults.add({ status: 503, times: Number.POSITIVE_INFINITY });
      assert.deepEqual(await statuses(3), [503, 503, 503]);
      always.remove();
      assert.deepEqual(await statuses(1), [200]);
    });

    it("starts after the skipped ones", async () => {
      const fault = emulator.faults.add({ status: 503, skip: 2, times: 2 });
      assert.deepEqual(await statuses(5), [200, 200, 503, 503, 200]);
      assert.equal(fault.hits, 2);
    });

    it("are struck by one fault at a time, the first added first", async () => {
      emulator.faults.add({ status: 500 });
      emulator.faults.add({ status: 502 });
      assert.deepEqual(await statuses(3), [500, 502, 200]);
    });

    it("depends on the probability, and is the same for the same seed and after a reset", async () => {
      const pattern = async (other: Emulator): Promise<boolean[]> => {
        other.faults.add({ status: 503, probability: 0.5 });
        const all: boolean[] = [];
        for (let number = 0; number < 40; number++) {
          all.push((await call(other, "provisioning", "GET", "/")).status === 503);
        }
        return all;
      };
      const first = await pattern(emulator);
      const hits = first.filter(Boolean).length;
      assert.ok(hits > 8 && hits < 32, `${hits} of 40`);
      emulator.reset();
      assert.deepEqual(await pattern(emulator), first);
      const other = await startEmulator({ faultSeed: 2 });
      const otherPattern = await pattern(other);
      await other.close();
      assert.notDeepEqual(otherPattern, first);
    });

    const filters: readonly [string, Fault, boolean][] = [
      ["the service", { service: "provisioning", status: 503 }, true],
      ["another service", { service: "secrets", status: 503 }, false],
      ["the method", { method: "GET", status: 503 }, true],
      ["another method", { method: "POST", status: 503 }, false],
      ["one of several methods", { method: ["POST", "GET"], status: 503 }, true],
      ["the whole path", { path: collection, status: 503 }, true],
      ["a part of the path", { path: "/api/v2/organizations", status: 503 }, false],
      ["a pattern of the path", { path: "/api/v2/organizations/:name/*", status: 503 }, true],
      ["an expression", { path: /^\/api\/v2\/org/g, status: 503 }, true],
      ["another expression", { path: /workspaces/, status: 503 }, false],
      ["a predicate on the path", { path: (path) => path.endsWith("/projects"), status: 503 }, true],
      ["a predicate on the request", { where: ({ query }) => query["q"] === "web", status: 503 }, true],
      ["two parts of which one is wrong", { path: collection, method: "POST", status: 503 }, false],
    ];
    for (const [what, fault, expected] of filters) {
      it(`can be narrowed by ${what}`, async () => {
        const handle = emulator.faults.add(fault);
        const reply = await call(emulator, "provisioning", "GET", `${collection}?q=web`);
        assert.equal(reply.status, expected ? 503 : 200);
        assert.equal(handle.hits, expected ? 1 : 0);
      });
    }
  });

  it("go away with clear and with reset", async () => {
    emulator.faults.add({ status: 503, times: 9 });
    emulator.faults.clear();
    assert.equal((await list()).status, 200);
    emulator.faults.add({ status: 503, times: 9 });
    emulator.reset();
    assert.equal((await list()).status, 404);
  });

  for (const [fault, message] of [
    [{ method: "GET" }, /exactly one of/],
    [{ status: 500, drop: "after" }, /exactly one of/],
    [{ status: 500, methods: "GET" }, /fault.methods is not a valid member; did you mean method\?/],
    [{ drop: "after", when: "before" }, /fault.when is not a valid member/],
    [{ refuse: true, method: "GET" }, /fault.method is not a valid member/],
    [{ drop: "during" }, /"before" or "after"/],
    [{ status: 100 }, /from 200 to 599/],
    [{ delay: "soon" }, /fault.delay must be "forever", or a duration/],
    [{ latency: -1 }, /fault.latency must be milliseconds/],
    [{ refuse: "soon" }, /fault.refuse must be true, or a duration/],
    [{ refuse: true, service: "secret" }, /fault.service must be "provisioning" or/],
    [{ status: 500, times: 0 }, /times/],
    [{ status: 500, probability: 2 }, /probability/],
  ] as const) {
    it(`refuses the fault ${JSON.stringify(fault)}`, () => {
      assert.throws(() => emulator.faults.add(fault as unknown as Fault), { message });
    });
  }
});
