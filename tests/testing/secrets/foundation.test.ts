import assert from "node:assert/strict";
import { useEmulator } from "../../support/use-emulator";

describe("what is set up in the emulator's secrets service", () => {
  const emulator = useEmulator();
  const state = () => emulator.inspect().secrets;

  it("begins with mounts and nothing else", () => {
    const { mounts, entities, passwordPolicies, leases } = state();
    assert.equal(mounts.length, 3);
    assert.deepEqual([entities, passwordPolicies, leases], [[], [], []]);
  });

  it("adds and removes mounts", () => {
    const mount = emulator.secrets.addMount({ type: "approle", path: "approle" });
    assert.deepEqual(state().mounts.at(-1), mount);
    emulator.secrets.removeMount("approle");
    assert.equal(state().mounts.length, 3);
    assert.throws(() => emulator.secrets.removeMount("approle"), /Nothing is mounted/);
  });

  it("adds entities", () => {
    const alice = emulator.secrets.addEntity({ name: "alice", metadata: { team: "a" } });
    const given = emulator.secrets.addEntity({ id: "one" });
    const nameless = emulator.secrets.addEntity();
    assert.match(alice.id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.deepEqual(given, { id: "one", name: "entity_one", metadata: {} });
    assert.deepEqual(state().entities, [alice, given, nameless]);
    assert.throws(() => emulator.secrets.addEntity({ id: "one" }), /already has the entity "one"/);
  });

  it("removes entities with their aliases and TOTP secrets", () => {
    const [gone, kept] = [emulator.secrets.addEntity(), emulator.secrets.addEntity()];
    const method = emulator.secrets.addTotpMethod({ issuer: "acme" });
    for (const { id, name } of [gone, kept]) {
      emulator.secrets.addEntityAlias({ name, canonicalId: id });
      emulator.secrets.addTotpSecret(method.id, id);
    }
    emulator.secrets.removeEntity(gone.id);
    const { entities, entityAliases, totpSecrets } = state();
    assert.deepEqual(entities, [kept]);
    assert.deepEqual(
      entityAliases.map(({ canonicalId }) => canonicalId),
      [kept.id],
    );
    assert.deepEqual(
      totpSecrets.map(({ entityId }) => entityId),
      [kept.id],
    );
    assert.throws(() => emulator.secrets.removeEntity(gone.id), /no entity/);
  });

  it("adds, replaces and removes password policies", () => {
    emulator.secrets.addPasswordPolicy({ name: "short", length: 8, characters: "ab" });
    const replaced = emulator.secrets.addPasswordPolicy({ name: "short" });
    assert.equal(replaced.length, 20);
    assert.deepEqual(state().passwordPolicies, [replaced]);
    assert.throws(() => emulator.secrets.addPasswordPolicy({ name: "x", length: 0 }), RangeError);
    assert.throws(() => emulator.secrets.addPasswordPolicy({ name: "x", characters: "" }), RangeError);
    emulator.secrets.removePasswordPolicy("short");
    assert.throws(() => emulator.secrets.removePasswordPolicy("short"), /no password policy "short"/);
  });

  it("knows no lease that was never issued", () => {
    assert.throws(() => emulator.secrets.revokeLease("ldap/creds/x/y"), /no lease "ldap\/creds\/x\/y"/);
  });

  it("is gone after the reset, but for the mounts from the start", () => {
    const before = emulator.inspect();
    const entity = emulator.secrets.addEntity();
    emulator.secrets.addEntityAlias({ name: "a", canonicalId: entity.id });
    const { id } = emulator.secrets.addTotpMethod({ issuer: "acme" });
    emulator.secrets.addTotpSecret(id, entity.id);
    emulator.secrets.addEnforcement({ methodIds: [id] });
    emulator.secrets.addPushMethod({ name: "p", mountAccessor: "x" });
    emulator.secrets.addPasswordPolicy({ name: "p" });
    emulator.secrets.addMount({ type: "directory", path: "x" });
    emulator.reset();
    assert.deepEqual(emulator.inspect(), before);
  });
});
