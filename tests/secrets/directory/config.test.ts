import assert from "node:assert/strict";
import { configDefinition } from "../../../sdk/secrets/directory/config";
import { rootRotationDefinition } from "../../../sdk/secrets/directory/root-rotation";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import { certificates } from "../../support/certificates";
import { Managed } from "../../support/managed";
import type { Properties } from "../../support/provider-process";
import { useEmulator } from "../../support/use-emulator";
import { stepAt } from "./step";

const path = "/v1/ldap/config";
const admin = "cn=admin,dc=acme,dc=example";
const base: Properties = { binddn: admin, bindpass: "bind-password" };

describe("secrets.directory.Config", () => {
  const emulator = useEmulator();

  beforeEach(() => {
    emulator.secrets.addDirectoryEntry({ dn: admin, password: "bind-password" });
  });

  const manage = async (args: Properties = base): Promise<Managed> => {
    const managed = new Managed(configDefinition, emulator);
    await managed.up(args);
    return managed;
  };
  const configurations = () => emulator.inspect().secrets.directoryConfigs;
  const written = () => emulator.journal.requests({ method: "POST", path }).map(({ body }) => body);
  const lastWritten = () => written().at(-1) as Readonly<Record<string, unknown>>;

  describe("made", () => {
    it("sends what the program says and no more, and tells the service's defaults", async () => {
      const managed = await manage();
      assert.equal(managed.id, "ldap");
      assert.deepEqual(written(), [{ binddn: admin, bindpass: "bind-password" }]);
      const { __managed, __at, ...outputs } = managed.outputs;
      assert.deepEqual(outputs, {
        ...base,
        mount: "ldap",
        url: "ldap://127.0.0.1",
        schema: "open",
        length: 64,
        starttls: false,
        insecureTls: false,
        certificate: "",
        caseSensitiveNames: false,
        tlsMinVersion: "tls12",
        tlsMaxVersion: "tls12",
      });
      assert.equal(await managed.up(base), "same");
    });

    it("sends everything that can be said", async () => {
      const { authority, client } = certificates();
      await manage({
        ...base,
        url: "ldaps://one.example,ldaps://two.example",
        passwordPolicy: "strong",
        schema: "ad",
        userdn: "ou=users,dc=acme,dc=example",
        userattr: "sAMAccountName",
        upndomain: "acme.example",
        requestTimeout: "1m",
        starttls: true,
        insecureTls: false,
        certificate: authority.certificate,
        clientTlsCert: client.certificate,
        clientTlsKey: client.key,
        skipStaticRoleImportRotation: true,
        connectionTimeout: "0.5m",
      });
      assert.deepEqual(written(), [
        {
          binddn: admin,
          bindpass: "bind-password",
          url: "ldaps://one.example,ldaps://two.example",
          password_policy: "strong",
          schema: "ad",
          userdn: "ou=users,dc=acme,dc=example",
          userattr: "sAMAccountName",
          upndomain: "acme.example",
          request_timeout: 60,
          starttls: true,
          insecure_tls: false,
          certificate: authority.certificate,
          client_tls_cert: client.certificate,
          client_tls_key: client.key,
          skip_static_role_import_rotation: true,
          connection_timeout: 30,
        },
      ]);
    });

    it("lives on any mount, and does not own it", async () => {
      emulator.secrets.addMount({ type: "directory", path: "teams/a b" });
      const managed = await manage({ ...base, mount: "/teams/a b/" });
      assert.equal(managed.id, "teams/a%20b");
      assert.equal(managed.outputs.mount, "teams/a b");
      assert.equal(await managed.up({ ...base, mount: "teams/a b" }), "same");
      assert.equal(await managed.refresh(), true);
      assert.equal(await managed.up({ ...base, mount: "/teams/a b/" }), "same");
      await managed.destroy();
      assert.deepEqual(configurations(), []);
      assert.ok(emulator.inspect().secrets.mounts.some((mount) => mount.path === "teams/a b"));
    });

    it("moves to another mount as a new one; naming the usual mount moves nothing", async () => {
      emulator.secrets.addMount({ type: "directory", path: "corp" });
      const managed = await manage();
      assert.notEqual(await managed.up({ ...base, mount: "ldap" }), "replaced");
      assert.equal(await managed.up(base), "same");
      assert.equal(await managed.up({ ...base, mount: "corp" }), "replaced");
      assert.deepEqual(
        configurations().map(({ mount }) => mount),
        ["corp"],
      );
      assert.equal(await managed.up(base), "replaced");
      assert.equal(managed.id, "ldap");
    });

    it("is refused where there is one already", async () => {
      await manage();
      await assert.rejects(manage({ ...base, url: "ldap://other.example" }), {
        message: /already exists \(id ldap\)/,
      });
      assert.equal(written().length, 1);
    });

    it("belongs to one resource only, also when two make it at the same time", async () => {
      const results = await Promise.allSettled([manage(), manage({ ...base, mount: "/ldap" })]);
      assert.deepEqual(results.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
      assert.equal(written().length, 1);
    });

    it("is not lost when the answer is, nor made twice", async () => {
      emulator.faults.add({ method: "POST", path, drop: "after" });
      const managed = await manage();
      assert.equal(managed.id, "ldap");
      assert.equal(written().length, 1);
    });
  });

  describe("changed", () => {
    it("never sends bindpass with another argument", async () => {
      const managed = await manage();
      const args = { ...base, url: "ldaps://ldap.example" };
      assert.equal(await managed.up(args), "updated");
      assert.ok(!("bindpass" in lastWritten()));
      assert.equal(lastWritten().url, "ldaps://ldap.example");
      assert.equal(lastWritten().binddn, admin);
    });

    it("sends bindpass when bindpass changes", async () => {
      const managed = await manage();
      assert.equal(await managed.up({ ...base, bindpass: "other-password" }), "updated");
      assert.equal(lastWritten().bindpass, "other-password");
    });

    it("never sends the password that a rotation has made void, whatever else changes", async () => {
      const managed = await manage();
      const rotation = new Managed(rootRotationDefinition, emulator);
      await rotation.up({});
      const rotated = configurations()[0]?.bindpass;
      assert.notEqual(rotated, "bind-password");
      emulator.journal.clear();
      const { authority, client } = certificates();
      const changes: Properties[] = [
        { url: "ldap://ldap.example" },
        { passwordPolicy: "strong" },
        { passwordPolicy: null, length: 20 },
        { schema: "ad" },
        { userdn: "ou=users" },
        { userattr: "uid" },
        { upndomain: "acme.example" },
        { requestTimeout: "20s" },
        { connectionTimeout: 10 },
        { starttls: true },
        { insecureTls: true },
        { certificate: authority.certificate },
        { clientTlsCert: client.certificate, clientTlsKey: client.key },
        { skipStaticRoleImportRotation: true },
        { binddn: "cn=other,dc=acme,dc=example" },
      ];
      let args = base;
      for (const change of changes) {
        args = { ...args, ...change };
        assert.equal(await managed.up(args), "updated", JSON.stringify(Object.keys(change)));
        await managed.refresh();
      }
      assert.equal(await managed.up(base), "updated", "all of them removed");
      // One more where a length replaces a policy: no request names both.
      assert.equal(written().length, changes.length + 2);
      assert.ok(!JSON.stringify(emulator.journal.requests()).includes("bind-password"));
      assert.equal(configurations()[0]?.bindpass, rotated);
      await managed.up({ ...base, bindpass: "set-by-hand" });
      assert.equal(configurations()[0]?.bindpass, "set-by-hand");
    });

    it("sends with every change what would fall back to its default without", async () => {
      const managed = await manage({ ...base, length: 20, userdn: "ou=users" });
      await managed.up({ ...base, length: 20, userdn: "ou=users", starttls: true });
      assert.equal(configurations()[0]?.length, 20);
    });

    it("leaves alone what the program never named", async () => {
      const managed = await manage();
      emulator.secrets.changeDirectoryConfig({ length: 33, upndomain: "acme.example" });
      await managed.up({ ...base, starttls: true });
      const [configuration] = configurations();
      assert.deepEqual([configuration?.length, configuration?.upndomain], [33, "acme.example"]);
    });

    it("goes from a length to a policy and back", async () => {
      const managed = await manage({ ...base, length: 20 });
      const kept = () => configurations().map(({ length, passwordPolicy }) => [length, passwordPolicy]);
      await managed.up({ ...base, passwordPolicy: "strong" });
      assert.deepEqual(kept(), [[0, "strong"]]);
      await managed.up({ ...base, length: 24 });
      assert.deepEqual(kept(), [[24, ""]]);
      await managed.up(base);
      assert.deepEqual(kept(), [[64, ""]]);
      const together = written().filter(
        (body) => "length" in Object(body) && "password_policy" in Object(body),
      );
      assert.deepEqual(together, []);
      assert.equal(await managed.up(base), "same");
      await managed.refresh();
      assert.equal(await managed.up(base), "same");
    });

    it("lets a policy win over a length that the program never named", async () => {
      const managed = await manage();
      emulator.secrets.changeDirectoryConfig({ length: 33 });
      await managed.refresh();
      await managed.up({ ...base, passwordPolicy: "strong" });
      assert.deepEqual(
        configurations().map(({ length, passwordPolicy }) => [length, passwordPolicy]),
        [[0, "strong"]],
      );
    });

    it("clears to the documented defaults what leaves the program", async () => {
      const { authority, client } = certificates();
      const managed = await manage({
        ...base,
        url: "ldaps://ldap.example",
        schema: "ad",
        userdn: "ou=users",
        userattr: "uid",
        upndomain: "acme.example",
        requestTimeout: 10,
        connectionTimeout: 10,
        starttls: true,
        insecureTls: true,
        certificate: authority.certificate,
        clientTlsCert: client.certificate,
        clientTlsKey: client.key,
        skipStaticRoleImportRotation: true,
      });
      assert.equal(await managed.up(base), "updated");
      const [{ bindpass, mount, passwordPolicy, length, lastBindPasswordRotation, ...configuration } = {}] =
        configurations();
      assert.deepEqual(configuration, {
        binddn: admin,
        url: "ldap://127.0.0.1",
        schema: "open",
        userdn: "",
        userattr: "cn",
        upndomain: "",
        requestTimeout: 90,
        connectionTimeout: 30,
        starttls: false,
        insecureTls: false,
        certificate: "",
        clientTlsCert: "",
        clientTlsKey: "",
        skipStaticRoleImportRotation: false,
      });
      assert.equal(await managed.up(base), "same");
      const { outputs } = managed;
      await managed.refresh();
      assert.deepEqual(managed.outputs, outputs, "what was shown is what the service has");
      assert.equal(await managed.up(base), "same");
    });

    it("in the service, is repaired, without the password", async () => {
      const args = { ...base, url: "ldaps://ldap.example", starttls: false };
      const managed = await manage(args);
      emulator.secrets.changeDirectoryConfig({ url: "ldap://elsewhere", starttls: true });
      await managed.refresh();
      assert.equal(managed.inputs.url, "ldap://elsewhere");
      assert.equal(await managed.up(args), "updated");
      assert.ok(!("bindpass" in lastWritten()));
      assert.deepEqual(
        configurations().map(({ url, starttls }) => [url, starttls]),
        [["ldaps://ldap.example", false]],
      );
    });
  });

  describe("taken over", () => {
    beforeEach(async () => {
      await manage({ ...base, userdn: "ou=users" });
      emulator.journal.clear();
    });

    it("is not sent bindpass, as the one that is there may have been rotated", async () => {
      const args = { ...base, bindpass: "long-dead", url: "ldap://other.example", adopt: true };
      const managed = await manage(args);
      assert.equal(managed.id, "ldap");
      assert.ok(!("bindpass" in lastWritten()));
      assert.equal(lastWritten().url, "ldap://other.example");
      const [configuration] = configurations();
      assert.deepEqual([configuration?.bindpass, configuration?.userdn], ["bind-password", "ou=users"]);
      assert.equal(await managed.up(args), "same");
      await managed.up({ ...args, bindpass: "new-one" });
      assert.equal(configurations()[0]?.bindpass, "new-one");
    });

    it("is not written at all when it is as the program says", async () => {
      await manage({ ...base, bindpass: "long-dead", adopt: true });
      assert.deepEqual(written(), []);
    });

    it("is made where there is none", async () => {
      emulator.secrets.removeDirectoryConfig();
      await manage({ ...base, adopt: true });
      assert.equal(lastWritten().bindpass, "bind-password");
    });
  });

  describe("gone", () => {
    it("is found out, and is no failure when it is deleted", async () => {
      const managed = await manage();
      emulator.secrets.removeDirectoryConfig();
      await managed.destroy();
      managed.id = "ldap";
      assert.equal(await managed.refresh(), false);
    });

    it("says that the password may have been rotated, when that is seen and when it is made again", async () => {
      const announced: string[] = [];
      const step = stepAt(emulator, (kind, message) => announced.push(`${kind}: ${message}`));
      assert.equal(await configDefinition.read(step, "ldap", { binddn: admin }), undefined);
      assert.match(announced.join(), /^warning: .* is gone\..* may have been rotated/);
      announced.length = 0;
      await configDefinition.create(step, { ...base, mount: "ldap" } as never);
      assert.match(announced.join(), /^information: .*password of cn=admin.* may have been rotated/);
      assert.ok(!announced.join().includes("bind-password"));
    });

    for (const [what, had] of [
      ["roles that were there before", true],
      ["an engine that was never configured", false],
    ] as const) {
      it(`${had ? "says so" : "says nothing"} in another process, by ${what}`, async () => {
        // A connection remembers what was gone on a mount, and all tests share it.
        const mount = had ? "former" : "fresh";
        emulator.secrets.addMount({ type: "directory", path: mount });
        if (had) {
          emulator.secrets.addDirectoryEntry({ dn: "cn=payments,dc=example", password: "x" });
          await manage({ ...base, mount });
          const role = new Managed(staticRoleDefinition, emulator);
          await role.up({
            mount,
            roleName: "payments",
            username: "payments",
            dn: "cn=payments,dc=example",
            rotationPeriod: "1h",
            skipImportRotation: true,
          });
          emulator.secrets.removeDirectoryConfig(mount);
        }
        const announced: string[] = [];
        const step = stepAt(emulator, (kind, message) => announced.push(`${kind}: ${message}`));
        await configDefinition.create(step, { ...base, mount } as never);
        if (had) {
          assert.match(announced.join(), /^information: .* is created again, .* may have been rotated/);
        } else {
          assert.deepEqual(announced, []);
        }
      });
    }
  });
});
