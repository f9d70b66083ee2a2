import assert from "node:assert/strict";
import { getLease, leaseDefinition } from "../../../sdk/secrets/scheduler/lease";
import { failure } from "../../http/calls";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { reading, serviceWith } from "../altered-responses";
import { bodiesSentTo, useSecrets } from "../emulated-client";

describe("secrets.scheduler.Lease", () => {
  const emulator = useSecrets();

  const sent = () => bodiesSentTo(emulator, "scheduler/config/lease");
  const manage = (args: Properties, settings = {}) =>
    FakeEngine.create(leaseDefinition, emulator, args, settings);

  it("the lease configuration's update sends the service's value of a time that is not in the program, or omits it", async () => {
    const managed = await manage({ ttl: 60 });
    await managed.up({ ttl: 90 });
    emulator.secrets.changeSchedulerLease({ maxTtl: 500 });
    await managed.up({ ttl: 60 });
    await managed.up({ ttl: 60, maxTtl: 0 });
    await managed.up({ ttl: 90, maxTtl: 0 });
    const [given, cleared] = [
      { ttl: 60, max_ttl: 500 },
      { ttl: 60, max_ttl: 0 },
    ];
    assert.deepEqual(sent(), [{ ttl: 60 }, { ttl: 90 }, given, cleared, { ttl: 90, max_ttl: 0 }]);
  });

  it("the lease configuration clears what is no longer in the program with an empty text", async () => {
    const managed = await manage({ ttl: 60, maxTtl: 120 });
    assert.equal(await managed.up({ maxTtl: 120 }), "updated");
    assert.deepEqual(sent()[1], { ttl: "", max_ttl: 120 });
    const lease = { mount: "scheduler", ttl: 0, maxTtl: 120 };
    assert.deepEqual(emulator.inspect().secrets.schedulerLeases, [lease]);
  });

  for (const [what, response, expected] of [
    ["as text", { ttl: "90", max_ttl: "1h30m" }, [90, 5_400]],
    ["as null if there is no value", { ttl: 90, max_ttl: null }, [90, 0]],
    ["as an empty string if there is no value", { ttl: 90, max_ttl: "" }, [90, 0]],
    ["not at all if there is no value", { ttl: 90 }, [90, undefined]],
  ] as const) {
    it(`the lease configuration understands times that are returned ${what}`, async () => {
      const altered = reading(() => response);
      const managed = await manage({ ttl: 90 }, await serviceWith(emulator, altered));
      assert.equal(await managed.refresh(), true);
      assert.deepEqual([managed.outputs.ttl, managed.outputs.maxTtl], expected);
      assert.equal(await managed.up({ ttl: "90s" }), "same");
    });
  }

  it("the lease configuration is read by a function, in seconds", async () => {
    const missing = /^The scheduler lease configuration of the mount scheduler does not exist/;
    assert.match((await failure(getLease({}))).message, missing);
    emulator.secrets.addMount({ type: "scheduler", path: "teams/eu" });
    emulator.secrets.changeSchedulerLease({ ttl: 60, maxTtl: 120 });
    emulator.secrets.changeSchedulerLease({ ttl: 5 }, "teams/eu");
    assert.deepEqual(await getLease(), { mount: "scheduler", ttl: 60, maxTtl: 120 });
    assert.deepEqual(await getLease({ mount: "teams/eu" }), { mount: "teams/eu", ttl: 5, maxTtl: 0 });
  });
});
