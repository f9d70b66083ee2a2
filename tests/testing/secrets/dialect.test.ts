import assert from "node:assert/strict";
import type { Emulator } from "../../../sdk/testing";
import { certificates } from "../../support/certificates";
import { useEmulator } from "../../support/use-emulator";
import { at, textAt } from "../call";
import { HashicorpClient, addEntries, assertRefused, numbered, settings, startHashicorp } from "./client";

describe("the emulator's secrets service in the hashicorp dialect", () => {
  const emulator = useEmulator({ dialect: { secrets: "hashicorp" } });
  let client: HashicorpClient;
  before(() => {
    client = new HashicorpClient(emulator);
  });
  const methods = "identity/mfa/method/totp";
  const aliases = "identity/entity-alias";
  const mount_accessor = "auth_userpass_00000001";

  describe("what nobody reads", () => {
    it("is ignored, with a warning where there is an envelope for it", async () => {
      const body = { issuer: "acme", colour: "red", id: "x" };
      const envelope = await client.envelope("POST", methods, body);
      assert.deepEqual(at(envelope, "warnings"), [
        "Endpoint ignored these unrecognized parameters: [colour id]",
      ]);
      const [method, ...others] = emulator.inspect().secrets.totpMethods;
      assert.deepEqual([at(envelope, "data", "method_id"), others], [method?.id, []]);
    });

    it("is shown with other warnings", async () => {
      const { id: method_id } = emulator.secrets.addTotpMethod({ issuer: "acme" });
      const { id: entity_id } = emulator.secrets.addEntity();
      emulator.secrets.addTotpSecret(method_id, entity_id);
      const envelope = await client.envelope("POST", `${methods}/admin-generate`, {
        method_id,
        entity_id,
        colour: "red",
      });
      assert.deepEqual(at(envelope, "warnings"), [
        'Entity already has a secret for MFA method ""',
        "Endpoint ignored these unrecognized parameters: [colour]",
      ]);
    });
  });

  describe("entity aliases", () => {
    it("are made with an entity where none is given", async () => {
      const data = await client.data("POST", aliases, { name: "alice", mount_accessor });
      const [entity] = emulator.inspect().secrets.entities;
      assert.equal(at(data, "canonical_id"), entity?.id);
      await client.done("POST", aliases, { name: "alice", mount_accessor });
      assert.equal(emulator.inspect().secrets.entities.length, 1, "none is made for an alias that has one");
    });

    it("make no entity when they cannot be made", async () => {
      const reply = await client.send("POST", aliases, { name: "alice", mount_accessor: "none" });
      assertRefused(reply, 400, 'invalid mount accessor "none"');
      assertRefused(await client.send("POST", aliases, { mount_accessor }), 400, "missing name");
      assert.deepEqual(emulator.inspect().secrets.entities, []);
    });
  });

  it("converts values of other kinds, and takes null for nothing", async () => {
    const body = {
      binddn: "cn=a",
      bindpass: 5,
      userdn: null,
      length: "20",
      starttls: "T",
      request_timeout: null,
    };
    await client.done("POST", "ldap/config", body);
    const data = await client.data("GET", "ldap/config");
    assert.deepEqual(
      ["userdn", "length", "starttls", "request_timeout"].map((name) => at(data, name)),
      ["", 20, true, 90],
    );
    await client.done("POST", "ldap/config", { length: null, starttls: 0 });
    const later = await client.data("GET", "ldap/config");
    assert.deepEqual([at(later, "length"), at(later, "starttls")], [undefined, false]);
    for (const wrong of [
      { length: "abc" },
      { length: 2.5 },
      { starttls: "maybe" },
      { starttls: 2 },
      { binddn: [] },
    ]) {
      assertRefused(await client.send("POST", "ldap/config", wrong), 400, /converting input for field/);
    }
    const { id: canonical_id } = emulator.secrets.addEntity();
    const made = await client.data("POST", aliases, {
      name: 5,
      mount_accessor,
      canonical_id,
      custom_metadata: { a: 5, b: true },
    });
    const alias = await client.data("GET", `${aliases}/id/${textAt(made, "id")}`);
    assert.deepEqual([at(alias, "name"), at(alias, "custom_metadata")], ["5", { a: "5", b: "1" }]);
  });

  it("wants a server and a way to bind of a directory", async () => {
    const write = (body: object) => client.send("POST", "ldap/config", body);
    assertRefused(await write({ binddn: "", bindpass: "b" }), 500, /cannot derive UserBindDN/);
    assertRefused(await write({ binddn: "cn=a", bindpass: "b", url: "" }), 500, /at least one url must be/);
    await client.done("POST", "ldap/config", { userdn: "ou=users" });
    await client.done("POST", "ldap/config", { userdn: "", upndomain: "acme.example" });
    const { certificate, key } = certificates().client;
    const pair = { client_tls_cert: certificate, client_tls_key: key };
    assertRefused(await write({ ...pair, client_tls_key: "" }), 500, /must be set, or neither/);
    for (const foreign of [certificates().otherAuthority.key, "x"]) {
      assertRefused(await write({ ...pair, client_tls_key: foreign }), 500, /failed to parse client X509/);
    }
    await client.done("POST", "ldap/config", pair);
  });

  it("ends no lease with a check-in; the end of the lease checks the account in, even if it was checked out again", async () => {
    const { secrets } = emulator;
    for (const dn of ["cn=admin,dc=acme,dc=example", "cn=svc,ou=users,dc=acme,dc=example"]) {
      secrets.addDirectoryEntry({ dn, password: "first" });
    }
    await client.done("POST", "ldap/config", {
      binddn: "cn=admin,dc=acme,dc=example",
      bindpass: "first",
      userdn: "ou=users,dc=acme,dc=example",
    });
    await client.done("POST", "ldap/library/set", {
      service_account_names: ["svc"],
      ttl: "1h",
      max_ttl: "2h",
    });
    const checkOut = async () =>
      textAt(await client.envelope("POST", "ldap/library/set/check-out"), "lease_id");
    const available = async () => at(await client.data("GET", "ldap/library/set/status"), "svc", "available");
    const lost = await checkOut();
    await client.data("POST", "ldap/library/set/check-in");
    await client.data("POST", "sys/leases/lookup", { lease_id: lost });
    await checkOut();
    assert.equal(await available(), false);
    await client.send("POST", "sys/leases/revoke", { lease_id: lost });
    assert.equal(await available(), true);
  });

  describe("the length and the policy of passwords", () => {
    const write = (body: object): Promise<void> => client.done("POST", "ldap/config", body);
    const refused = async (body: object): Promise<void> =>
      assertRefused(
        await client.send("POST", "ldap/config", body),
        500,
        numbered("cannot set both 'password_policy' and 'length'"),
      );
    const kept = async (): Promise<readonly unknown[]> => {
      const data = await client.data("GET", "ldap/config");
      return [at(data, "length"), at(data, "password_policy")];
    };

    it("exclude each other, a length of 0 and a policy from before too", async () => {
      await refused({ binddn: "cn=a", bindpass: "b", password_policy: "strong", length: 0 });
      await write({ binddn: "cn=a", bindpass: "b", password_policy: "strong" });
      await refused({ length: 0 });
      await refused({ length: 20 });
      await write({ length: 20, password_policy: "" });
      assert.deepEqual(await kept(), [20, undefined]);
      await refused({ length: 0, password_policy: "strong" });
      await write({ password_policy: "strong" });
      assert.deepEqual(await kept(), [undefined, "strong"]);
    });
  });
});

