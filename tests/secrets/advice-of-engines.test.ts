import assert from "node:assert/strict";
import { configDefinition } from "../../sdk/secrets/directory/config";
import { dynamicCredentialDefinition } from "../../sdk/secrets/directory/dynamic-credential";
import { dynamicRoleDefinition } from "../../sdk/secrets/directory/dynamic-role";
import { libraryCheckoutDefinition } from "../../sdk/secrets/directory/library-checkout";
import { librarySetDefinition } from "../../sdk/secrets/directory/library-set";
import { staticRoleDefinition } from "../../sdk/secrets/directory/static-role";
import { entityAliasDefinition } from "../../sdk/secrets/identity/entity-alias";
import { tokenDefinition } from "../../sdk/secrets/scheduler/token";
import { FakeEngine, lifecycleOn } from "../support/fake-engine";
import { useSecrets } from "./emulated-client";

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => assert.fail("it was not refused"),
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

/** A hook of the lifecycle shows its error through the engine. */
const reported = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => assert.fail("it was not refused"),
    (error: unknown) =>
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error),
  );

// The services' words are recorded from OpenBao 2.6.2, its engine `nomad` and the LDAP engine of Vault 0.18.0.
describe("errors of the secrets service explain their cause", () => {
  const emulator = useSecrets({
    dialect: "hashicorp",
    secrets: { schedulerAccess: "checked" },
    seed: { directoryEntries: [{ dn: "cn=admin,dc=example,dc=org", password: "adminpw" }] },
  });

  it("the error for an alias whose entity was merged names the entity that it is bound to", async () => {
    const former = emulator.secrets.addEntity({ name: "former" });
    const merged = emulator.secrets.addEntity({ name: "merged" });
    const mountAccessor = "auth_userpass_00000001";
    const args = { name: "ada", canonicalId: former.id, mountAccessor };
    const alias = await FakeEngine.create(entityAliasDefinition, emulator, args);
    // As a merge does.
    emulator.secrets.changeEntityAlias(alias.id ?? "", { canonicalId: merged.id });
    emulator.secrets.removeEntity(former.id);
    await alias.refresh();
    const message = await messageOf(alias.up(args));
    assert.match(message, /given 'canonical_id' is not associated with an entity/);
    assert.match(message, new RegExp(`entity ${former.id} does not exist.*bound to the entity ${merged.id}`));
    assert.match(message, /set canonicalId to/);
    assert.equal(await alias.up({ ...args, canonicalId: merged.id }), "same");
  });

  it("the error for an alias of an entity that never existed says that the entity does not exist", async () => {
    const args = { name: "ada", canonicalId: "none", mountAccessor: "auth_userpass_00000001" };
    const message = await messageOf(FakeEngine.create(entityAliasDefinition, emulator, args));
    assert.match(message, /The entity none does not exist\. Set canonicalId to an entity that exists\.$/);
  });

  for (const definition of [dynamicRoleDefinition, staticRoleDefinition, librarySetDefinition]) {
    it(`the error for importing a ${definition.type} whose name has a slash explains how to write the ID`, async () => {
      const { lifecycle } = lifecycleOn(emulator, definition, { "trivium:secretsDialect": "hashicorp" });
      const message = await reported(lifecycle.import("ldap/a/b"));
      assert.match(message, /According to the ID, the mount is ldap\/a\. .* the mount ldap is ldap\/a%2Fb\./);
      assert.doesNotMatch(message, /TRIVIUM_ASSUME_GONE|deleted/);
    });
  }

  it("the error for a token whose engine cannot reach the scheduler says that it was not issued, and requires an Access", async () => {
    emulator.secrets.changeSchedulerAccess({ address: "http://127.0.0.1:1", token: "x" }, "nomad");
    emulator.secrets.addSchedulerRole({ name: "ops", type: "management" }, "nomad");
    const message = await messageOf(
      FakeEngine.create(tokenDefinition, emulator, { mount: "nomad", roleName: "ops" }),
    );
    assert.match(message, /connection refused.*No token was issued.*secrets\.scheduler\.Access, dependsOn/s);
    assert.doesNotMatch(message, /might still have been issued/);
  });

  it("the error for a credential or check-out whose configuration was deleted first says that it must depend on the configuration", async () => {
    const users = "ou=users,dc=example,dc=org";
    const config = { binddn: "cn=admin,dc=example,dc=org", bindpass: "adminpw", userdn: users };
    emulator.secrets.addDirectoryEntry({ dn: `cn=svc-1,${users}` });
    const configured = await FakeEngine.create(configDefinition, emulator, config);
    const record = `dn: cn={{.Username}},${users}`;
    const creationLdif = `${record}\nchangetype: add\nobjectClass: person\ncn: x\n`;
    const deletionLdif = `${record}\nchangetype: delete\n`;
    const role = { roleName: "dyn", creationLdif, deletionLdif };
    await FakeEngine.create(dynamicRoleDefinition, emulator, role);
    const credential = await FakeEngine.create(dynamicCredentialDefinition, emulator, { roleName: "dyn" });
    const set = { name: "team", serviceAccountNames: ["svc-1"] };
    await FakeEngine.create(librarySetDefinition, emulator, set);
    const checkout = await FakeEngine.create(libraryCheckoutDefinition, emulator, { setName: "team" });
    await configured.destroy();
    for (const depending of [credential, checkout]) {
      const message = await messageOf(depending.destroy());
      assert.match(message, /missing LDAP configuration/);
      assert.match(message, /The mount ldap has no directory configuration.*dependsOn/);
    }
    const creation = FakeEngine.create(dynamicCredentialDefinition, emulator, { roleName: "dyn" });
    assert.match(await messageOf(creation), /has no directory configuration.*dependsOn/);
    await configured.up(config);
    await credential.destroy();
    await checkout.destroy();
  });
});
