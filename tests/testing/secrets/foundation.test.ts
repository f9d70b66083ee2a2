import assert from "node:assert/strict";
import { useEmulator } from "../../support/use-emulator";

describe("what is set up in the emulator's secrets service", () => {
  const emulator = useEmulator();
  const state = () => emulator.inspect().secrets;

  it("adds and removes mounts", () => {
    const mount = emulator.secrets.addMount({ type: "approle", path: "approle" });
    assert.deepEqual(state().mounts.at(-1), mount);
    emulator.secrets.removeMount("approle");
    assert.equal(state().mounts.length, 3);
    assert.throws(() => emulator.secrets.removeMount("approle"), /Nothing is mounted/);
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
});
