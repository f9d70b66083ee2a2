import assert from "node:assert/strict";
import { dynamicCredentialDefinition } from "../../sdk/secrets/directory/dynamic-credential";
import { libraryCheckoutDefinition } from "../../sdk/secrets/directory/library-checkout";
import { tokenDefinition } from "../../sdk/secrets/scheduler/token";
import { lifecycleOn, FakeEngine } from "../support/fake-engine";
import type { Properties } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";
import { accountsOut, addDynamicRole, addLibrarySet } from "./directory/emulated-directory";
import { bodiesSentTo, hashicorp, textOf } from "./emulated-client";

const day = 86_400_000;
const dayBefore = (): Date => new Date(Date.now() - day);
const longAgo = (): string => new Date(Date.now() - 2 * day).toISOString();
/** Ends between the service's time and this machine's, which is a day ahead. */
const inBetween = (): string => new Date(Date.now() - day / 2).toISOString();

/** A setting of its own, so that a process shares no connection with another. */
const processMark = (): Record<string, string> => ({
  "trivium:secretsHeaders": JSON.stringify({ "x-process": String(Math.random()) }),
});

for (const [product, settings, options] of [
  ["a documented service", {}, {}],
  ["a product", hashicorp, { dialect: { secrets: "hashicorp" } }],
] as const) {
  describe(`a machine whose clock is a day ahead of that of ${product}`, () => {
    const frozenAt = dayBefore();
    const emulator = useEmulator({ ...options, frozenAt });
    const documented = product !== "a product";

    /** Created, and then in the hands of a process that has requested nothing from the service yet. */
    const created = async (
      definition: unknown,
      args: Properties,
      expiresAt?: string,
    ): Promise<FakeEngine> => {
      const first = new FakeEngine(definition, emulator, settings);
      await first.up(args);
      const { id, inputs } = first;
      const outputs = { ...first.outputs, ...(expiresAt === undefined ? {} : { expiresAt }) };
      emulator.journal.clear();
      const next = new FakeEngine(definition, emulator, { ...processMark(), ...settings });
      return Object.assign(next, { id, inputs, outputs });
    };
    const credential = async (expiresAt?: string): Promise<FakeEngine> => {
      await addDynamicRole(emulator);
      return created(dynamicCredentialDefinition, { roleName: "reports" }, expiresAt);
    };
    const checkOut = async (): Promise<FakeEngine> => {
      await addLibrarySet(emulator, ["svc-1"]);
      return created(libraryCheckoutDefinition, { setName: "operators" }, inBetween());
    };

    it("a machine a day ahead keeps a credential that has not expired, after a request for the service's time", async () => {
      const managed = await credential();
      const left = Date.parse(textOf(managed.outputs.expiresAt)) - frozenAt.getTime();
      assert.ok(Math.abs(left - 7_200_000) < 60_000, String(left));
      assert.equal(await managed.refresh(), true);
      assert.equal(emulator.journal.count(), 1);
    });

    it("a machine a day ahead keeps a check-out that lasts, and checks it in when it is destroyed", async () => {
      const managed = await checkOut();
      assert.equal(await managed.refresh(), true);
      await managed.destroy();
      assert.deepEqual(accountsOut(emulator), []);
      const revoked = documented ? [] : [{ lease_id: managed.outputs.leaseId, sync: true }];
      assert.deepEqual(bodiesSentTo(emulator, "sys/leases/revoke"), revoked);
    });

    if (documented) {
      it("a machine a day ahead plans by the service's clock once that is known, and without a request by its own", async () => {
        const { id = "", inputs, outputs } = await credential();
        const hooks = lifecycleOn(emulator, dynamicCredentialDefinition, processMark());
        const replaces = async (): Promise<unknown> => (await hooks.diff(id, outputs, inputs)).replaces;
        assert.deepEqual(await replaces(), ["expiresAt"]);
        assert.equal(emulator.journal.count(), 0);
        await hooks.read(id, outputs);
        assert.deepEqual(await replaces(), []);
      });

      it("a machine a day ahead keeps a token that has not expired, and replaces one that has", async () => {
        emulator.secrets.addSchedulerRole({ name: "ops", policies: ["read"] });
        for (const [expiresAt, exists] of [
          [inBetween(), true],
          [longAgo(), false],
        ] as const) {
          const managed = await created(tokenDefinition, { roleName: "ops" }, expiresAt);
          assert.equal(await managed.refresh(), exists);
        }
      });

      for (const status of [403, 500]) {
        it(`a machine a day ahead learns the time from a refusal (${status}) as well`, async () => {
          const managed = await credential();
          emulator.faults.add({ path: "/v1/ldap/role/:name", status, body: { errors: ["no"] } });
          assert.equal(await managed.refresh(), true);
        });
      }

      it("a machine a day ahead keeps in state what may have expired while the service does not respond", async () => {
        const managed = await credential();
        emulator.faults.add({ path: "/v1/ldap/role/:name", drop: "before" });
        await assert.rejects(managed.refresh());
      });
    } else {
      it("a machine a day ahead revokes the lease of a credential that it destroys", async () => {
        await (await credential()).destroy();
        assert.deepEqual(emulator.inspect().secrets.directoryIssuedAccounts, []);
      });

      it("a machine a day ahead destroys a credential whose lease has expired and cannot be revoked", async () => {
        const managed = await credential(longAgo());
        emulator.faults.add({ path: "/v1/sys/leases/revoke", status: 500, body: { errors: ["no"] } });
        await managed.destroy();
      });
    }
  });
}