describe("the emulated scheduler engine in the hashicorp dialect", () => {
  const emulators: Emulator[] = [];
  const start: typeof startHashicorp = async (options) => {
    const started = await startHashicorp(options);
    emulators.push(started);
    return started;
  };
  let emulator: Emulator;
  let client: HashicorpClient;
  before(async () => {
    emulator = await start();
    client = new HashicorpClient(emulator);
  });
  beforeEach(() => emulator.reset());
  after(async () => {
    await Promise.all(emulators.map(async (started) => started.close()));
  });
  const access = "nomad/config/access";
  const address = "http://127.0.0.1:4646";
  const refusal = "Token not provided and failed to bootstrap ACLs";
  const storedToken = (of = emulator): string | undefined => of.inspect().secrets.schedulerAccess[0]?.token;

  it("adopts it once, and changes nothing when it cannot", async () => {
    await client.done("POST", access, { address });
    const token = storedToken();
    await client.done("POST", access, { address: "http://other:4646" });
    assert.equal(storedToken(), token, "a token that is stored stays");
    assertRefused(await client.send("POST", access, { token: "" }), 400, refusal);
    assert.equal(storedToken(), token);
    await client.done("DELETE", access);
    assertRefused(await client.send("POST", access, { address }), 400, refusal);
    assert.equal((await client.send("GET", access)).status, 404);
    emulator.reset();
    await client.done("POST", access, { address });
  });

  it("bootstraps the emulated scheduler only, where that is checked", async () => {
    const checked = await start({ secrets: { schedulerAccess: "checked" } });
    const other = new HashicorpClient(checked);
    assertRefused(await other.send("POST", access, { address }), 400, refusal);
    assert.deepEqual(checked.inspect().secrets.schedulerAccess, []);
    await other.done("POST", access, { address: checked.scheduler.address });
    checked.secrets.addSchedulerRole({ name: "ops", type: "management" });
    await other.envelope("GET", "nomad/creds/ops");
  });

  it("reads policies that were never given as null, and cleared ones as an empty list", async () => {
    const policies = async (): Promise<unknown> => at(await client.data("GET", "nomad/role/ops"), "policies");
    await client.done("POST", "nomad/role/ops", { type: "management" });
    assert.equal(await policies(), null);
    await client.done("POST", "nomad/role/ops", { type: "management", global: true });
    assert.equal(await policies(), null);
    await client.done("POST", "nomad/role/ops", { type: "management", policies: "" });
    assert.deepEqual(await policies(), []);
    await client.done("DELETE", "nomad/role/ops");
    emulator.secrets.addSchedulerRole({ name: "ops", type: "management" });
    assert.deepEqual(await policies(), []);
  });
});

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

  for (const [path, body] of [
    ["library/night%20shift", { service_account_names: ["svc1"] }],
    ["library/-team", { service_account_names: ["svc1"] }],
    ["static-role/a%20b", { username: "svc1", rotation_period: "1h" }],
  ] as const) {
    it(`has no path for names that the products' pattern does not allow: ${path}`, async () => {
      assertRefused(await client.send("POST", `ldap/${path}`, body), 404, /unsupported path/);
    });
  }

  it("has the products' names for schemas, in requests and responses", async () => {
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
