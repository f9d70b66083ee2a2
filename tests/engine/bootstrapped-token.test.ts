import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { ask, hashicorp } from "../secrets/emulated-client";
import { stepByStep } from "../support/step-by-step";
import { useEmulator } from "../support/use-emulator";
import { adapters, typeWith } from "./support/adapter";
import { configurationFor, failureOf } from "./support/projects";
import { type Program, useSharedStack } from "./support/shared-stack";

type Args = trivium.secrets.scheduler.AccessArgs;

for (const adapter of adapters) {
  describe(`a management token that only the service has, with the adapter ${adapter}`, function () {
    this.timeout(180_000);
    stepByStep();

    const emulator = useEmulator({ resets: false, dialect: "hashicorp" });
    const configuration = () => ({ ...configurationFor(emulator, "secrets"), ...hashicorp });
    const stack = useSharedStack("engine-bootstrapped", configuration, { adapter });
    const program =
      (more: Partial<Args> = {}): Program =>
      () => {
        const { address } = emulator.scheduler;
        new trivium.secrets.scheduler.Access("access", { address, bootstrap: true, ...more });
      };
    const refusal = /contains the only copy of the management token[^]*allow the loss with forgetToken: true/;
    const deletions = () => emulator.journal.requests({ method: "DELETE" }).length;
    const other = "teams/eu/scheduler";

    it("a preview and an update do not replace the configuration, and a replacement in place keeps the token", async () => {
      emulator.secrets.addMount({ type: "scheduler", path: other });
      await stack.up(program());
      const replace = await stack.urns(typeWith(adapter, "secrets/scheduler:Access"));
      const [configured] = emulator.inspect().secrets.schedulerAccess;
      emulator.journal.clear();
      assert.match(await failureOf(stack.preview(program({ mount: other }))), refusal);
      assert.match(await failureOf(stack.up(program({ mount: other }))), refusal);
      assert.deepEqual((await stack.up(program(), { replace })).changes, { replace: 1 });
      assert.equal(deletions(), 0);
      assert.deepEqual(emulator.inspect().secrets.schedulerAccess, [configured]);
    });

    it("neither destroying the stack nor removing the resource from the program deletes it", async () => {
      assert.match(await failureOf(stack.destroy()), refusal);
      assert.match(await failureOf(stack.up(() => undefined)), refusal);
      assert.equal(deletions(), 0);
      await stack.previewWithoutChanges(program());
    });

    it("a token that the service has issued can still be revoked", async () => {
      await ask(emulator, "POST", "nomad/role/deploy", { type: "management" });
      await ask(emulator, "GET", "nomad/creds/deploy");
      const [lease] = emulator.inspect().secrets.leases;
      await ask(emulator, "POST", "sys/leases/revoke", { lease_id: lease?.id, sync: true });
      const [bootstrapped, ...others] = emulator.inspect().scheduler.aclTokens;
      assert.deepEqual([bootstrapped?.name, others], ["Bootstrap Token", []]);
    });

    it("the configuration is deleted once the program allows the loss", async () => {
      await stack.up(program({ forgetToken: true }));
      await stack.destroy();
      assert.equal(deletions(), 1);
    });
  });
}
