import assert from "node:assert/strict";
import { getLease, leaseDefinition } from "../../../sdk/secrets/scheduler/lease";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { stopServers } from "../../http/server";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { serviceWith } from "../altered-responses";

const path = "/v1/scheduler/config/lease";

describe("secrets.scheduler.Lease", () => {
  const emulator = useEmulator();
  afterEach(stopServers);

  const stored = () => emulator.inspect().secrets.schedulerLeases;
  const sent = (): unknown[] => emulator.journal.requests({ method: "POST", path }).map(({ body }) => body);
  const manage = async (args: Properties): Promise<Managed> => {
    const managed = new Managed(leaseDefinition, emulator);
    await managed.up(args);
    return managed;
  };

  it("sends whole seconds whatever the spelling, and keeps the spelling", async () => {
    const { id, outputs, inputs } = await manage({ ttl: "1h30m", maxTtl: "86400" });
    assert.equal(id, "scheduler");
    assert.deepEqual(sent(), [{ ttl: 5_400, max_ttl: 86_400 }]);
    assert.deepEqual([outputs.mount, outputs.ttl, outputs.maxTtl], ["scheduler", 5_400, 86_400]);
    assert.equal(inputs.ttl, "1h30m");
  });

  it("replaces both values on the wire, with what the service has of one that is not in the program", async () => {
    const managed = await manage({ ttl: 60 });
    emulator.secrets.changeSchedulerLease({ maxTtl: 500 });
    assert.equal(await managed.up({ ttl: 90 }), "updated");
    assert.deepEqual(sent(), [{ ttl: 60 }, { ttl: 90, max_ttl: 500 }]);
  });

  it("says nothing of a time that was never given and that the service does not have", async () => {
    const managed = await manage({ ttl: 60 });
    assert.equal(await managed.up({ ttl: 90 }), "updated");
    assert.equal(await managed.up({ ttl: 90, maxTtl: 0 }), "updated");
    assert.equal(await managed.up({ ttl: 120, maxTtl: 0 }), "updated");
    assert.deepEqual(sent(), [{ ttl: 60 }, { ttl: 90 }, { ttl: 90, max_ttl: 0 }, { ttl: 120, max_ttl: 0 }]);
  });

  it("goes back to what the mount says for what is no longer in the program", async () => {
    const managed = await manage({ ttl: 60, maxTtl: 120 });
    assert.equal(await managed.up({ maxTtl: 120 }), "updated");
    assert.deepEqual(sent()[1], { ttl: "", max_ttl: 120 });
    assert.deepEqual(stored(), [{ mount: "scheduler", ttl: 0, maxTtl: 120 }]);
    assert.equal(await managed.up({ maxTtl: 120 }), "same");
    emulator.secrets.changeSchedulerLease({ ttl: 7 });
    assert.equal(await managed.refresh(), true);
    assert.equal(managed.inputs.ttl, 7);
    assert.equal(await managed.up({ maxTtl: 120 }), "updated");
    assert.equal(stored()[0]?.ttl, 0);
  });

  for (const [what, response, expected] of [
    ["as text", { ttl: "90", max_ttl: "1h30m" }, [90, 5_400]],
    ["as null where there is nothing", { ttl: 90, max_ttl: null }, [90, 0]],
    ["as an empty text where there is nothing", { ttl: 90, max_ttl: "" }, [90, 0]],
    ["not at all where there is nothing", { ttl: 90 }, [90, undefined]],
  ] as const) {
    it(`understands times that are returned ${what}`, async () => {
      const settings = await serviceWith(emulator, (_request, { status, body }) => ({
        status,
        body: body?.data ? { data: response } : body,
      }));
      const managed = new Managed(leaseDefinition, emulator, settings);
      await managed.up({ ttl: 90 });
      assert.equal(await managed.refresh(), true);
      assert.deepEqual([managed.outputs.ttl, managed.outputs.maxTtl], expected);
      assert.equal(await managed.up({ ttl: "90s" }), "same");
    });
  }

  for (const [args, problem] of [
    [{ ttl: "soon" }, 'ttl must be a duration such as 30, "30s" or "1h30m"'],
    [{ ttl: -1 }, 'ttl must be a duration such as 30, "30s" or "1h30m"'],
    [{ maxTtl: "1500ms" }, "maxTtl must be a whole number of seconds"],
    [{ maxTtl: true }, "maxTtl must be a duration"],
  ] as const) {
    it(`refuses ${JSON.stringify(args)}`, async () => {
      const managed = new Managed(leaseDefinition, emulator);
      assert.deepEqual(await managed.problems(args), [problem]);
    });
  }
});

describe("secrets.scheduler.getLease", () => {
  const emulator = useEmulator();
  useEnvironment(() => emulator.environment);

  it("reads how long tokens live, in seconds", async () => {
    emulator.secrets.addMount({ type: "scheduler", path: "teams/eu" });
    emulator.secrets.changeSchedulerLease({ ttl: 60, maxTtl: 120 });
    emulator.secrets.changeSchedulerLease({ ttl: 5 }, "teams/eu");
    assert.deepEqual(await getLease(), { mount: "scheduler", ttl: 60, maxTtl: 120 });
    assert.deepEqual(await getLease({ mount: "teams/eu" }), { mount: "teams/eu", ttl: 5, maxTtl: 0 });
  });

  it("says so when there is nothing to read", async () => {
    const error = await failure(getLease({}));
    assert.match(error.message, /^The scheduler lease configuration of the mount scheduler does not exist/);
  });
});
