import assert from "node:assert/strict";
import { decodeEntry } from "../../../sdk/resource/state/encoding";
import { getLease, leaseDefinition } from "../../../sdk/secrets/scheduler/lease";
import { FakeEngine } from "../../support/fake-engine";
import { useSecrets } from "../emulated-client";

for (const [dialect, usual] of [
  ["documented", "scheduler"],
  ["hashicorp", "nomad"],
] as const) {
  describe(`the usual mount of the scheduler engine in the ${dialect} dialect`, () => {
    const emulator = useSecrets({ dialect: { secrets: dialect } });
    const managed = () => new FakeEngine(leaseDefinition, emulator);

    it("the usual mount is the default for resources and functions", async () => {
      const lease = managed();
      await lease.up({ ttl: "1h" });
      assert.deepEqual([lease.id, lease.outputs.mount, (await getLease()).mount], [usual, usual, usual]);
      // The program has not given it, so it is no input: neither a plan nor a change of the dialect shows it.
      assert.deepEqual(Object.keys(lease.inputs), ["ttl"]);
      assert.equal(await lease.up({ ttl: "1h", mount: usual }), "updated");
      assert.equal(emulator.journal.count({ method: "POST" }), 1);
    });

    it("a resource whose mount the program no longer sets gets an object on the usual mount", async () => {
      emulator.secrets.addMount({ type: "scheduler", path: "teams/eu" });
      const lease = managed();
      await lease.up({ ttl: "1h", mount: "teams/eu" });
      assert.equal(await lease.up({ ttl: "1h" }), "replaced");
      assert.equal(lease.id, usual);
    });

    it("the usual mount does not affect an object that was created when another mount was usual", async () => {
      emulator.secrets.addMount({ type: "scheduler", path: "former" });
      const lease = managed();
      await lease.up({ ttl: "1h", mount: "former" });
      const { mount, ...others } = { ...decodeEntry(lease.outputs).managed };
      assert.equal(mount, true);
      lease.outputs = { ...lease.outputs, __managed: others };
      lease.inputs = { ttl: "1h" };

      assert.equal(await lease.up({ ttl: "1h" }), "same");
      assert.equal(await lease.refresh(), true);
      assert.equal(await lease.up({ ttl: "2h" }), "updated");
      assert.deepEqual([lease.id, lease.outputs.mount], ["former", "former"]);
      await lease.destroy();
      assert.deepEqual(emulator.inspect().secrets.schedulerLeases, []);
    });
  });
}
