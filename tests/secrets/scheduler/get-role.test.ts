import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { getRole, getRoleOutput } from "../../../sdk/secrets/scheduler/get-role";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { useMocks, valueOf } from "../../resource/mocks";
import { useEmulator } from "../../support/use-emulator";

for (const [schedulerReads, rest] of [
  ["documented", { global: null, lease: "0s" }],
  ["real", { global: true, lease: null }],
] as const) {
  describe(`secrets.scheduler.getRole, of a service that answers as ${schedulerReads}`, () => {
    const emulator = useEmulator({ secrets: { schedulerReads } });
    useEnvironment(() => emulator.environment);

    it("reads a role", async () => {
      emulator.secrets.addSchedulerRole({ name: "deploy", policies: ["a", "b"], global: true });
      assert.deepEqual(await getRole({ name: "deploy" }), {
        mount: "scheduler",
        name: "deploy",
        policies: ["a", "b"],
        type: "client",
        ...rest,
      });
    });

    it("reads a role of another mount", async () => {
      emulator.secrets.addMount({ type: "scheduler", path: "teams/eu" });
      emulator.secrets.addSchedulerRole({ name: "a b", type: "management" }, "teams/eu");
      const { mount, policies, type } = await getRole({ mount: "/teams/eu", name: "a b" });
      assert.deepEqual([mount, policies, type], ["teams/eu", [], "management"]);
      assert.deepEqual(
        emulator.journal.requests().map(({ target }) => target),
        ["/v1/teams/eu/role/a%20b"],
      );
    });

    it("says so when there is no such role", async () => {
      const error = await failure(getRole({ name: "none" }));
      assert.equal(error.message, 'There is no scheduler role "none" of the mount scheduler.');
    });

    it("refuses arguments that cannot be right, without a request", async () => {
      const error = await failure(getRole({ name: "", mount: "a/../b" }));
      assert.equal(
        error.message,
        "secrets.scheduler.getRole: mount must be the path of a mount, such as teams/ldap; name must not be empty.",
      );
      assert.equal(emulator.journal.count(), 0);
    });

    describe("in a program", () => {
      useMocks();

      it("takes outputs", async () => {
        emulator.secrets.addSchedulerRole({ name: "deploy", policies: ["a"] });
        const role = getRoleOutput({ name: pulumi.output("deploy") });
        assert.deepEqual(await valueOf(role.policies), ["a"]);
      });
    });
  });
}
