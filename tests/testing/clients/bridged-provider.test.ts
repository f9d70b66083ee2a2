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

  it("the bridged provider and this library create, find unchanged and delete what belongs together", async () => {
    let token = emulator.secrets.token;
    const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
      const reply = await call(emulator, "secrets", method, `/v1/${path}`, { body, token });
      assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
      return reply.body;
    };
    // The provider works with a child of the given token, and asks for the version.
    await send("GET", "auth/token/lookup-self");
    const ttl = { ttl: "1200s", explicit_max_ttl: "1200s", renewable: false };
    const unset = { num_uses: 0, type: "", entity_alias: "" };
    const child = await send("POST", "auth/token/create", { display_name: "terraform", ...ttl, ...unset });
    assert.equal(at(child, "warnings"), null);
    token = textAt(child, "auth", "client_token");
    assert.match(textAt(await send("GET", "sys/seal-status"), "version"), /^\d+\.\d+\.\d+$/);

    const rest = { local: false, seal_wrap: false, external_entropy_access: false };
    const given = { options: null, force_no_cache: false };
    const config = { default_lease_ttl: "0s", max_lease_ttl: "0s", ...given };
    const none = { default_lease_ttl: "", max_lease_ttl: "", ...given };
    await send("POST", "sys/mounts/directory", {
      type: "ldap",
      description: "",
      config,
      ...rest,
      options: {},
    });
    await send("POST", "sys/auth/people", {
      type: "userpass",
      description: "",
      config: none,
      ...rest,
      options: null,
    });
    await send("POST", "sys/mounts/auth/people/tune", { ...none, default_lease_ttl: "1h" });
    const entity = await send("PUT", "identity/entity", { name: "ada" });
    const canonicalId = textAt(entity, "data", "id");
    const read = async () => ({
      mount: await send("GET", "sys/mounts/directory"),
      method: await send("GET", "sys/mounts/auth/people"),
      tuned: await send("GET", "sys/mounts/auth/people/tune"),
      entity: await send("GET", `identity/entity/id/${canonicalId}`),
    });
    const created = await read();
    assert.equal(at(created.mount, "data", "type"), "ldap");
    assert.equal(at(created.tuned, "data", "default_lease_ttl"), 3_600);
    assert.equal(at(created.entity, "data", "name"), "ada");

    const settings = { "trivium:secretsDialect": "hashicorp" };
    const mountAccessor = textAt(created.method, "data", "accessor");
    const aliasArgs = { name: "ada@acme.example", canonicalId, mountAccessor };
    const binding = { binddn: "cn=binds,dc=acme,dc=example", bindpass: "pw" };
    const configArgs = { mount: "directory", ...binding, url: "ldaps://ldap.acme.example" };
    const alias = await FakeEngine.create(entityAliasDefinition, emulator, aliasArgs, settings);
    const directory = await FakeEngine.create(configDefinition, emulator, configArgs, settings);
    assert.deepEqual([await alias.up(aliasArgs), await directory.up(configArgs)], ["same", "same"]);
    const withAlias = await read();
    assert.deepEqual(withAlias.mount, {
      ...Object(created.mount),
      request_id: at(withAlias.mount, "request_id"),
    });
    assert.equal(at(withAlias.entity, "data", "aliases", 0, "name"), "ada@acme.example");

    await alias.destroy();
    await directory.destroy();
    await send("DELETE", `identity/entity/id/${canonicalId}`);
    await send("DELETE", "sys/auth/people");
    await send("DELETE", "sys/mounts/directory");
    await send("POST", "auth/token/revoke-self");
    const { mounts, entities, entityAliases } = emulator.inspect().secrets;
    const found = [mounts.map(({ path }) => path), entities, entityAliases];
    assert.deepEqual(found, [["ldap", "nomad", "userpass"], [], []]);
  });
});
