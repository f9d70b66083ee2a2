import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { getLease, getLeaseOutput } from "../../../sdk/secrets/scheduler/get-lease";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { useMocks, valueOf } from "../../resource/mocks";
import { useEmulator } from "../../support/use-emulator";

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
    assert.match(error.message, /^The scheduler engine at scheduler has no lease configuration/);
  });

  describe("in a program", () => {
    useMocks();

    it("takes outputs", async () => {
      emulator.secrets.changeSchedulerLease({ ttl: 60 });
      assert.equal(await valueOf(getLeaseOutput({ mount: pulumi.output("scheduler") }).ttl), 60);
      assert.equal(await valueOf(getLeaseOutput().ttl), 60);
    });
  });
});
