import assert from "node:assert/strict";
import { certificates } from "../../support/certificates";
import { type Exchange, assertRefused, assertResponses, at, textAt } from "../call";
import { SecretsClient, binddn, dnOf, passwordOf, useDirectory, users } from "./client";

const frozenAt = new Date("2024-02-09T15:04:05Z");
const config = "POST /v1/ldap/config";
const both = /cannot set both 'password_policy' and 'length'/;
const alice = { username: "alice", rotation_period: "1h" };
const account = `dn: cn={{.Username}},${users}`;
const creation = `${account}\nchangetype: add\nobjectClass: person\ncn: {{.Username}}\nuserPassword: {{.Password}}\n`;
const deletion = `${account}\nchangetype: delete\n`;
const role = { creation_ldif: creation, deletion_ldif: deletion };
const team = { service_account_names: ["svc1", "svc2"], ttl: "1h", max_ttl: "10h" };

describe("the emulated directory engine", () => {
  const { emulator, ldap } = useDirectory({ frozenAt });
  const state = () => emulator.inspect().secrets;
  const password = () => passwordOf(emulator, dnOf("alice"));
  const changeBindPassword = (password: string) =>
    emulator.secrets.changeDirectoryEntry(binddn, { password });

  it("the emulated directory engine rejects requests that break a rule, and then changes nothing", async () => {
    const dynamic = "POST /v1/ldap/role/dyn";
    const set = "POST /v1/ldap/library/team";
    await ldap.write("library/team", { name: "team", ...team });
    await ldap.write("config", { password_policy: "strong" });
    const before = state();
    await assertResponses(emulator, "secrets", [
      [config, { length: 20 }, 500, both],
      [config, { password_policy: "", length: 20 }, 500, both],
      [config, { length: -1, password_policy: undefined }, 500, /length may not be negative/],
      [dynamic, { ...role, rollback_ldif: "dn: {{nope}}" }, 500, /invalid rollback_ldif: .*"nope" not/],
      [dynamic, { ...role, creation_ldif: "# nothing" }, 500, /must specify at least one LDIF entry/],
      [set, { ...team, name: "others" }, 400, /"others" in the body, but "team" in the path/],
      [set, team, 400, /^missing name$/],
      [`${set}/check-out`, {}, 400, /^missing name$/],
    ]);
    assert.deepEqual(state(), before);
  });

  it("a name in the path can be repeated in the body if it is the same", async () => {
    await ldap.write("role/dyn", { ...role, role_name: "dyn" });
    const other = /role_name is "other" in the body, but "dyn" in the path/;
    await assertResponses(emulator, "secrets", [
      ["POST /v1/ldap/role/dyn", { ...role, role_name: "other" }, 400, other],
      ["POST /v1/scheduler/role/reader", { name: "reader" }, 204],
      ["POST /v1/scheduler/role/reader", { name: "x" }, 400, /name is "x" in the body, but "reader"/],
    ]);
  });

  it("the emulated directory engine returns every documented member, even before there is a value", async () => {
    await ldap.write("static-role/web", { ...alice, skip_import_rotation: true });
    const { last_svc_rotation } = (await ldap.data("GET", "static-role/web")) as Record<string, unknown>;
    assert.equal(last_svc_rotation, "0001-01-01T00:00:00Z");
    await ldap.write("library/team", { name: "team", ...team });
    await ldap.envelope("POST", "library/team/check-out", { name: "team" });
    const status = await ldap.data("GET", "library/team/status");
    assert.equal(at(status, "svc1", "borrower_entity_id"), "");
  });

  it("the bind password is rotated in the directory only, and no response shows it or a key", async () => {
    // Whether the key fits is not asked.
    const pair = { client_tls_cert: "a certificate", client_tls_key: "canary-key" };
    await ldap.write("config", { length: 20, ...pair });
    await ldap.write("rotate-root");
    const rotated = passwordOf(emulator, binddn) ?? "";
    assert.match(rotated, /^[A-Za-z0-9]{20}$/);
    const { bindpass, lastBindPasswordRotation, clientTlsKey } = state().directoryConfigs[0] ?? {};
    const actual = [bindpass, lastBindPasswordRotation, clientTlsKey];
    assert.deepEqual(actual, [rotated, frozenAt.toJSON(), "canary-key"]);
    const shown = JSON.stringify(await ldap.data("GET", "config"));
    assert.ok(!shown.includes(rotated) && !shown.includes("canary-key"));
  });

  it("the bind password is rotated to 64 letters and digits, or to one from a policy, which must then exist", async () => {
    await ldap.write("rotate-root");
    const first = passwordOf(emulator, binddn);
    assert.match(first ?? "", /^[A-Za-z0-9]{64}$/);
    await ldap.write("config", { password_policy: "strong" });
    assertRefused(await ldap.send("POST", "rotate-root"), 500, /no password policy "strong" found/);
    assert.equal(passwordOf(emulator, binddn), first);
    emulator.secrets.addPasswordPolicy({ name: "strong", length: 12, characters: "ab" });
    await ldap.write("rotate-root");
    assert.match(passwordOf(emulator, binddn) ?? "", /^[ab]{12}$/);
  });

  it("the emulated directory engine finds accounts by the login name of a domain", async () => {
    for (const [dn, name] of Object.entries({ [dnOf("alice")]: "alice", [binddn]: "admin" })) {
      const attributes = { userPrincipalName: `${name}@example.org` };
      emulator.secrets.changeDirectoryEntry(dn, { attributes });
    }
    const upndomain = "example.org";
    await ldap.write("config", { binddn: "admin", userattr: "userPrincipalName", upndomain });
    await ldap.write("static-role/web", alice);
    assert.notEqual(password(), "alicepw");
  });

  it("the emulated directory engine retries a rotation and a check-in after 10 seconds if the directory rejects them", async () => {
    await ldap.write("static-role/web", alice);
    await ldap.write("library/team", { name: "team", ...team });
    await ldap.envelope("POST", "library/team/check-out", { name: "team" });
    const available = async () => at(await ldap.data("GET", "library/team/status"), "svc1", "available");
    const first = password();
    changeBindPassword("changed");
    emulator.advance("1h");
    assert.deepEqual([password(), await available()], [first, false]);
    changeBindPassword("adminpw");
    emulator.advance("10s");
    assert.notEqual(password(), first);
    assert.equal(at(await ldap.data("GET", "static-cred/web"), "last_password"), first);
    assert.equal(await available(), true);
  });

  const credentials = async (name = "dyn"): Promise<unknown> => ldap.envelope("GET", `creds/${name}`);
  const entry = (dn = dnOf("x")) => state().directoryEntries.find((candidate) => candidate.dn === dn);
  const write = async (body: object): Promise<void> =>
    ldap.write("role/dyn", { ...role, username_template: "x", ...body });

  it("credentials are issued with a password in the form that the schema ad requires, by several changes in order", async () => {
    const group = `cn=group,${users}`;
    emulator.secrets.addDirectoryEntry({ dn: group });
    const add = `${account}\nchangetype: add\nunicodePwd::{{ printf "%q" .Password | utf16le | base64 }}\n`;
    const join = `dn: ${group}\nchangetype: modify\nadd: member\nmember: ${dnOf("x")}\n-\n`;
    await write({ creation_ldif: `${add}\n${join}` });
    const data = at(await credentials(), "data");
    assert.deepEqual(at(data, "distinguished_names"), [dnOf("x"), group]);
    assert.equal(entry()?.password, at(data, "password"));
    assert.deepEqual(entry(group)?.attributes["member"], [dnOf("x")]);
    emulator.secrets.removeMount("ldap");
    assert.equal(entry(), undefined, "they end with their mount");
  });

  it("credentials are issued under a name of the default template, which keeps dashes and underscores", async () => {
    for (const [username_template, name] of [
      ["", /^v_[\w-]+_web-app_1_[A-Za-z0-9]{10}_1707491045$/],
      ['{{.RoleName | replace "-" "" | replace "_" ""}}', /^webapp1$/],
    ] as const) {
      await ldap.write("role/web-app_1", { ...role, username_template });
      assert.match(textAt(await credentials("web-app_1"), "data", "username"), name);
    }
  });

  it("credentials are issued with the lease's times, never later ones", async () => {
    const times = ["IssueTime", "ExpirationTime", "IssueTimeSeconds", "ExpirationTimeSeconds"];
    const written = times.map((name) => `${name}: {{ .${name} }}\n`).join("");
    await write({ creation_ldif: creation + written, default_ttl: "1h" });
    assert.equal(at(await credentials(), "lease_duration"), 3_600);
    const found = times.flatMap((name) => entry()?.attributes[name]);
    assert.deepEqual(found, ["2024-02-09T15:04:05Z", "2024-02-09T16:04:05Z", "1707491045", "1707494645"]);
  });

  it("credentials are not issued if the directory rejects them, and a rollback removes created entries, even after errors", async () => {
    const failed = /failed to create user: .*Result Code 32 "No Such Object"/;
    const broken = `${creation}\ndn: cn=x,ou=nowhere,${users}\nchangetype: add\ncn: x\n`;
    const missing = `dn: cn=missing,${users}\nchangetype: delete\n`;
    for (const [rollback_ldif, error, stays] of [
      [`${missing}\n${deletion}`, /.*failed to roll back user creation: .*"No Such Object"/, false],
      [deletion, failed, false],
      ["", failed, true],
    ] as const) {
      await write({ creation_ldif: broken, rollback_ldif });
      assertRefused(await ldap.send("GET", "creds/dyn"), 500, error);
      assert.deepEqual([state().leases, state().directoryIssuedAccounts], [[], []]);
      assert.equal(entry() !== undefined, stays);
    }
  });

  it("when credentials expire, the emulator removes as many accounts as possible and reports the others", async () => {
    const twice = `dn: cn=gone,${users}\nchangetype: delete\n\n${deletion}`;
    await write({ deletion_ldif: twice, default_ttl: 60 });
    await credentials();
    emulator.advance("1m");
    assert.equal(entry(), undefined);
    await write({ default_ttl: 60 });
    await credentials();
    emulator.secrets.removeDirectoryConfig();
    emulator.advance("1m");
    assert.notEqual(entry(), undefined);
    assert.deepEqual(
      state().directoryIssuedAccounts.map(({ deletionFailure }) => deletionFailure),
      ['LDAP Result Code 32 "No Such Object": ', "missing LDAP configuration"],
    );
  });

  describe("checks out the accounts of a set", () => {
    beforeEach(async () => ldap.write("library/team", { name: "team", ...team }));
    const checkOut = async (client = ldap): Promise<unknown> =>
      client.envelope("POST", "library/team/check-out", { name: "team" });

    it("accounts of a set are checked out with a lease, in the same envelope as the status", async () => {
      const out = await checkOut();
      const asked = await ldap.envelope("GET", "library/team/status");
      assert.deepEqual(Object.keys(out as object), Object.keys(asked as object));
      assert.deepEqual([at(out, "renewable"), at(asked, "renewable")], [true, false]);
      assert.deepEqual(at(asked, "data", "svc2"), { available: true });
    });

    it("accounts of a set are checked in by name, all or none, only by the borrower: the same token or entity", async () => {
      const as = (entityId: string): SecretsClient =>
        new SecretsClient(emulator, "ldap/", emulator.secrets.addToken({ entityId }));
      const [own, other] = [emulator.secrets.addEntity().id, emulator.secrets.addEntity().id];
      await checkOut(as(own));
      const error = /^"svc1" can't be checked in because it wasn't checked out by the caller$/;
      for (const [client, service_account_names, status, refusal] of [
        [as(own), "svc1,ghost", 500, /not found/],
        [as(other), "svc1", 400, error],
        // Names can be omitted when only one account is checked out, no matter who has it.
        [ldap, undefined, 400, error],
      ] as const) {
        const body = { name: "team", service_account_names };
        assertRefused(await client.send("POST", "library/team/check-in", body), status, refusal);
      }
      const taken = await as(own).data("POST", "library/team/check-in", { name: "team" });
      assert.deepEqual(taken, { check_ins: ["svc1"] });
    });
  });
});

