import assert from "node:assert/strict";
import { getCredentials, tokenDefinition } from "../../../sdk/secrets/scheduler/token";
import { failure } from "../../http/calls";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { mayRead } from "../../testing/scheduler/subscribe";
import { textOf, useSecrets } from "../emulated-client";

const path = "/v1/scheduler/creds/:name";
const hour = 3_600_000;

describe("secrets.scheduler.Token", () => {
  const emulator = useSecrets();
  beforeEach(() => {
    emulator.secrets.addSchedulerRole({ name: "ops", type: "management" });
    emulator.secrets.changeSchedulerLease({ ttl: 3_600 });
  });

  const issued = () => emulator.inspect().scheduler.aclTokens;
  const requested = (): number => emulator.journal.count({ path });
  const manage = (args: Properties = {}) =>
    FakeEngine.create(tokenDefinition, emulator, { roleName: "ops", ...args });
  const assertExpiresInAnHour = ({ outputs }: FakeEngine): void => {
    const left = Date.parse(textOf(outputs.expiresAt)) - Date.now();
    assert.ok(left <= hour && left > hour - 60_000, String(left));
  };
  /** The response has no lease. */
  const respondWithoutLease = (): void => {
    const body = { data: { accessor_id: "a-1", secret_id: "secret-1" }, lease_id: "", lease_duration: 0 };
    emulator.faults.add({ path, status: 200, body });
  };

  it("a scheduler token is issued once and used again in later runs", async () => {
    const managed = await manage();
    const { accessorId, secretId, leaseId } = managed.outputs;
    const [token = assert.fail()] = issued();
    assert.deepEqual({ accessorId, secretId }, { accessorId: managed.id, secretId: token.secretId });
    assert.equal(managed.id, token.accessorId);
    assert.match(textOf(leaseId), /^scheduler\/creds\/ops\//);
    assertExpiresInAnHour(managed);
    assert.equal(await managed.refresh(), true);
    assert.equal(await managed.up({ roleName: "ops" }), "same");
    assert.deepEqual([managed.outputs.secretId, emulator.journal.count()], [secretId, 1]);
    assert.equal(await mayRead(emulator, textOf(secretId)), 200);
  });

  it("a scheduler token is replaced when it has expired, by the clock or after a refresh", async () => {
    for (const refreshed of [false, true]) {
      const managed = await manage();
      const former = managed.id;
      managed.outputs = { ...managed.outputs, expiresAt: new Date(Date.now() - 1).toISOString() };
      assert.ok(!refreshed || !(await managed.refresh()));
      assert.equal(await managed.up({ roleName: "ops" }), refreshed ? "created" : "replaced");
      assert.notEqual(managed.id, former);
    }
    assert.equal(issued().length, 4, "a replacement revokes nothing: the leases do");
  });

  it("a scheduler token expires according to the lease configuration if the response does not contain a duration", async () => {
    respondWithoutLease();
    const managed = await manage();
    assertExpiresInAnHour(managed);
    assert.equal(managed.outputs.leaseId, "");
  });

  for (const ttl of [undefined, 0]) {
    it(`a scheduler token never expires if the response does not contain a duration and the lease configuration has the TTL ${ttl}`, async () => {
      respondWithoutLease();
      emulator.secrets.removeSchedulerLease();
      if (ttl !== undefined) {
        emulator.secrets.changeSchedulerLease({ ttl });
      }
      const managed = await manage();
      assert.equal(managed.outputs.expiresAt, null);
      assert.equal(await managed.refresh(), true);
      assert.equal(await managed.up({ roleName: "ops", renewBefore: "100d" }), "updated");
      assert.equal(requested(), 1);
    });
  }

  it("a scheduler token is kept when its lifetime cannot be read, and completed by the next run", async () => {
    respondWithoutLease();
    emulator.faults.add({ path: "/v1/scheduler/config/lease", status: 403, body: { errors: ["no"] } });
    const managed = new FakeEngine(tokenDefinition, emulator);
    const message = /^(?!.*secret-1).*was written, but reading it back failed/;
    await assert.rejects(managed.up({ roleName: "ops" }), { message });
    assert.deepEqual([managed.id, managed.outputs.secretId], ["a-1", "secret-1"]);
    assert.equal(await managed.refresh(), true);
    assertExpiresInAnHour(managed);
    assert.equal(await managed.up({ roleName: "ops" }), "same");
    assert.equal(requested(), 1);
  });

  it("a scheduler token is not issued for a role that does not exist, by the resource or the function", async () => {
    const notFound =
      /issue a token of the scheduler role "none" of the mount scheduler: .*role "none" not found(?!.*nevertheless)/;
    await assert.rejects(manage({ roleName: "none" }), { message: notFound });
    const error = await failure(getCredentials({ name: "none" }));
    assert.match(error.message, notFound);
    assert.equal(error.mayHaveBeenProcessed, false);
  });

  it("the error for a lost response says which token might exist", async () => {
    emulator.faults.add({ path, drop: "after" });
    const message =
      /A token of the scheduler role "ops" of the mount scheduler might still have been issued.* revoked when its lease expires.*next update issues another token/;
    await assert.rejects(manage(), { message });
    assert.deepEqual([requested(), issued().length], [1, 1]);
  });

  it("getCredentials issues another token with each call", async () => {
    const tokens = [await getCredentials({ name: "ops" }), await getCredentials({ name: "ops" })];
    const { leases } = emulator.inspect().secrets;
    const expected = issued().map(({ accessorId, secretId }, index) => ({
      accessorId,
      secretId,
      leaseId: leases[index]?.id,
      leaseDuration: 3_600,
    }));
    assert.deepEqual(tokens, expected);
  });
});
