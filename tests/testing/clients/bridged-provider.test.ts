import assert from "node:assert/strict";
import { configDefinition } from "../../../sdk/secrets/directory/config";
import { entityAliasDefinition } from "../../../sdk/secrets/identity/entity-alias";
import { FakeEngine } from "../../support/fake-engine";
import { useEmulator } from "../../support/use-emulator";
import { at, call, textAt } from "../call";

/** The requests of the provider behind `@pulumi/vault` 7.8: its plugin cannot be downloaded everywhere. */
describe("the bridged provider of Vault and this library in one program", () => {
  const emulator = useEmulator({
    dialect: "hashicorp",
    seed: { directoryEntries: [{ dn: "cn=binds,dc=acme,dc=example", password: "pw" }] },
  });

  it("the bridged provider and this library create related objects, find them unchanged, and delete them", async () => {
    let token = emulator.secrets.token;
    const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
      const reply = await call(emulator, "secrets", method, `/v1/${path}`, { body, token });
      assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
      return reply.body;
    };
    // The provider works with a child of the given token, and asks for the version.
    const ttl = { ttl: "1200s", explicit_max_ttl: "1200s", renewable: false };
    const unset = { num_uses: 0, type: "", entity_alias: "" };
    const child = await send("POST", "auth/token/create", { display_name: "terraform", ...ttl, ...unset });
    assert.equal(at(child, "warnings"), null);
    token = textAt(child, "auth", "client_token");
    assert.match(textAt(await send("GET", "sys/seal-status"), "version"), /^\d+\.\d+\.\d+$/);

    const given = { options: null, force_no_cache: false };
    const zero = { default_lease_ttl: "0s", max_lease_ttl: "0s", ...given };
    const none = { default_lease_ttl: "", max_lease_ttl: "", ...given };
    const rest = { description: "", local: false, seal_wrap: false, external_entropy_access: false };
    await send("POST", "sys/mounts/directory", { type: "ldap", config: zero, options: {}, ...rest });
    await send("POST", "sys/auth/people", { type: "userpass", config: none, options: null, ...rest });
    await send("POST", "sys/mounts/auth/people/tune", { ...none, default_lease_ttl: "1h" });
    const canonicalId = textAt(await send("PUT", "identity/entity", { name: "ada" }), "data", "id");
    const mount = await send("GET", "sys/mounts/directory");
    const method = await send("GET", "sys/mounts/auth/people");
    const tuned = await send("GET", "sys/mounts/auth/people/tune");
    assert.deepEqual([at(mount, "data", "type"), at(tuned, "data", "default_lease_ttl")], ["ldap", 3_600]);

    const dialect = { "trivium:secretsDialect": "hashicorp" };
    const mountAccessor = textAt(method, "data", "accessor");
    const aliasArgs = { name: "ada@acme.example", canonicalId, mountAccessor };
    const binding = { binddn: "cn=binds,dc=acme,dc=example", bindpass: "pw" };
    const configArgs = { mount: "directory", ...binding, url: "ldaps://ldap.acme.example" };
    const alias = await FakeEngine.create(entityAliasDefinition, emulator, aliasArgs, dialect);
    const directory = await FakeEngine.create(configDefinition, emulator, configArgs, dialect);
    assert.deepEqual([await alias.up(aliasArgs), await directory.up(configArgs)], ["same", "same"]);
    assert.deepEqual(at(await send("GET", "sys/mounts/directory"), "data"), at(mount, "data"));
    const entity = at(await send("GET", `identity/entity/id/${canonicalId}`), "data");
    assert.deepEqual([at(entity, "name"), at(entity, "aliases", 0, "name")], ["ada", "ada@acme.example"]);

    await alias.destroy();
    await directory.destroy();
    for (const path of [`identity/entity/id/${canonicalId}`, "sys/auth/people", "sys/mounts/directory"]) {
      await send("DELETE", path);
    }
    await send("POST", "auth/token/revoke-self");
    const { mounts, entities, entityAliases } = emulator.inspect().secrets;
    const left = [mounts.map(({ path }) => path), entities, entityAliases];
    assert.deepEqual(left, [["ldap", "nomad", "userpass"], [], []]);
  });
});
