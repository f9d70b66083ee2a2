import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { getAccess, getAccessOutput } from "../../../sdk/secrets/scheduler/get-access";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { useMocks, valueOf } from "../../resource/mocks";
import { useEmulator } from "../../support/use-emulator";

const unknown = { maxTokenNameLength: null, caCert: null, clientCert: null };

for (const [schedulerReads, rest] of [
  ["documented", unknown],
  ["real", { maxTokenNameLength: 64, caCert: "ca", clientCert: "certificate" }],
] as const) {
  describe(`secrets.scheduler.getAccess, of a service that answers as ${schedulerReads}`, () => {
    const emulator = useEmulator({ secrets: { schedulerReads } });
    useEnvironment(() => emulator.environment);

    it("reads how the scheduler is reached, and no secrets", async () => {
      emulator.secrets.addMount({ type: "scheduler", path: "teams/eu" });
      emulator.secrets.changeSchedulerAccess(
        {
          address: "https://10.0.0.4:4646",
          token: "management",
          maxTokenNameLength: 64,
          caCert: "ca",
          clientCert: "certificate",
          clientKey: "key",
        },
        "teams/eu",
      );
      assert.deepEqual(await getAccess({ mount: "teams/eu" }), {
        mount: "teams/eu",
        address: "https://10.0.0.4:4646",
        ...rest,
      });
    });

    it("says so when there is nothing to read", async () => {
      const error = await failure(getAccess());
      assert.equal(error.message, "The scheduler engine at scheduler has no access configuration.");
    });

    describe("in a program", () => {
      useMocks();

      it("takes outputs", async () => {
        emulator.secrets.changeSchedulerAccess({ address: "https://10.0.0.4:4646" });
        const access = getAccessOutput({ mount: pulumi.output("scheduler") });
        assert.equal(await valueOf(access.address), "https://10.0.0.4:4646");
        assert.equal(await valueOf(getAccessOutput().mount), "scheduler");
      });
    });
  });
}
