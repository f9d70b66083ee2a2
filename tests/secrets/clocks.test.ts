import assert from "node:assert/strict";
import { dynamicCredentialDefinition } from "../../sdk/secrets/directory/dynamic-credential";
import { libraryCheckoutDefinition } from "../../sdk/secrets/directory/library-checkout";
import { FakeEngine, lifecycleOn } from "../support/fake-engine";
import type { Properties } from "../support/provider-process";
import { accountsOut, addDynamicRole, addLibrarySet, issuedAccounts } from "./directory/emulated-directory";
import { bodiesSentTo, textOf, useSecrets } from "./emulated-client";

const day = 86_400_000;
const daysAgo = (days: number): string => new Date(Date.now() - days * day).toISOString();
const longAgo = (): string => daysAgo(2);
/** Ends between the service's time and this machine's, which is a day ahead. */
const inBetween = (): string => daysAgo(0.5);

/** A setting of its own, so that a process shares no connection with another. */
const processMark = (): Record<string, string> => ({
  "trivium:secretsHeaders": JSON.stringify({ "x-process": String(Math.random()) }),
});

for (const dialect of ["documented", "hashicorp"] as const) {
  describe(`a machine whose clock is a day ahead of that of a service of the ${dialect} dialect`, () => {
    const frozenAt = new Date(Date.now() - day);
    const emulator = useSecrets({ dialect: { secrets: dialect }, frozenAt });

    /** Created, and then in the hands of a process that has requested nothing from the service yet. */
    const created = async (
      definition: unknown,
      args: Properties,
      expiresAt?: string,
    ): Promise<FakeEngine> => {
      const { id, inputs, outputs } = await FakeEngine.create(definition, emulator, args);
      emulator.journal.clear();
      const next = new FakeEngine(definition, emulator, processMark());
      return Object.assign(next, { id, inputs, outputs: { ...outputs, ...(expiresAt && { expiresAt }) } });
    };
    const credential = async (expiresAt?: string): Promise<FakeEngine> => {
      await addDynamicRole(emulator);
      return created(dynamicCredentialDefinition, { roleName: "reports" }, expiresAt);
    };

    it("a machine a day ahead keeps a credential that has not expired, after a request for the service's time", async () => {
      const managed = await credential();
      const left = Date.parse(textOf(managed.outputs.expiresAt)) - frozenAt.getTime();
      assert.ok(Math.abs(left - 7_200_000) < 60_000, String(left));
      assert.equal(await managed.refresh(), true);
      assert.equal(emulator.journal.count(), 1);
    });

    it("a machine a day ahead keeps a check-out that has not expired, and checks it in when it is destroyed", async () => {
      await addLibrarySet(emulator, ["svc-1"]);
      const managed = await created(libraryCheckoutDefinition, { setName: "operators" }, inBetween());
      assert.equal(await managed.refresh(), true);
      await managed.destroy();
      assert.deepEqual(accountsOut(emulator), []);
      const revoked = dialect === "documented" ? [] : [{ lease_id: managed.outputs.leaseId, sync: true }];
      assert.deepEqual(bodiesSentTo(emulator, "sys/leases/revoke"), revoked);
    });

    if (dialect === "documented") {
      it("a machine a day ahead plans by the service's clock once it is known, and by its own clock before the first request", async () => {
        const { id = "", inputs, outputs } = await credential();
        const hooks = lifecycleOn(emulator, dynamicCredentialDefinition, processMark());
        const replaces = async (): Promise<unknown> => (await hooks.diff(id, outputs, inputs)).replaces;
        assert.deepEqual(await replaces(), ["expiresAt"]);
        assert.equal(emulator.journal.count(), 0);
        await hooks.read(id, outputs);
        assert.deepEqual(await replaces(), []);
      });

      for (const fault of [{ status: 403 }, { status: 500 }, { drop: "before" }] as const) {
        it(`a machine a day ahead also learns the time from a rejection, and keeps credentials in state that might have expired: ${JSON.stringify(fault)}`, async () => {
          const managed = await credential();
          emulator.faults.add({ path: "/v1/ldap/role/:name", ...fault });
          await ("drop" in fault ? assert.rejects(managed.refresh()) : managed.refresh());
          assert.notEqual(managed.id, undefined);
        });
      }
    } else {
      it("a machine a day ahead revokes the lease of a credential that it destroys", async () => {
        await (await credential()).destroy();
        assert.deepEqual(issuedAccounts(emulator), []);
      });

      it("a machine a day ahead destroys a credential whose lease has expired and cannot be revoked", async () => {
        const managed = await credential(longAgo());
        emulator.secrets.revokeLease(textOf(managed.outputs.leaseId));
        emulator.faults.add({ path: "/v1/sys/leases/revoke", status: 500, body: { errors: ["no"] } });
        await managed.destroy();
      });
    }
  });
}
