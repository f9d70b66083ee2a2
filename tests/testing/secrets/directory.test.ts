import assert from "node:assert/strict";
import { certificates } from "../../support/certificates";
import { useEmulator } from "../../support/use-emulator";
import { type Reply, at, textAt } from "../call";
import {
  DirectoryClient,
  addEntries,
  assertRefused,
  binddn,
  dnOf,
  numbered,
  passwordOf,
  settings,
  users,
} from "./client";

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
    await failing({ ...settings, certificate: broken }, /failed to decode PEM/);
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
});

const start = "2024-02-09T15:04:05.000Z";

describe("the emulated directory engine's static roles", () => {
  const emulator = useEmulator({ frozenAt: new Date(start) });
  let ldap: DirectoryClient;
  before(() => {
    ldap = new DirectoryClient(emulator);
  });
  beforeEach(async () => {
    addEntries(emulator);
    await ldap.write("config", settings);
  });

  const alice = { username: "alice", rotation_period: "1h" };
  const password = () => passwordOf(emulator, dnOf("alice"));

  it("find it by the login name of a domain", async () => {
    const { secrets } = emulator;
    const nameOf = (name: string) => ({ attributes: { userPrincipalName: `${name}@example.org` } });
    secrets.changeDirectoryEntry(dnOf("alice"), nameOf("alice"));
    secrets.changeDirectoryEntry(binddn, nameOf("admin"));
    await ldap.write("config", { binddn: "admin", userattr: "userPrincipalName", upndomain: "example.org" });
    await ldap.write("static-role/web", alice);
    assert.notEqual(password(), "alicepw");
  });

  it("are refused when a rule is broken", async () => {
    for (const [body, error] of [
      [{ username: "", rotation_period: "1h" }, "username is a required field to manage a static account"],
      [{ username: "alice" }, "rotation_period is required to create static accounts"],
      [{ ...alice, rotation_period: "4s" }, "rotation_period must be 5 seconds or more"],
      [{ ...alice, rotation_period: "often" }, /"rotation_period"/],
    ] as const) {
      assertRefused(await ldap.send("POST", "static-role/web", body), 400, error);
    }
    assert.deepEqual(emulator.inspect().secrets.directoryStaticRoles, []);
  });

  it("try again after 10 seconds when the directory refuses a rotation", async () => {
    await ldap.write("static-role/web", alice);
    const first = password();
    emulator.secrets.changeDirectoryEntry(binddn, { password: "changed" });
    const error = numbered('LDAP Result Code 49 "Invalid Credentials": ');
    assertRefused(await ldap.send("POST", "rotate-role/web"), 500, error);
    emulator.advance("1h");
    assert.equal(password(), first);
    emulator.secrets.changeDirectoryEntry(binddn, { password: "adminpw" });
    emulator.advance("10s");
    assert.notEqual(password(), first);
    assert.equal(at(await ldap.read("static-cred/web"), "last_password"), first);
  });
});

const account = `cn={{.Username}},${users}`;
const creation = `dn: ${account}\nchangetype: add\nobjectClass: person\ncn: {{.Username}}\nuserPassword: {{.Password}}\n`;
const deletion = `dn: ${account}\nchangetype: delete\n`;
const role = { creation_ldif: creation, deletion_ldif: deletion };

