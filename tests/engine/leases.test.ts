import assert from "node:assert/strict";
import * as trivium from "pulumi-trivium";
import { setTimeout as sleep } from "node:timers/promises";
import { stepByStep } from "../support/step-by-step";
import { useEmulator } from "../support/use-emulator";
import { addDynamicRole, addLibrarySet } from "../secrets/directory/emulated-directory";
import { ask, hashicorp } from "../secrets/emulated-client";
import { adapters } from "./support/adapter";
import { configurationFor } from "./support/projects";
import { type Program, useSharedStack } from "./support/shared-stack";

/** Seconds that a lease lives at first: shorter than the next command takes. */
const lifetime = 3;

for (const adapter of adapters) {
  describe(`leases that others renew, with the adapter ${adapter}`, function () {
    this.timeout(180_000);
    stepByStep();

    const emulator = useEmulator({ resets: false, dialect: "hashicorp" });
    const configuration = () => ({ ...configurationFor(emulator, "secrets"), ...hashicorp });
    const stack = useSharedStack("engine-leases", configuration, { adapter });
    const { directory, scheduler } = trivium.secrets;
    const program: Program = () => {
      new directory.DynamicCredential("credential", { roleName: "reports" });
      new directory.LibraryCheckout("check-out", { setName: "operators", ttl: lifetime });
      new scheduler.Token("token", { roleName: "deploy" });
    };
    const leases = () => emulator.inspect().secrets.leases.map(({ id }) => id);
    const renew = () =>
      Promise.all(
        leases().map((lease_id) => ask(emulator, "POST", "sys/leases/renew", { lease_id, increment: 3600 })),
      );
    const issued = /\/(?:creds\/|check-out$)/;
    const requests = () => emulator.journal.requests({ service: "secrets" }).map(({ path }) => path);

    before(async () => {
      await addDynamicRole(emulator);
      await ask(emulator, "POST", "ldap/role/reports", { default_ttl: lifetime });
      await addLibrarySet(emulator, ["svc-1", "svc-2"]);
      emulator.secrets.addSchedulerRole({ name: "deploy", type: "management" });
      emulator.secrets.changeSchedulerLease({ ttl: lifetime });
    });

    const ended = /has expired \([-:.\dTZ]+\) according to state\. The update will ask the service/g;

    it("a preview of leases that have expired according to state sends no request, and announces that the update will ask the service", async () => {
      await stack.up(program);
      assert.equal(leases().length, 3);
      await renew();
      await sleep(lifetime * 1000);
      emulator.journal.clear();
      const { text } = await stack.preview(program);
      assert.deepEqual(requests(), []);
      assert.equal(text.match(ended)?.length, 3, text);
    });

    it("an update that asks the service does not replace leases that are still valid, and stores their new expiry", async () => {
      const former = leases();
      const { changes, text } = await stack.up(program);
      assert.deepEqual(changes, { update: 3 }, text);
      assert.deepEqual([leases(), requests().filter((path) => issued.test(path))], [former, []]);
      emulator.journal.clear();
      await stack.previewWithoutChanges(program);
      assert.deepEqual(requests(), []);
    });

    it("a refresh keeps leases that are still valid, and the next update changes nothing", async () => {
      await renew();
      await stack.refresh();
      assert.deepEqual((await stack.up(program)).changes, {});
    });

    it("an update replaces a lease that was revoked and that has expired according to state", async () => {
      await stack.destroy();
      await stack.up(program);
      const former = leases();
      await sleep(lifetime * 1000);
      const { changes } = await stack.up(program);
      assert.deepEqual(changes, { replace: 3 });
      assert.deepEqual([leases().length, leases().filter((id) => former.includes(id))], [3, []]);
    });

    it("destroying the stack also revokes leases that others have renewed", async () => {
      await renew();
      await sleep(lifetime * 1000);
      await stack.destroy();
      assert.deepEqual(leases(), []);
    });
  });
}