describe("the emulated directory engine in the hashicorp dialect", () => {
  const { emulator, ldap } = useDirectory({ dialect: { secrets: "hashicorp" }, frozenAt });

  it("the emulated directory engine rejects what the products reject", async () => {
    const { certificate, key } = certificates().client;
    const pair = { client_tls_cert: certificate, client_tls_key: key };
    const unfit = [certificates().otherAuthority.key, "x"].map((key): Exchange => {
      return [config, { ...pair, client_tls_key: key }, 500, /failed to parse client X509/];
    });
    const set = { service_account_names: ["svc1"] };
    await assertResponses(emulator, "secrets", [
      [config, { url: "" }, 500, /at least one url must be/],
      [config, { ...pair, client_tls_key: "" }, 500, /must be set, or neither/],
      ...unfit,
      ["POST /v1/ldap/library/night%20shift", set, 404, /unsupported path/],
      ["POST /v1/ldap/library/-team", set, 404, /unsupported path/],
      [config, { ...pair, binddn: "", userdn: "", upndomain: "acme.example" }, 204],
      [config, { password_policy: "strong" }, 204],
      [config, { length: 20 }, 500, both],
      [config, { length: 20, password_policy: "" }, 204],
      [config, { length: 0, password_policy: "strong" }, 500, both],
    ]);
    const shown = async () => {
      const data = await ldap.data("GET", "config");
      return ["length", "password_policy", "schema"].map((name) => at(data, name));
    };
    assert.deepEqual(await shown(), [20, undefined, "openldap"]);
    await ldap.write("config", { password_policy: "strong", schema: "racf" });
    assert.deepEqual(await shown(), [undefined, "strong", "racf"]);
  });

  it("the emulated directory engine checks out for the set's maximum if 0 is requested, and never for longer", async () => {
    await ldap.write("library/team", team);
    const lasting = async (ttl: string | number) =>
      at(await ldap.envelope("POST", "library/team/check-out", { ttl }), "lease_duration");
    assert.deepEqual([await lasting("2h"), await lasting(0)], [3_600, 36_000]);
  });

  it("the emulated directory engine does not end a lease at check-in, and its expiry checks the account in, even if it was checked out again", async () => {
    await ldap.write("library/team", { ...team, service_account_names: ["svc1"] });
    const checkOut = async () => textAt(await ldap.envelope("POST", "library/team/check-out"), "lease_id");
    const available = async () => at(await ldap.data("GET", "library/team/status"), "svc1", "available");
    const lost = await checkOut();
    await ldap.data("POST", "library/team/check-in");
    await checkOut();
    assert.equal(await available(), false);
    emulator.secrets.revokeLease(lost);
    assert.equal(await available(), true);
  });
});