describe("the emulated directory engine's dynamic roles", () => {
  const emulator = useEmulator({ frozenAt: new Date("2024-02-09T15:04:05Z") });
  let ldap: DirectoryClient;
  before(() => {
    ldap = new DirectoryClient(emulator);
  });
  beforeEach(async () => {
    addEntries(emulator);
    await ldap.write("config", settings);
  });

  const write = async (body: object, name = "dyn"): Promise<void> => ldap.write(`role/${name}`, body);
  const failing = async (body: object, error: string | RegExp): Promise<void> => {
    const before = emulator.inspect().secrets;
    const reply = await ldap.send("POST", "role/dyn", body);
    assertRefused(reply, 500, typeof error === "string" ? numbered(error) : error);
    assert.deepEqual(emulator.inspect().secrets, before);
  };
  const credentials = async (name = "dyn"): Promise<unknown> => {
    const reply = await ldap.send("GET", `creds/${name}`);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body;
  };
  const entries = () => emulator.inspect().secrets.directoryEntries;
  const entry = (dn: string) => entries().find((candidate) => candidate.dn === dn);
  const refusedCredentials = async (error: string | RegExp): Promise<void> => {
    const before = entries();
    const reply = await ldap.send("GET", "creds/dyn");
    assertRefused(reply, 500, typeof error === "string" ? numbered(error) : error);
    assert.deepEqual(entries(), before);
    assert.deepEqual(emulator.inspect().secrets.leases, []);
  };

  describe("written", () => {
    it("need LDIF for creation and deletion, also after an update", async () => {
      await failing({ deletion_ldif: deletion }, "missing creation_ldif");
      await failing({ creation_ldif: creation }, "missing deletion_ldif");
      await write(role);
      await failing({ creation_ldif: "" }, "missing creation_ldif");
      await failing({ deletion_ldif: "" }, "missing deletion_ldif");
    });

    it("are refused with broken LDIF", async () => {
      await failing(
        { ...role, creation_ldif: "hello" },
        "invalid creation_ldif: LDIF is invalid: Error in line 1: missing 'dn:'",
      );
      await failing({ ...role, deletion_ldif: "dn: cn=a" }, /invalid deletion_ldif: LDIF is invalid/);
      await failing(
        { ...role, rollback_ldif: "dn: {{nope}}" },
        /invalid rollback_ldif: invalid template: .*"nope" not defined/,
      );
      await failing({ ...role, creation_ldif: "{{.Username" }, /unclosed action/);
      await failing({ ...role, creation_ldif: "# nothing" }, /must specify at least one LDIF entry/);
    });
  });

  describe("issue credentials", () => {
    it("with a password as the schema ad wants it", async () => {
      const quoted = 'unicodePwd::{{ printf "%q" .Password | utf16le | base64 }}';
      await write({
        ...role,
        creation_ldif: `dn: ${account}\nchangetype: add\n${quoted}\n`,
        username_template: "x",
      });
      const password = textAt(await credentials(), "data", "password");
      assert.equal(entry(dnOf("x"))?.password, password);
    });

    it("by several changes, in their order", async () => {
      const group = `cn=group,${users}`;
      emulator.secrets.addDirectoryEntry({ dn: group });
      const join = `dn: ${group}\nchangetype: modify\nadd: member\nmember: ${account}\n-\n`;
      await write({ ...role, creation_ldif: `${creation}\n${join}`, username_template: "x" });
      const names = at(await credentials(), "data", "distinguished_names");
      assert.deepEqual(names, [dnOf("x"), group]);
      assert.deepEqual(entry(group)?.attributes["member"], [dnOf("x")]);
    });

    it("under a name of the default template, which keeps dashes and underscores", async () => {
      await write(role, "web-app_1");
      const username = textAt(await credentials("web-app_1"), "data", "username");
      assert.match(username, /^v_[\w-]+_web-app_1_[A-Za-z0-9]{10}_1707491045$/);
      await write({ username_template: '{{.RoleName | replace "-" "" | replace "_" ""}}' }, "web-app_1");
      assert.equal(textAt(await credentials("web-app_1"), "data", "username"), "webapp1");
    });

    it("with the times of the lease, never later than its own", async () => {
      const times = ["IssueTime", "ExpirationTime", "IssueTimeSeconds", "ExpirationTimeSeconds"];
      const written = times.map((name) => `${name}: {{ .${name} }}\n`).join("");
      await write({ ...role, creation_ldif: creation + written, username_template: "x", default_ttl: "1h" });
      assert.equal(at(await credentials(), "lease_duration"), 3_600);
      const { attributes = {} } = entry(dnOf("x")) ?? {};
      assert.deepEqual(
        times.map((name) => attributes[name]),
        [["2024-02-09T15:04:05Z"], ["2024-02-09T16:04:05Z"], ["1707491045"], ["1707494645"]],
      );
    });

    it("not when the directory refuses; what was made before stays without a rollback", async () => {
      const broken = `${creation}\ndn: cn=x,ou=nowhere,${users}\nchangetype: add\ncn: x\n\n${creation.replace("cn=", "cn=never-")}`;
      await write({ ...role, creation_ldif: broken, username_template: "x" });
      const reply = await ldap.send("GET", "creds/dyn");
      assertRefused(
        reply,
        500,
        /failed to create user: failed to execute statements: LDAP Result Code 32 "No Such Object"/,
      );
      assert.ok(entry(dnOf("x")) !== undefined);
      assert.equal(entry(dnOf("never-x")), undefined);
      assert.deepEqual(emulator.inspect().secrets.leases, []);
      assert.deepEqual(emulator.inspect().secrets.directoryIssuedAccounts, []);
    });

    it("not when the directory refuses; a rollback removes what was made, going on after errors", async () => {
      const second = `cn=second-{{.Username}},${users}`;
      const broken = `${creation}\ndn: ${account}\nchangetype: add\ncn: x\n`;
      const rollback = `dn: ${second}\nchangetype: delete\n\n${deletion}`;
      await write({ ...role, creation_ldif: broken, rollback_ldif: rollback, username_template: "x" });
      await refusedCredentials(
        /failed to create user: .*"Entry Already Exists".*failed to roll back user creation: .*"No Such Object"/,
      );
      await write({ rollback_ldif: deletion });
      await refusedCredentials(
        'failed to create user: failed to execute statements: LDAP Result Code 68 "Entry Already Exists": ',
      );
    });
  });

  describe("remove accounts", () => {
    it("when their lease is revoked, or their mount removed", async () => {
      await write({ ...role, username_template: "{{random 5}}" });
      const [one, other] = [await credentials(), await credentials()];
      emulator.secrets.revokeLease(textAt(one, "lease_id"));
      assert.equal(entry(dnOf(textAt(one, "data", "username"))), undefined);
      assert.ok(entry(dnOf(textAt(other, "data", "username"))) !== undefined);
      emulator.secrets.removeMount("ldap");
      assert.equal(entry(dnOf(textAt(other, "data", "username"))), undefined);
    });

    it("as far as that is possible, and say what was not", async () => {
      const twice = `dn: cn=gone,${users}\nchangetype: delete\n\n${deletion}`;
      await write({ ...role, deletion_ldif: twice, default_ttl: 60, username_template: "x" });
      await credentials();
      emulator.advance("1m");
      assert.equal(entry(dnOf("x")), undefined);
      assert.equal(
        emulator.inspect().secrets.directoryIssuedAccounts[0]?.deletionFailure,
        'LDAP Result Code 32 "No Such Object": ',
      );
      await write({ deletion_ldif: deletion });
      await credentials();
      emulator.secrets.removeDirectoryConfig();
      emulator.advance("1m");
      assert.ok(entry(dnOf("x")) !== undefined);
      assert.equal(
        emulator.inspect().secrets.directoryIssuedAccounts[1]?.deletionFailure,
        "missing LDAP configuration",
      );
    });
  });
});

