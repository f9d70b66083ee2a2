import assert from "node:assert/strict";
import { certificates } from "../../../support/certificates";
import { useEmulator } from "../../../support/use-emulator";
import { assertRefused, numbered } from "../refusals";
import { addEntries, base, binddn, DirectoryClient, dnOf, passwordOf, settings, users } from "./directory";

describe("the emulated directory engine's configuration", () => {
  const emulator = useEmulator({ frozenAt: new Date("2024-02-09T15:04:05Z") });
  let ldap: DirectoryClient;
  before(() => {
    ldap = new DirectoryClient(emulator);
  });
  beforeEach(() => {
    addEntries(emulator);
  });

  const stored = () => emulator.inspect().secrets.directoryConfigs[0];
  const write = async (body: object): Promise<void> => ldap.write("config", body);
  const failing = async (body: object, error: string | RegExp): Promise<void> => {
    const before = stored();
    assertRefused(
      await ldap.send("POST", "config", body),
      500,
      typeof error === "string" ? numbered(error) : error,
    );
    assert.deepEqual(stored(), before);
  };

  it("is absent before the first write and after it was deleted, which works also without one", async () => {
    const absent = async (): Promise<void> => {
      const reply = await ldap.send("GET", "config");
      assert.deepEqual([reply.status, reply.body], [404, { errors: [] }]);
    };
    await absent();
    await write(settings);
    await ldap.done("DELETE", "config");
    await absent();
    await ldap.done("DELETE", "config");
  });

  it("is read with its defaults, and without the password", async () => {
    await write(settings);
    assert.deepEqual(await ldap.read("config"), {
      binddn,
      case_sensitive_names: false,
      certificate: "",
      insecure_tls: false,
      length: 64,
      schema: "open",
      starttls: false,
      tls_max_version: "tls12",
      tls_min_version: "tls12",
      url: "ldap://127.0.0.1",
    });
    assert.equal(stored()?.bindpass, "adminpw");
  });

  it("keeps what an update leaves out, except the length", async () => {
    await write({
      ...settings,
      url: "LDAPS://One.Example.org,ldap://TWO",
      request_timeout: "2m",
      connection_timeout: 5,
      length: 32,
    });
    await write({
      starttls: true,
      insecure_tls: true,
      skip_static_role_import_rotation: true,
      upndomain: "example.org",
    });
    const { length, ...config } = stored() ?? assert.fail();
    assert.equal(length, 0);
    assert.deepEqual(config, {
      mount: "ldap",
      binddn,
      bindpass: "adminpw",
      url: "LDAPS://One.Example.org,ldap://TWO",
      passwordPolicy: "",
      schema: "open",
      userdn: users,
      userattr: "cn",
      upndomain: "example.org",
      requestTimeout: 120,
      connectionTimeout: 5,
      starttls: true,
      insecureTls: true,
      certificate: "",
      clientTlsCert: "",
      clientTlsKey: "",
      skipStaticRoleImportRotation: true,
      lastBindPasswordRotation: null,
    });
  });

  it("shows the length, never the policy, and unsets both", async () => {
    const shown = async (): Promise<unknown> => {
      const config = (await ldap.read("config")) as Record<string, unknown>;
      return [config["length"], config["password_policy"]];
    };
    await write({ ...settings, length: 32 });
    assert.deepEqual(await shown(), [32, undefined]);
    await write({ password_policy: "strong" });
    assert.deepEqual(await shown(), [64, undefined]);
    assert.equal(stored()?.passwordPolicy, "strong");
    await write({ password_policy: "" });
    assert.equal(stored()?.passwordPolicy, "");
  });

  it("takes the search attribute from the schema, once", async () => {
    for (const [schema, userattr] of [
      ["open", "cn"],
      ["ad", "userPrincipalName"],
      ["racf", "racfid"],
    ]) {
      await ldap.done("DELETE", "config");
      await write({ ...settings, schema });
      assert.equal(stored()?.userattr, userattr);
    }
    await write({ schema: "open" });
    assert.equal(stored()?.userattr, "racfid");
    await write({ userattr: "uid" });
    assert.equal(stored()?.userattr, "uid");
  });

  it("needs an account", async () => {
    await failing({ binddn }, /cannot derive UserBindDN/);
    await failing({ bindpass: "x" }, /cannot derive UserBindDN/);
    await write(settings);
    await failing({ bindpass: "" }, /cannot derive UserBindDN/);
  });

  it("takes a length or a policy, not both, whenever they were written", async () => {
    const error = "cannot set both 'password_policy' and 'length'";
    await failing({ ...settings, length: 20, password_policy: "strong" }, error);
    await write({ ...settings, password_policy: "strong" });
    await failing({ length: 20 }, error);
    await failing({ password_policy: "", length: 20 }, error);
    await write({ password_policy: "" });
    await failing({ length: -1 }, "length may not be negative");
  });

  it("refuses an unknown schema", async () => {
    await failing(
      { ...settings, schema: "openldap" },
      "the configured schema openldap is not valid. Supported schemas: [open ad racf]",
    );
  });

  it("looks at certificates and keys", async () => {
    const { authority, client, otherAuthority } = certificates();
    const { key, certificate } = client;
    const foreign = otherAuthority.key;
    const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    await failing(
      { ...settings, certificate: "text" },
      /failed to parse server tls cert: failed to decode PEM/,
    );
    await failing({ ...settings, certificate: broken }, /holds no certificate/);
    // The documents do not say that a certificate needs its key.
    await write({ ...settings, client_tls_cert: certificate });
    await write({ ...settings, client_tls_key: foreign });
    await write({
      ...settings,
      certificate: authority.certificate,
      client_tls_cert: certificate,
      client_tls_key: key,
    });
    const answer = (await ldap.send("GET", "config")).body;
    assert.ok(JSON.stringify(answer).includes("BEGIN CERTIFICATE"));
    assert.ok(!JSON.stringify(answer).includes("client_tls"));
    assert.equal(stored()?.clientTlsKey, key);
  });

  it("refuses what it does not know, and wrong kinds", async () => {
    assertRefused(
      await ldap.send("POST", "config", { ...settings, groupdn: "x" }),
      400,
      /unrecognized .*groupdn/,
    );
    assertRefused(await ldap.send("POST", "config", { ...settings, starttls: "yes" }), 400, /"starttls"/);
    assertRefused(
      await ldap.send("POST", "config", { ...settings, request_timeout: "-1s" }),
      400,
      /"request_timeout"/,
    );
    assertRefused(await ldap.send("POST", "config", { ...settings, length: "20" }), 400, /"length"/);
    assert.equal(stored(), undefined);
  });

  describe("rotation of the bind password", () => {
    it("changes the password in the directory, which nobody is told", async () => {
      await write({ ...settings, length: 20 });
      await ldap.write("rotate-root");
      const password = passwordOf(emulator, binddn);
      assert.match(password ?? "", /^[A-Za-z0-9]{20}$/);
      assert.equal(stored()?.bindpass, password);
      const answer = JSON.stringify((await ldap.send("GET", "config")).body);
      assert.ok(!answer.includes(password ?? ""));
      assert.equal(stored()?.lastBindPasswordRotation, "2024-02-09T15:04:05.000Z");
      await ldap.write("rotate-root");
      assert.notEqual(passwordOf(emulator, binddn), password);
    });

    it("makes passwords of 64 letters and digits when nothing else is said", async () => {
      await write(settings);
      await ldap.write("rotate-root");
      assert.match(passwordOf(emulator, binddn) ?? "", /^[A-Za-z0-9]{64}$/);
    });

    it("makes them by a policy, which must exist by then", async () => {
      await write({ ...settings, password_policy: "strong" });
      assertRefused(
        await ldap.send("POST", "rotate-root"),
        500,
        numbered('no password policy "strong" found'),
      );
      assert.equal(passwordOf(emulator, binddn), "adminpw");
      emulator.secrets.addPasswordPolicy({ name: "strong", length: 12, characters: "ab" });
      await ldap.write("rotate-root");
      assert.match(passwordOf(emulator, binddn) ?? "", /^[ab]{12}$/);
    });

    it("locks the engine out when the old password is written again", async () => {
      await write(settings);
      await ldap.write("rotate-root");
      const rotated = passwordOf(emulator, binddn);
      await write({ bindpass: "adminpw" });
      const error = numbered('LDAP Result Code 49 "Invalid Credentials": ');
      assertRefused(await ldap.send("POST", "rotate-root"), 500, error);
      assertRefused(
        await ldap.send("POST", "static-role/alice", { username: "alice", rotation_period: "1h" }),
        500,
        error,
      );
      assert.equal(passwordOf(emulator, binddn), rotated);
    });

    it("fails without a configuration, and without the right to change entries", async () => {
      assertRefused(await ldap.send("POST", "rotate-root"), 500, numbered("the config is currently unset"));
      emulator.secrets.changeDirectoryEntry(binddn, { mayManage: false });
      await write(settings);
      assertRefused(
        await ldap.send("POST", "rotate-root"),
        500,
        numbered('LDAP Result Code 50 "Insufficient Access Rights": '),
      );
    });

    it("finds an account by its login name", async () => {
      emulator.secrets.changeDirectoryEntry(binddn, {
        attributes: { userPrincipalName: "admin@example.org" },
      });
      await write({ binddn: "admin", bindpass: "adminpw", upndomain: "example.org", schema: "ad" });
      await ldap.write("rotate-root");
      assert.notEqual(passwordOf(emulator, binddn), "adminpw");
    });
  });

  it("is each mount's own, over one directory", async () => {
    emulator.secrets.addMount({ type: "directory", path: "corp/ldap" });
    const corp = new DirectoryClient(emulator, "corp/ldap");
    await write(settings);
    assert.equal((await corp.send("GET", "config")).status, 404);
    await corp.write("config", { binddn: dnOf("svc1"), bindpass: "svc1pw", userdn: base });
    await corp.write("rotate-root");
    assert.notEqual(passwordOf(emulator, dnOf("svc1")), "svc1pw");
    assert.deepEqual(
      emulator.inspect().secrets.directoryConfigs.map(({ mount, userdn }) => [mount, userdn]),
      [
        ["ldap", users],
        ["corp/ldap", base],
      ],
    );
  });

  it("can be changed and removed behind a program's back", async () => {
    assert.throws(() => emulator.secrets.changeDirectoryConfig({ url: "x" }), /has no configuration/);
    assert.throws(
      () => emulator.secrets.removeDirectoryConfig("nowhere"),
      /no directory engine at "nowhere"/,
    );
    await write(settings);
    assert.equal(emulator.secrets.changeDirectoryConfig({ url: "ldap://drifted" }).url, "ldap://drifted");
    assert.equal(stored()?.url, "ldap://drifted");
    emulator.secrets.removeDirectoryConfig();
    assert.equal((await ldap.send("GET", "config")).status, 404);
  });
});
