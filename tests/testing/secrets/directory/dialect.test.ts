import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { at } from "../../call";
import { HashicorpClient } from "../hashicorp";
import { assertRefused, numbered } from "../refusals";
import { addEntries, dnOf, settings, users } from "./directory";

describe("the emulated directory engine in the hashicorp dialect", () => {
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
  const alice = { username: "alice", dn: dnOf("alice"), rotation_period: "1h" };

  for (const [path, body] of [
    ["library/night%20shift", { service_account_names: ["svc1"] }],
    ["library/-team", { service_account_names: ["svc1"] }],
    ["static-role/a%20b", { username: "svc1", rotation_period: "1h" }],
  ] as const) {
    it(`has no path for names that the products' pattern does not allow: ${path}`, async () => {
      assertRefused(await client.send("POST", `ldap/${path}`, body), 404, /unsupported path/);
    });
  }

  it("has the products' names for schemas, in requests and answers", async () => {
    for (const schema of ["ad", "racf", "openldap"]) {
      await client.done("POST", "ldap/config", { schema });
      assert.equal(at(await client.data("GET", "ldap/config"), "schema"), schema);
    }
    const reply = await client.send("POST", "ldap/config", { schema: "open" });
    assertRefused(
      reply,
      500,
      numbered("the configured schema open is not valid. Supported schemas: [openldap racf ad]"),
    );
  });

  it("has a configuration that can be changed behind a program's back", async () => {
    emulator.secrets.changeDirectoryConfig({ schema: "open", length: 20 });
    const data = await client.data("GET", "ldap/config");
    assert.deepEqual([at(data, "schema"), at(data, "length")], ["openldap", 20]);
    emulator.secrets.removeDirectoryConfig();
    assert.throws(() => emulator.secrets.changeDirectoryConfig({}), /engine at "ldap" has no configuration/);
    assert.throws(() => emulator.secrets.changeDirectoryConfig({}, "x"), /no directory engine at "x"/);
  });

  it("lists static roles, dynamic roles and sets by LIST alone, as keys", async () => {
    const ldif = { creation_ldif: `dn: ${users}\na: b`, deletion_ldif: `dn: ${users}\nchangetype: delete` };
    await client.done("POST", "ldap/static-role/one", alice);
    await client.done("POST", "ldap/role/one", ldif);
    await client.done("POST", "ldap/library/one", { service_account_names: ["svc1"] });
    for (const path of ["ldap/static-role", "ldap/role", "ldap/library"]) {
      assert.deepEqual(await client.data("GET", `${path}?list=true`), { keys: ["one"] });
      assert.deepEqual(await client.data("LIST", path), { keys: ["one"] });
      assertRefused(await client.send("GET", path), 405, numbered("unsupported operation"));
    }
  });

  it("unsets the name of a static role's entry, but does not change it", async () => {
    await client.done("POST", "ldap/static-role/one", alice);
    const reply = await client.send("POST", "ldap/static-role/one", { dn: dnOf("svc1") });
    assertRefused(reply, 400, "cannot update static account distinguished name (dn)");
    await client.done("POST", "ldap/static-role/one", { dn: "" });
    assert.equal(at(await client.data("GET", "ldap/static-role/one"), "dn"), "");
  });

  for (const [what, set, request, duration] of [
    ["as long as the set says", { ttl: "1h", max_ttl: "2h" }, {}, 3_600],
    ["shorter", { ttl: "1h", max_ttl: "2h" }, { ttl: "30m" }, 1_800],
    ["no longer than the set says", { ttl: "1h", max_ttl: "2h" }, { ttl: "90m" }, 3_600],
    [
      "as long as the set allows at most, instead of for ever",
      { ttl: "1h", max_ttl: "2h" },
      { ttl: 0 },
      7_200,
    ],
    ["as long as the mount says, in an unlimited set", { ttl: 0, max_ttl: 0 }, {}, 2_764_800],
    ["as long as it is asked for, in an unlimited set", { ttl: 0, max_ttl: 0 }, { ttl: "1h" }, 3_600],
  ] as const) {
    it(`checks out ${what}`, async () => {
      await client.done("POST", "ldap/library/team", { service_account_names: "svc1", ...set });
      const envelope = await client.envelope("POST", "ldap/library/team/check-out", request);
      assert.equal(at(envelope, "lease_duration"), duration);
      const [account] = emulator.inspect().secrets.directoryLibraryAccounts;
      assert.equal(
        account?.checkOut?.expiresAt,
        new Date(Date.parse("2026-01-01T00:00:00Z") + duration * 1_000).toISOString(),
      );
    });
  }

  it("takes the name of a set from the path, whatever the body says", async () => {
    await client.done("POST", "ldap/library/team", { service_account_names: "svc1", name: "other" });
    await client.envelope("POST", "ldap/library/team/check-out", {});
    for (const path of ["ldap/library/team/check-in", "ldap/library/manage/team/check-in"]) {
      const envelope = await client.envelope("POST", path, { name: "other" });
      assert.match(String(at(envelope, "warnings", 0)), /^Endpoint replaced .*: \[name\]$/);
    }
    assert.deepEqual(
      emulator.inspect().secrets.directoryLibrarySets.map(({ name }) => name),
      ["team"],
    );
  });
});