describe("the emulated directory engine's library sets", () => {
  const emulator = useEmulator({ frozenAt: new Date(start) });
  let ldap: DirectoryClient;
  before(() => {
    ldap = new DirectoryClient(emulator);
  });
  beforeEach(async () => {
    addEntries(emulator);
    await ldap.write("config", settings);
    await ldap.write("library/team", team);
  });

  const team = { service_account_names: ["svc1", "svc2"], ttl: "1h", max_ttl: "10h" };
  const accounts = () => emulator.inspect().secrets.directoryLibraryAccounts;
  const checkOut = async (body: object = {}, client = ldap): Promise<Reply> =>
    client.send("POST", "library/team/check-out", { name: "team", ...body });
  const checkIn = async (body: object = {}, client = ldap): Promise<Reply> =>
    client.send("POST", "library/team/check-in", { name: "team", ...body });
  const checkedIn = ({ body }: Reply): unknown => at(body, "data", "check_ins");
  const status = async (): Promise<unknown> => ldap.read("library/team/status");

  it("are refused when a rule is broken", async () => {
    for (const [body, error] of [
      [{ service_account_names: " , " }, "'service_account_names' must be provided"],
      [{ ...team, name: "others" }, /"others" in the body, but "team" in the path/],
      [{ ...team, renewable: true }, /unrecognized .*renewable/],
      [{ ...team, service_account_names: [3] }, /"service_account_names"/],
    ] as const) {
      assertRefused(await ldap.send("POST", "library/team", body), 400, error);
    }
    assertRefused(await ldap.send("POST", "library/team/check-out", {}), 400, "missing name");
    assertRefused(await checkOut({ name: "other" }), 400, /"other" in the body, but "team" in the path/);
  });

  it("can be changed and removed behind a program's back, with their check-outs", async () => {
    const { secrets } = emulator;
    assert.throws(() => secrets.changeDirectoryLibrarySet("none", {}), /no directory library set "none"/);
    await checkOut();
    await checkOut();
    const change = { ttl: 60, serviceAccountNames: ["svc2", "svc3"] };
    const { ttl, serviceAccountNames } = secrets.changeDirectoryLibrarySet("team", change);
    assert.deepEqual({ ttl, serviceAccountNames }, change);
    assert.deepEqual(
      accounts().map((account) => [account.name, account.checkOut !== null]),
      [
        ["svc2", true],
        ["svc3", false],
      ],
    );
    assert.equal(emulator.inspect().secrets.leases.length, 1);
    secrets.removeDirectoryLibrarySet("team");
    assert.deepEqual([accounts(), emulator.inspect().secrets.leases], [[], []]);
  });

  it("lend for as long as is asked for, within their limits", async () => {
    for (const [set, request, duration] of [
      [{}, { ttl: "10m" }, 600],
      [{}, { ttl: "2h" }, 3_600],
      [{}, { ttl: 0 }, 3_600],
      [{ ttl: 0, max_ttl: 0 }, {}, 0],
      [{}, { ttl: "2h" }, 7_200],
      [{ max_ttl: "90m" }, { ttl: "2h" }, 5_400],
    ] as const) {
      await ldap.write("library/team", set);
      const reply = await checkOut(request);
      assert.equal(at(reply.body, "lease_duration"), duration, JSON.stringify([set, request]));
      assert.deepEqual(checkedIn(await checkIn()), ["svc1"]);
    }
  });

  it("has the envelope of the status, with a lease", async () => {
    const members = "auth data lease_duration lease_id renewable request_id warnings wrap_info";
    const { body } = await checkOut();
    const asked = (await ldap.send("GET", "library/team/status")).body;
    for (const envelope of [body, asked]) {
      assert.equal(
        Object.keys(envelope as object)
          .toSorted()
          .join(" "),
        members,
      );
    }
    assert.deepEqual([at(body, "renewable"), at(asked, "renewable")], [true, false]);
    assert.deepEqual(at(asked, "data", "svc2"), { available: true });
  });

  it("take accounts back by their names, all or nothing", async () => {
    assert.deepEqual(checkedIn(await checkIn({ service_account_names: ["svc1"] })), []);
    await checkOut();
    await checkOut();
    assertRefused(await checkIn(), 400, /when multiple service accounts are checked out/);
    assertRefused(await checkIn({ service_account_names: ["svc1", "ghost"] }), 500, numbered("not found"));
    assert.equal(at(await status(), "svc1", "available"), false);
    assert.deepEqual(checkedIn(await checkIn({ service_account_names: "svc2" })), ["svc2"]);
    assert.deepEqual(checkedIn(await checkIn({ service_account_names: "svc1, svc2,svc1" })), ["svc1"]);
  });

  it("take accounts back from the borrower alone: the same token or the same entity", async () => {
    const { id } = emulator.secrets.addEntity();
    const another = (entityId: string): DirectoryClient =>
      new DirectoryClient(emulator, "ldap", emulator.secrets.addToken({ entityId }));
    await checkOut({}, another(id));
    const error = `"svc1" can't be checked in because it wasn't checked out by the caller`;
    const stranger = another(emulator.secrets.addEntity().id);
    assertRefused(await checkIn({ service_account_names: "svc1" }, stranger), 400, error);
    // Names may be left out when only one account is checked out, whoever has it.
    assertRefused(await checkIn(), 400, error);
    assert.deepEqual(checkedIn(await checkIn({}, another(id))), ["svc1"]);
  });

  it("take accounts back by themselves, later when the directory refuses at first", async () => {
    await checkOut();
    emulator.secrets.changeDirectoryEntry(binddn, { password: "changed" });
    emulator.advance("2h");
    assert.equal(at(await status(), "svc1", "available"), false);
    emulator.secrets.changeDirectoryEntry(binddn, { password: "adminpw" });
    emulator.advance("10s");
    assert.deepEqual(at(await status(), "svc1"), { available: true });
  });
});

