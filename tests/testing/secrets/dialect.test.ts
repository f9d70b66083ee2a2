import assert from "node:assert/strict";
import { useEmulator } from "../../support/use-emulator";
import { at, textAt } from "../call";
import { HashicorpClient } from "./hashicorp";
import { assertRefused, numbered } from "./refusals";

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

    it("are updated in parts", async () => {
      const { id: canonicalId } = emulator.secrets.addEntity();
      const alias = emulator.secrets.addEntityAlias({ name: "alice", canonicalId });
      await client.envelope("POST", `${aliases}/id/${alias.id}`, { custom_metadata: { team: "a" } });
      const [changed] = emulator.inspect().secrets.entityAliases;
      assert.deepEqual([changed?.name, changed?.customMetadata], ["alice", { team: "a" }]);
      const reply = await client.send("POST", `${aliases}/id/none`, { name: "bob" });
      assertRefused(reply, 400, "invalid alias ID provided");
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
