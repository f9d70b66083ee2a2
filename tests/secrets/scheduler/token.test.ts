import assert from "node:assert/strict";
import { PartialSuccessError } from "../../../sdk/engine/calls";
import { getCredentials, tokenDefinition } from "../../../sdk/secrets/scheduler/token";
import { inClear } from "../../support/values";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { mayRead } from "../../testing/scheduler/subscribe";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";

const path = "/v1/scheduler/creds/:name";
const hour = 3_600_000;

describe("secrets.scheduler.Token", () => {
  const emulator = useEmulator();
  beforeEach(() => {
    emulator.secrets.addSchedulerRole({ name: "ops", type: "management" });
    emulator.secrets.changeSchedulerLease({ ttl: 3_600 });
  });

  const textOf = ({ outputs }: Managed, name: string): string => {
    const value = outputs[name];
    assert.ok(typeof value === "string", name);
    return value;
  };
  const issued = () => emulator.inspect().scheduler.aclTokens;
  const asked = (): number => emulator.journal.count({ path });
  const manage = async (args: Properties = {}, settings?: Record<string, string>): Promise<Managed> => {
    const managed = new Managed(tokenDefinition, emulator, settings);
    await managed.up({ roleName: "ops", ...args });
    return managed;
  };
  /** Answers as the service does, but without a lease. */
  const withoutLease = (): void => {
    emulator.faults.add({
      path,
      status: 200,
      body: { data: { accessor_id: "a-1", secret_id: "secret-1" }, lease_id: "", lease_duration: 0 },
    });
  };

  it("is issued once and used again in later runs", async () => {
    const before = Date.now();
    const managed = await manage();
    const { id, outputs } = managed;
    const [token] = issued();
    assert.equal(id, token?.accessorId);
    assert.deepEqual([outputs.accessorId, outputs.secretId], [token?.accessorId, token?.secretId]);
    assert.match(textOf(managed, "leaseId"), /^scheduler\/creds\/ops\//);
    const expiry = Date.parse(textOf(managed, "expiresAt"));
    assert.ok(expiry >= before + hour && expiry <= Date.now() + hour);
    assert.equal(await managed.up({ roleName: "ops" }), "same");
    assert.equal(await managed.refresh(), true);
    assert.equal(await managed.up({ roleName: "ops" }), "same");
    assert.equal(managed.outputs.secretId, token?.secretId);
    assert.equal(emulator.journal.count(), 1, "nothing but the one request was made");
    assert.equal(await mayRead(emulator, textOf(managed, "secretId")), 200);
  });

  it("is replaced when it has ended, by the clock alone and after a refresh", async () => {
    for (const refreshed of [false, true]) {
      const managed = await manage();
      const former = managed.id;
      managed.outputs = { ...managed.outputs, expiresAt: new Date(Date.now() - 1).toISOString() };
      if (refreshed) {
        assert.equal(await managed.refresh(), false);
      }
      assert.equal(await managed.up({ roleName: "ops" }), refreshed ? "created" : "replaced");
      assert.notEqual(managed.id, former);
    }
    assert.equal(issued().length, 4, "replacement revokes nothing: the leases do");
  });

  it("is replaced when less than renewBefore is left, and not before", async () => {
    const managed = await manage({ renewBefore: "59m" });
    assert.equal(await managed.up({ roleName: "ops", renewBefore: "59m" }), "same");
    assert.equal(await managed.up({ roleName: "ops", renewBefore: 60 }), "updated");
    assert.equal(asked(), 1, "a change of renewBefore alone makes no request");
    assert.equal(await managed.up({ roleName: "ops", renewBefore: "61m" }), "replaced");
    assert.equal(asked(), 2);
  });

  it("ends as the lease configuration says when the response does not", async () => {
    withoutLease();
    const before = Date.now();
    const managed = await manage();
    const expiry = Date.parse(textOf(managed, "expiresAt"));
    assert.ok(expiry >= before + hour && expiry <= Date.now() + hour);
    assert.equal(managed.outputs.leaseId, "");
  });

  for (const [what, configure] of [
    ["there is no lease configuration", () => emulator.secrets.removeSchedulerLease()],
    ["the lease configuration says 0", () => emulator.secrets.changeSchedulerLease({ ttl: 0 })],
  ] as const) {
    it(`never ends when the response does not say, and ${what}`, async () => {
      withoutLease();
      configure();
      const managed = await manage();
      assert.equal(managed.outputs.expiresAt, null);
      assert.equal(await managed.refresh(), true);
      assert.equal(await managed.up({ roleName: "ops", renewBefore: "100d" }), "updated");
      assert.equal(asked(), 1);
    });
  }

  it("is kept when nobody can say how long it lives, and completed by the next run", async () => {
    withoutLease();
    emulator.faults.add({ path: "/v1/scheduler/config/lease", status: 403, body: { errors: ["no"] } });
    const managed = new Managed(tokenDefinition, emulator);
    await assert.rejects(managed.up({ roleName: "ops" }), (error: unknown) => {
      assert.ok(error instanceof PartialSuccessError);
      assert.match(error.message, /was written, but reading it back failed/);
      assert.ok(!error.message.includes("secret-1"));
      managed.id = error.id;
      managed.outputs = inClear(error.properties);
      return true;
    });
    assert.deepEqual([managed.id, managed.outputs.secretId], ["a-1", "secret-1"]);
    assert.equal(await managed.refresh(), true);
    assert.ok(Date.parse(textOf(managed, "expiresAt")) <= Date.now() + hour);
    assert.equal(await managed.up({ roleName: "ops" }), "same");
    assert.equal(asked(), 1);
  });

  it("makes no request when it is destroyed: its lease ends it", async () => {
    const managed = await manage();
    const secret = textOf(managed, "secretId");
    emulator.journal.clear();
    await managed.destroy();
    assert.equal(emulator.journal.count(), 0);
    assert.equal(await mayRead(emulator, secret), 200);
    emulator.advance("1h");
    assert.equal(await mayRead(emulator, secret), 403);
  });

  it("says so when there is no such role", async () => {
    await assert.rejects(manage({ roleName: "none" }), (error: Error) => {
      assert.match(error.message, /issue a token of the scheduler role "none" of the mount scheduler: /);
      assert.match(error.message, /role "none" not found/);
      assert.ok(!/may nevertheless have been issued/.test(error.message));
      return true;
    });
  });

  for (const [what, fault] of [
    ["is lost", { drop: "after" }],
    ["is cut off", { truncate: true }],
    ["is a 502 of a proxy", { status: 502, when: "after" }],
    ["is not as documented", { status: 200, when: "after", body: { data: { accessor_id: "a" } } }],
  ] as const) {
    it(`is never requested again when the response ${what}; the error says what may exist`, async () => {
      emulator.faults.add({ path, ...fault });
      const retries = { "trivium:secretsMaxRetries": "3" };
      await assert.rejects(manage({}, retries), (error: Error) => {
        assert.match(
          error.message,
          /A token of the scheduler role "ops" of the mount scheduler may nevertheless have been issued/,
        );
        assert.match(error.message, /revoked when its lease expires.*next update issues another token/);
        return true;
      });
      assert.equal(asked(), 1);
      assert.equal(issued().length, 1);
    });
  }
});

describe("secrets.scheduler.getCredentials", () => {
  const emulator = useEmulator();
  useEnvironment(() => emulator.environment);
  beforeEach(() => {
    emulator.secrets.addSchedulerRole({ name: "ops", type: "management" });
  });
  const issued = () => emulator.inspect().scheduler.aclTokens;

  it("has a token issued, another one at each call", async () => {
    emulator.secrets.changeSchedulerLease({ ttl: 60 });
    const first = await getCredentials({ name: "ops" });
    const second = await getCredentials({ name: "ops" });
    assert.deepEqual(
      [first, second].map(({ accessorId, secretId }) => [accessorId, secretId]),
      issued().map(({ accessorId, secretId }) => [accessorId, secretId]),
    );
    assert.deepEqual([first.leaseId, first.leaseDuration], [emulator.inspect().secrets.leases[0]?.id, 60]);
    assert.equal(await mayRead(emulator, first.secretId), 200);
  });

  it("needs a role", async () => {
    const error = await failure(getCredentials({ name: "none" }));
    assert.match(error.message, /role "none" not found/);
    assert.equal(error.mayHaveBeenProcessed, false);
  });
});
