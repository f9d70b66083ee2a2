import assert from "node:assert/strict";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../../../sdk/testing";
import { at, call, textAt, type Reply } from "../../call";
import { mayRead, subscribe } from "../../scheduler/subscribe";
import { assertRefused, numbered } from "../refusals";

const start = new Date("2027-03-01T12:00:00.000Z");

describe("the emulated scheduler engine's credentials", () => {
  let emulator: Emulator;
  const begin = async (options: EmulatorOptions = {}): Promise<void> => {
    emulator = await startEmulator({ frozenAt: start, ...options });
  };
  beforeEach(async () => begin());
  afterEach(async () => emulator.close());

  const ask = async (name = "r", mount = "scheduler"): Promise<Reply> =>
    call(emulator, "secrets", "GET", `/v1/${mount}/creds/${name}`);
  const issue = async (name?: string, mount?: string) => {
    const { status, body } = await ask(name, mount);
    assert.equal(status, 200);
    return {
      accessorId: textAt(body, "data", "accessor_id"),
      secretId: textAt(body, "data", "secret_id"),
      leaseId: textAt(body, "lease_id"),
      renewable: at(body, "renewable"),
      duration: at(body, "lease_duration"),
    };
  };
  const events = () => emulator.inspect().scheduler.frames.flatMap(({ Events }) => Events);

  it("are another token of the scheduler at each request, with a lease", async () => {
    emulator.secrets.addSchedulerRole({ name: "r", policies: ["a", "b"], global: true });
    const [first, second] = [await issue(), await issue()];
    assert.notEqual(first.accessorId, second.accessorId);
    assert.notEqual(first.secretId, second.secretId);
    assert.match(first.leaseId, /^scheduler\/creds\/r\/[A-Za-z0-9]{24}$/);
    assert.deepEqual([first.renewable, first.duration], [true, 2_764_800]);
    const { aclTokens } = emulator.inspect().scheduler;
    assert.deepEqual(aclTokens[0], {
      accessorId: first.accessorId,
      secretId: first.secretId,
      name: `secrets-r-root-${start.getTime()}000000`,
      type: "client",
      policies: ["a", "b"],
      global: true,
      createdAt: start.toISOString(),
    });
    assert.equal(aclTokens.length, 2);
    assert.equal(emulator.inspect().secrets.leases.length, 2);
  });

  it("appear in the event stream, without what gives access", async () => {
    emulator.secrets.addSchedulerRole({ name: "r", type: "management" });
    const { accessorId, secretId } = await issue();
    assert.deepEqual(events(), [
      {
        Topic: "ACLToken",
        Type: "ACLTokenUpserted",
        Key: accessorId,
        Namespace: "",
        FilterKeys: null,
        Index: 1,
        Payload: {
          ACLToken: {
            AccessorID: accessorId,
            SecretID: "",
            Name: `secrets-r-root-${start.getTime()}000000`,
            Type: "management",
            Policies: [],
            Roles: [],
            Global: false,
            CreateTime: start.toISOString(),
            ExpirationTime: null,
            ExpirationTTL: "",
            CreateIndex: 1,
            ModifyIndex: 1,
          },
        },
      },
    ]);
    assert.ok(!JSON.stringify(events()).includes(secretId));
  });

  it("are accepted by the scheduler until their lease ends; then that is an event too", async () => {
    emulator.secrets.addSchedulerRole({ name: "r", type: "management" });
    emulator.secrets.changeSchedulerLease({ ttl: 60 });
    const { accessorId, secretId, duration } = await issue();
    assert.equal(duration, 60);
    assert.equal(await mayRead(emulator, secretId), 200);
    emulator.advance("59s");
    const open = await subscribe(emulator, secretId);
    assert.equal(open.status, 200);
    emulator.advance("1s");
    await open.ended;
    assert.equal(await mayRead(emulator, secretId), 403);
    const deleted = events().at(-1);
    assert.deepEqual([deleted?.Type, deleted?.Key, deleted?.Index], ["ACLTokenDeleted", accessorId, 2]);
    assert.deepEqual(
      [at(deleted?.Payload, "ACLToken", "SecretID"), at(deleted?.Payload, "ACLToken", "CreateIndex")],
      ["", 1],
    );
    assert.deepEqual(emulator.inspect().scheduler.aclTokens, []);
    assert.deepEqual(emulator.inspect().secrets.leases, []);
  });

  it("end with their lease and their mount, and an early end in the scheduler is no harm", async () => {
    emulator.secrets.addMount({ type: "scheduler", path: "teams/eu" });
    emulator.secrets.addSchedulerRole({ name: "r", type: "management" });
    emulator.secrets.addSchedulerRole({ name: "r", type: "management" }, "teams/eu");
    const [byLease, byHand] = [await issue(), await issue()];
    const byMount = await issue("r", "teams/eu");
    assert.match(byMount.leaseId, /^teams\/eu\/creds\/r\//);
    emulator.secrets.revokeLease(byLease.leaseId);
    emulator.scheduler.revokeToken(byHand.secretId);
    emulator.secrets.removeMount("teams/eu");
    emulator.advance("800h");
    assert.deepEqual(
      events()
        .filter(({ Type }) => Type === "ACLTokenDeleted")
        .map(({ Key }) => Key),
      [byLease.accessorId, byHand.accessorId, byMount.accessorId],
    );
  });

  for (const [what, lease, duration] of [
    ["the mount, without a configuration", undefined, 3_600],
    ["the mount, where the configuration says 0", { ttl: 0, maxTtl: 0 }, 3_600],
    ["the configuration", { ttl: 60, maxTtl: 0 }, 60],
    ["the configuration's limit", { ttl: 60, maxTtl: 30 }, 30],
    ["the configuration's limit, over the mount's length", { ttl: 0, maxTtl: 1_800 }, 1_800],
    ["the mount's limit", { ttl: 999_999, maxTtl: 0 }, 7_200],
  ] as const) {
    it(`live as long as ${what} says`, async () => {
      emulator.secrets.addMount({
        type: "scheduler",
        path: "short",
        defaultLeaseTtl: "1h",
        maxLeaseTtl: "2h",
      });
      emulator.secrets.addSchedulerRole({ name: "r", type: "management" }, "short");
      if (lease !== undefined) {
        emulator.secrets.changeSchedulerLease(lease, "short");
      }
      assert.equal((await issue("r", "short")).duration, duration);
    });
  }

  it("have names of the configured length, with the caller's name in them", async () => {
    emulator.secrets.addSchedulerRole({ name: "r", type: "management" });
    emulator.secrets.changeSchedulerAccess({ maxTokenNameLength: 14 });
    const token = emulator.secrets.addToken({ displayName: "ada" });
    await call(emulator, "secrets", "GET", "/v1/scheduler/creds/r", { token });
    emulator.secrets.changeSchedulerAccess({ maxTokenNameLength: 0 });
    emulator.secrets.addSchedulerRole({ name: "x".repeat(300), type: "management" });
    await issue("x".repeat(300));
    assert.deepEqual(
      emulator.inspect().scheduler.aclTokens.map(({ name }) => name),
      ["secrets-r-ada-", `secrets-${"x".repeat(248)}`],
    );
  });

  it("are refused for a role that does not exist", async () => {
    assertRefused(await ask("none"), 400, 'role "none" not found');
    assert.deepEqual(events(), []);
  });

  it("are issued whatever the access configuration says", async () => {
    emulator.secrets.addSchedulerRole({ name: "r", type: "management" });
    emulator.secrets.changeSchedulerAccess({ address: "https://elsewhere:4646", token: "anything" });
    await issue();
  });

  describe("where the access configuration counts", () => {
    beforeEach(async () => {
      await emulator.close();
      await begin({ secrets: { schedulerAccess: "checked" } });
      emulator.secrets.addSchedulerRole({ name: "r", type: "management" });
    });

    it("are issued without one, and with the right one", async () => {
      await issue();
      const { address, token } = emulator.scheduler;
      emulator.secrets.changeSchedulerAccess({ address: `${address}/`, token });
      const { secretId } = await issue();
      emulator.secrets.changeSchedulerAccess({ address, token: secretId });
      await issue();
    });

    it("are not issued with another address, a wrong token, or a client's", async () => {
      const forbidden = numbered("Unexpected response code: 403 (Permission denied)");
      emulator.secrets.changeSchedulerAccess({ token: "wrong" });
      assertRefused(await ask(), 500, forbidden);
      const client = emulator.scheduler.addToken({ access: { readNodes: true } });
      emulator.secrets.changeSchedulerAccess({ token: client });
      assertRefused(await ask(), 500, forbidden);
      emulator.secrets.changeSchedulerAccess({ token: "", address: "https://elsewhere:4646" });
      assertRefused(await ask(), 500, /elsewhere:4646\/v1\/acl\/token": dial tcp/);
      assert.deepEqual(events(), []);
    });
  });
});
