import assert from "node:assert/strict";
import { managedOf } from "../../../sdk/resource/state/outputs";
import { getLease, leaseDefinition } from "../../../sdk/secrets/scheduler/lease";
import { listRoles, roleDefinition } from "../../../sdk/secrets/scheduler/role";
import { type Emulator, startEmulator } from "../../../sdk/testing";
import { useEnvironment } from "../../connection/environment";
import { Managed } from "../../support/managed";
import { hashicorp, startHashicorpEmulator } from "../hashicorp-service";

describe("the usual mount of the scheduler engine", () => {
  for (const [dialect, settings, start, usual] of [
    ["documented", {}, () => startEmulator(), "scheduler"],
    ["hashicorp", hashicorp, () => startHashicorpEmulator(), "nomad"],
  ] as const) {
    describe(`of the ${dialect} dialect`, () => {
      let emulator: Emulator;

      before(async () => {
        emulator = await start();
      });
      after(async () => emulator.close());
      beforeEach(() => emulator.reset());
      useEnvironment(() => ({
        SECRETS_ADDR: emulator.secrets.address,
        SECRETS_TOKEN: emulator.secrets.token,
        SECRETS_DIALECT: dialect,
      }));
      const managed = (definition: unknown): Managed => new Managed(definition, emulator, settings);

      it("is meant by resources and functions that name none", async () => {
        const lease = managed(leaseDefinition);
        await lease.up({ ttl: "1h" });
        const role = managed(roleDefinition);
        await role.up({ name: "ops", policies: ["read"] });
        assert.deepEqual([lease.id, role.id, role.outputs.mount], [usual, `${usual}/ops`, usual]);
        // The program has not said it, so it is no input: neither a plan nor a change of the dialect shows it.
        assert.deepEqual(Object.keys(lease.inputs), ["ttl"]);
        assert.deepEqual([(await getLease()).mount, (await listRoles()).names], [usual, ["ops"]]);
        assert.equal(await role.up({ name: "ops", policies: ["read"], mount: usual }), "updated");
        assert.deepEqual(emulator.journal.count({ method: "POST" }), 2);
      });

      it("is where an object goes whose mount the program no longer names", async () => {
        emulator.secrets.addMount({ type: "scheduler", path: "teams/eu" });
        const lease = managed(leaseDefinition);
        await lease.up({ ttl: "1h", mount: "teams/eu" });
        assert.equal(await lease.up({ ttl: "1h" }), "replaced");
        assert.equal(lease.id, usual);
        assert.equal(await lease.up({ ttl: "1h" }), "same");
      });

      it("does not move an object that was made when another one was usual", async () => {
        emulator.secrets.addMount({ type: "scheduler", path: "former" });
        const lease = managed(leaseDefinition);
        await lease.up({ ttl: "1h", mount: "former" });
        const { mount, ...others } = { ...managedOf(leaseDefinition, lease.outputs) };
        assert.equal(mount, 1);
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
});
