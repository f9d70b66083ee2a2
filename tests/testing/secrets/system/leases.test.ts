import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { at, textAt } from "../../call";
import { addEntries, dnOf, settings, users, HashicorpClient, assertRefused } from "../client";

describe("the leases of the emulated secrets service, by its own endpoints", () => {
  const emulator = useEmulator({
    dialect: { secrets: "hashicorp" },
    frozenAt: new Date("2026-01-01T00:00:00Z"),
  });
  let client: HashicorpClient;
  before(() => {
    client = new HashicorpClient(emulator);
  });
  beforeEach(async () => {
    addEntries(emulator);
    await client.done("POST", "ldap/config", settings);
  });
  const state = () => emulator.inspect().secrets;

  const issuers: Readonly<Record<string, () => Promise<string>>> = {
    async account() {
      await client.done("POST", "ldap/role/web", {
        creation_ldif: `dn: cn={{.Username}},${users}\nobjectClass: person\ncn: {{.Username}}\n`,
        deletion_ldif: `dn: cn={{.Username}},${users}\nchangetype: delete\n`,
        username_template: "issued",
        default_ttl: "1h",
        max_ttl: "2h",
      });
      return textAt(await client.envelope("GET", "ldap/creds/web"), "lease_id");
    },
    async "check-out"() {
      const set = { service_account_names: "svc1", ttl: "1h", max_ttl: "2h" };
      await client.done("POST", "ldap/library/team", set);
      return textAt(await client.envelope("POST", "ldap/library/team/check-out", {}), "lease_id");
    },
    async "scheduler token"() {
      emulator.secrets.addSchedulerRole({ name: "ops", type: "management" });
      emulator.secrets.changeSchedulerLease({ ttl: 3_600, maxTtl: 7_200 });
      return textAt(await client.envelope("GET", "nomad/creds/ops"), "lease_id");
    },
  };
  const isThere: Readonly<Record<string, () => boolean>> = {
    account: () => state().directoryEntries.some(({ dn }) => dn === dnOf("issued")),
    "check-out": () => state().directoryLibraryAccounts.some(({ checkOut }) => checkOut !== null),
    "scheduler token": () => emulator.inspect().scheduler.aclTokens.length > 0,
  };

  for (const [what, issue] of Object.entries(issuers)) {
    const exists = isThere[what] ?? (() => false);

    it(`end at once, and with them the ${what}`, async () => {
      const id = await issue();
      assert.ok(exists());
      const reply = await client.send("PUT", "sys/leases/revoke", { lease_id: id });
      assert.deepEqual([reply.status, reply.body], [202, ""]);
      assert.deepEqual([exists(), state().leases], [false, []]);
    });

    it(`can be renewed, up to a limit: ${what}`, async () => {
      const lease_id = await issue();
      const renew = async (increment: unknown): Promise<unknown> => {
        const envelope = await client.envelope("POST", "sys/leases/renew", { lease_id, increment });
        assert.deepEqual(
          ["lease_id", "renewable", "data"].map((name) => at(envelope, name)),
          [lease_id, true, null],
        );
        return at(envelope, "lease_duration");
      };
      emulator.advance("50m");
      assert.equal(await renew("30m"), 1_800);
      emulator.advance("20m");
      assert.equal(await renew(0), 3_000);
      assert.ok(exists());
      emulator.advance("50m");
      assert.deepEqual([exists(), state().leases], [false, []]);
    });
  }

  for (const [how, method, path, body] of [
    ["in the body", "POST", () => "revoke", (id: string) => ({ lease_id: id })],
    ["in the path", "PUT", (id: string) => `revoke/${id}`, () => undefined],
    ["encoded in the path", "PUT", (id: string) => `revoke/${encodeURIComponent(id)}`, () => ({})],
  ] as const) {
    it(`are named ${how}`, async () => {
      const id = await issuers["check-out"]?.();
      assert.ok(id !== undefined);
      assert.equal((await client.send(method, `sys/leases/${path(id)}`, body(id))).status, 202);
      assert.deepEqual(state().leases, []);
    });
  }

  it("tell when they end, and when they were renewed", async () => {
    const lease_id = await issuers["check-out"]?.();
    const lookUp = async (): Promise<unknown> => client.data("PUT", "sys/leases/lookup", { lease_id });
    emulator.advance("10m");
    const data = {
      id: lease_id,
      issue_time: "2026-01-01T00:00:00.000Z",
      expire_time: "2026-01-01T01:00:00.000Z",
      last_renewal: null,
      renewable: true,
      ttl: 3_000,
    };
    assert.deepEqual(await lookUp(), data);
    await client.envelope("PUT", "sys/leases/renew", { lease_id });
    assert.deepEqual(await lookUp(), {
      ...data,
      expire_time: "2026-01-01T01:10:00.000Z",
      last_renewal: "2026-01-01T00:10:00.000Z",
      ttl: 3_600,
    });
    const [account] = state().directoryLibraryAccounts;
    assert.equal(account?.checkOut?.expiresAt, "2026-01-01T01:10:00.000Z");
  });

  it("answer like this when they are unknown, or not named", async () => {
    const lease_id = "ldap/creds/web/none";
    assert.equal((await client.send("POST", "sys/leases/revoke", { lease_id })).status, 202);
    await client.done("POST", "sys/leases/revoke", { lease_id, sync: true });
    assertRefused(await client.send("POST", "sys/leases/renew", { lease_id }), 400, "lease not found");
    assertRefused(await client.send("POST", "sys/leases/lookup", { lease_id }), 400, "invalid lease");
    for (const action of ["revoke", "renew", "lookup"]) {
      const reply = await client.send("POST", `sys/leases/${action}`, {});
      assertRefused(reply, 400, "lease_id must be specified");
    }
  });
});
