import assert from "node:assert/strict";
import { certificates } from "../../../support/certificates";
import { useEmulator } from "../../../support/use-emulator";
import { assertRefused, numbered } from "../refusals";
import { addEntries, binddn, DirectoryClient, passwordOf, settings } from "./directory";

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
    const response = (await ldap.send("GET", "config")).body;
    assert.ok(JSON.stringify(response).includes("BEGIN CERTIFICATE"));
    assert.ok(!JSON.stringify(response).includes("client_tls"));
    assert.equal(stored()?.clientTlsKey, key);
  });

  describe("rotation of the bind password", () => {
    it("changes the password in the directory, which nobody gets to know", async () => {
      await write({ ...settings, length: 20 });
      await ldap.write("rotate-root");
      const password = passwordOf(emulator, binddn);
      assert.match(password ?? "", /^[A-Za-z0-9]{20}$/);
      assert.equal(stored()?.bindpass, password);
      const response = JSON.stringify((await ldap.send("GET", "config")).body);
      assert.ok(!response.includes(password ?? ""));
      assert.equal(stored()?.lastBindPasswordRotation, "2024-02-09T15:04:05.000Z");
      await ldap.write("rotate-root");
      assert.notEqual(passwordOf(emulator, binddn), password);
    });

    it("makes them of 64 letters and digits where neither a length nor a policy is set", async () => {
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

    it("finds an account by its login name", async () => {
      emulator.secrets.changeDirectoryEntry(binddn, {
        attributes: { userPrincipalName: "admin@example.org" },
      });
      await write({ binddn: "admin", bindpass: "adminpw", upndomain: "example.org", schema: "ad" });
      await ldap.write("rotate-root");
      assert.notEqual(passwordOf(emulator, binddn), "adminpw");
    });
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