describe("the emulator's directory entries", () => {
  const emulator = useEmulator();
  beforeEach(() => {
    addEntries(emulator);
  });

  it("are changed and removed, or an error in the test when they are no entries", () => {
    const { secrets } = emulator;
    const alice = () => emulator.inspect().secrets.directoryEntries.find(({ dn }) => dn === dnOf("alice"));
    const change = { password: "other", attributes: { sn: "L" }, mayManage: false };
    secrets.changeDirectoryEntry(dnOf("alice"), change);
    const changed = { ...change, dn: dnOf("alice"), attributes: { sn: ["L"], cn: ["alice"] } };
    assert.deepEqual(alice(), changed);
    secrets.changeDirectoryEntry(dnOf("alice"), {});
    assert.deepEqual(alice(), changed);
    assert.throws(() => secrets.addDirectoryEntry({ dn: dnOf("alice") }), /Entry Already Exists/);
    secrets.removeDirectoryEntry(dnOf("alice"));
    assert.equal(alice(), undefined);
    assert.throws(() => secrets.addDirectoryEntry({ dn: "alice" }), /Invalid DN Syntax/);
    assert.throws(() => secrets.changeDirectoryEntry(dnOf("bob"), {}), /No Such Object/);
    assert.throws(() => secrets.removeDirectoryEntry(users), /Not Allowed On Non Leaf/);
  });
});
