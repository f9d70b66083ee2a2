import assert from "node:assert/strict";
import { dynamicCredentialDefinition } from "../../sdk/secrets/directory/dynamic-credential";
import { libraryCheckoutDefinition } from "../../sdk/secrets/directory/library-checkout";
import { roleDefinition } from "../../sdk/secrets/scheduler/role";
import { tokenDefinition } from "../../sdk/secrets/scheduler/token";
import type { Emulator } from "../../sdk/testing";
import { lifecycleOn, Managed } from "../support/managed";
import type { Properties } from "../support/provider-process";
import { useEmulator } from "../support/use-emulator";
import { accountsOut, addDynamicRole, addLibrarySet } from "./directory/emulated-directory";
import {
  bodiesSentTo,
  hashicorp,
  makeDirectory,
  makeDynamicRole,
  makeLibrarySet,
  textOf,
} from "./hashicorp-service";

const day = 86_400_000;
const dayBefore = (): Date => new Date(Date.now() - day);
/** Ends between the service's time and this machine's, which is a day ahead. */
const inBetween = (): string => new Date(Date.now() - day / 2).toISOString();

/** A setting of its own, so that a process shares no connection with another. */
const processMark = (): Record<string, string> => ({
  "trivium:secretsHeaders": JSON.stringify({ "x-process": String(Math.random()) }),
});

/** A process of a machine whose clock is a day ahead of the service's, which it has not asked for anything yet. */
function seenAnew(
  definition: unknown,
  emulator: Emulator,
  known: Managed,
  settings: Properties = {},
): Managed {
  return Object.assign(
    new Managed(definition, emulator, {
      ...processMark(),
      ...(settings as Record<string, string>),
    }),
    { id: known.id, inputs: known.inputs, outputs: known.outputs },
  );
}

describe("a machine whose clock is a day ahead", () => {
  const made = async (
    emulator: Emulator,
    definition: unknown,
    args: Properties,
    settings: Record<string, string> = {},
  ): Promise<Managed> => {
    const first = new Managed(definition, emulator, settings);
    await first.up(args);
    return first;
  };

  describe("beside a documented service", () => {
    const frozenAt = dayBefore();
    const emulator = useEmulator({ frozenAt });

    it("notes the end of what it has issued by the service's clock", async () => {
      await addDynamicRole(emulator);
      const { outputs } = await made(emulator, dynamicCredentialDefinition, { roleName: "reports" });
      const left = Date.parse(textOf(outputs.expiresAt)) - frozenAt.getTime();
      assert.ok(Math.abs(left - 7_200_000) < 60_000, textOf(outputs.expiresAt));
    });

    it("keeps a credential that lives on, after it has asked the service for its time", async () => {
      await addDynamicRole(emulator);
      const first = await made(emulator, dynamicCredentialDefinition, { roleName: "reports" });
      const next = seenAnew(dynamicCredentialDefinition, emulator, first);
      emulator.journal.clear();
      assert.equal(await next.refresh(), true);
      assert.equal(emulator.journal.count(), 1);
    });

    it("plans by the service's clock once that is known, and without a request by its own", async () => {
      await addDynamicRole(emulator);
      const { id, inputs, outputs } = await made(emulator, dynamicCredentialDefinition, {
        roleName: "reports",
      });
      const hooks = lifecycleOn(emulator, dynamicCredentialDefinition, processMark());
      const replaces = async (): Promise<unknown> => (await hooks.diff(id ?? "", outputs, inputs)).replaces;
      emulator.journal.clear();
      assert.deepEqual(await replaces(), ["expiresAt"]);
      assert.equal(emulator.journal.count(), 0);
      await hooks.read(id ?? "", outputs);
      assert.deepEqual(await replaces(), []);
    });

    it("keeps a token that lives on", async () => {
      await made(emulator, roleDefinition, { name: "ops", policies: ["read"] });
      const first = await made(emulator, tokenDefinition, { roleName: "ops" });
      first.outputs = { ...first.outputs, expiresAt: inBetween() };
      assert.equal(await seenAnew(tokenDefinition, emulator, first).refresh(), true);
      first.outputs = { ...first.outputs, expiresAt: new Date(Date.now() - 2 * day).toISOString() };
      assert.equal(await seenAnew(tokenDefinition, emulator, first).refresh(), false);
    });

    for (const status of [403, 500]) {
      it(`learns the time from a refusal (${status}) as well`, async () => {
        await addDynamicRole(emulator);
        const first = await made(emulator, dynamicCredentialDefinition, { roleName: "reports" });
        emulator.faults.add({ path: "/v1/ldap/role/:name", status, body: { errors: ["no"] } });
        assert.equal(await seenAnew(dynamicCredentialDefinition, emulator, first).refresh(), true);
      });
    }

    it("keeps in state what may have ended while the service cannot be asked", async () => {
      await addDynamicRole(emulator);
      const first = await made(emulator, dynamicCredentialDefinition, { roleName: "reports" });
      emulator.faults.add({ path: "/v1/ldap/role/:name", drop: "before" });
      await assert.rejects(seenAnew(dynamicCredentialDefinition, emulator, first).refresh());
    });

    it("keeps a check-out that lasts, and checks it in when it is destroyed", async () => {
      await addLibrarySet(emulator, ["svc-1"]);
      const first = await made(emulator, libraryCheckoutDefinition, { setName: "operators" });
      first.outputs = { ...first.outputs, expiresAt: inBetween() };
      assert.equal(await seenAnew(libraryCheckoutDefinition, emulator, first).refresh(), true);
      await seenAnew(libraryCheckoutDefinition, emulator, first).destroy();
      assert.deepEqual(accountsOut(emulator), []);
    });
  });

  describe("beside a product", () => {
    const emulator = useEmulator({ dialect: { secrets: "hashicorp" }, frozenAt: dayBefore() });

    it("revokes the lease of a credential that it destroys", async () => {
      await makeDirectory(emulator);
      await makeDynamicRole(emulator);
      const first = await made(emulator, dynamicCredentialDefinition, { roleName: "reports" }, hashicorp);
      await seenAnew(dynamicCredentialDefinition, emulator, first, hashicorp).destroy();
      assert.deepEqual(emulator.inspect().secrets.directoryIssuedAccounts, []);
    });

    it("revokes the lease of a check-out that it destroys, once the account is checked in", async () => {
      await makeLibrarySet(emulator, ["svc-1"]);
      const first = await made(emulator, libraryCheckoutDefinition, { setName: "operators" }, hashicorp);
      first.outputs = { ...first.outputs, expiresAt: inBetween() };
      await seenAnew(libraryCheckoutDefinition, emulator, first, hashicorp).destroy();
      assert.deepEqual(accountsOut(emulator), []);
      assert.deepEqual(bodiesSentTo(emulator, "sys/leases/revoke"), [
        { lease_id: first.outputs.leaseId, sync: true },
      ]);
    });

    it("is not stopped by a lease that has really ended and cannot be revoked", async () => {
      await makeDirectory(emulator);
      await makeDynamicRole(emulator);
      const first = await made(emulator, dynamicCredentialDefinition, { roleName: "reports" }, hashicorp);
      first.outputs = { ...first.outputs, expiresAt: new Date(Date.now() - 2 * day).toISOString() };
      emulator.faults.add({ path: "/v1/sys/leases/revoke", status: 500, body: { errors: ["no"] } });
      await seenAnew(dynamicCredentialDefinition, emulator, first, hashicorp).destroy();
    });
  });
});
