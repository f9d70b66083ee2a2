import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { at } from "../../call";
import { assertRefused, numbered } from "../refusals";
import { addEntries, binddn, DirectoryClient, dnOf, passwordOf, settings } from "./directory";

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

  const roles = () => emulator.inspect().secrets.directoryStaticRoles;
  const alice = { username: "alice", rotation_period: "1h" };
  const create = async (body: object = alice, name = "web"): Promise<void> =>
    ldap.write(`static-role/${name}`, body);
  const refused = async (body: object, error: string | RegExp, name = "web", status = 400): Promise<void> => {
    const before = emulator.inspect().secrets;
    assertRefused(await ldap.send("POST", `static-role/${name}`, body), status, error);
    assert.deepEqual(emulator.inspect().secrets, before);
  };
  const credentials = async (name = "web"): Promise<unknown> => ldap.read(`static-cred/${name}`);
  const password = (user = "alice") => passwordOf(emulator, dnOf(user));

<<<<<<< HEAD
=======
  it("change the password of their entry as soon as they are written", async () => {
    await create();
    assert.match(password() ?? "", /^[A-Za-z0-9]{64}$/);
    assert.deepEqual(roles(), [
      {
        mount: "ldap",
        name: "web",
        username: "alice",
        dn: "",
        rotationPeriod: 3_600,
        password: password(),
        lastPassword: null,
        lastRotation: start,
      },
    ]);
    assert.deepEqual(await ldap.read("static-role/web"), {
      dn: "",
      last_svc_rotation: start,
      rotation_period: 3_600,
      username: "alice",
    });
    assert.deepEqual(await credentials(), {
      dn: "",
      last_password: "",
      last_svc_rotation: start,
      password: password(),
      rotation_period: 3_600,
      ttl: 3_600,
      username: "alice",
    });
  });

  it("leave the password alone until the first rotation if configured", async () => {
    await create({ ...alice, skip_import_rotation: true });
    assert.equal(password(), "alicepw");
    assert.deepEqual(await ldap.read("static-role/web"), {
      dn: "",
      rotation_period: 3_600,
      username: "alice",
    });
    assert.deepEqual(await credentials(), {
      dn: "",
      last_password: "",
      last_svc_rotation: "0001-01-01T00:00:00Z",
      password: "",
      rotation_period: 3_600,
      ttl: 0,
      username: "alice",
    });
    emulator.advance("1h");
    assert.notEqual(password(), "alicepw");
    assert.equal(at(await credentials(), "password"), password());
  });

  it("follow the configuration where they do not say whether to skip", async () => {
    await ldap.write("config", { skip_static_role_import_rotation: true });
    await create();
    await create({ username: "svc1", rotation_period: 60, skip_import_rotation: false }, "other");
    assert.equal(password(), "alicepw");
    assert.notEqual(password("svc1"), "svc1pw");
  });

  it("find their entry by its name when they have it", async () => {
    await create({ username: "anything", dn: dnOf("alice").toUpperCase(), rotation_period: "90s" });
    assert.notEqual(password(), "alicepw");
    assert.equal(at(await ldap.read("static-role/web"), "dn"), dnOf("alice").toUpperCase());
  });

  it("find it by the configured attribute, below the configured entry", async () => {
    emulator.secrets.addDirectoryEntry({ dn: `cn=X,ou=others,${users}`, attributes: { uid: "alice" } });
    await ldap.write("config", { userattr: "uid" });
    await create();
    assert.equal(password(), "alicepw");
    assert.notEqual(passwordOf(emulator, `cn=X,ou=others,${users}`), null);
  });

>>>>>>> 58fa1b2 (Test titles in the field's terms; the index of errors links pages, not anchors with underscores)
  it("find it by the login name of a domain", async () => {
    emulator.secrets.changeDirectoryEntry(dnOf("alice"), {
      attributes: { userPrincipalName: "alice@example.org" },
    });
    emulator.secrets.changeDirectoryEntry(binddn, { attributes: { userPrincipalName: "admin@example.org" } });
    await ldap.write("config", { binddn: "admin", userattr: "userPrincipalName", upndomain: "example.org" });
    await create();
    assert.notEqual(password(), "alicepw");
  });

  it("are refused when a rule is broken", async () => {
    await refused({ rotation_period: "1h" }, "username is a required field to manage a static account");
    await refused({ username: "", rotation_period: "1h" }, /username is a required field/);
    await refused({ username: "alice" }, "rotation_period is required to create static accounts");
    await refused({ username: "alice", rotation_period: "4s" }, "rotation_period must be 5 seconds or more");
    await refused({ username: "alice", rotation_period: "often" }, /"rotation_period"/);
    await refused({ ...alice, ttl: 3 }, /unrecognized .*ttl/);
    await create();
    await refused(
      { ...alice, username: "Alice" },
      '"Alice" is already managed by the secrets engine',
      "other",
    );
  });

  it("keep what an update leaves out, and refuse to become another entry's", async () => {
    await create({ ...alice, dn: dnOf("alice") });
    const rotated = password();
    await create({ rotation_period: "2h" });
    await create({});
    await create({ username: "alice", dn: dnOf("alice"), rotation_period: "5400" });
    assert.equal(roles()[0]?.rotationPeriod, 5_400);
    assert.equal(password(), rotated);
    await refused({ username: "svc1" }, "cannot update static account username");
    await refused({ dn: dnOf("svc1") }, "cannot update static account distinguished name (dn)");
    await refused({ dn: "" }, "cannot update static account distinguished name (dn)");
    await refused({ skip_import_rotation: false }, "skip_import_rotation has no effect on updates");
    await refused({ rotation_period: 3 }, "rotation_period must be 5 seconds or more");
  });

  describe("rotate", () => {
    it("and try again after 10 seconds when the directory refuses", async () => {
      await create();
      const first = password();
      emulator.secrets.changeDirectoryEntry(binddn, { password: "changed" });
      const error = numbered('LDAP Result Code 49 "Invalid Credentials": ');
      assertRefused(await ldap.send("POST", "rotate-role/web"), 500, error);
      emulator.advance("1h");
      assert.equal(password(), first);
      emulator.secrets.changeDirectoryEntry(binddn, { password: "adminpw" });
      emulator.advance("10s");
      assert.notEqual(password(), first);
      assert.equal(at(await credentials(), "last_password"), first);
    });
<<<<<<< HEAD
=======

    it("no longer on a mount that is gone, or after a reset", async () => {
      emulator.secrets.addMount({ type: "directory", path: "other" });
      const other = new DirectoryClient(emulator, "other");
      await other.write("config", settings);
      await other.write("static-role/web", alice);
      emulator.secrets.removeMount("other");
      const left = password();
      emulator.advance("2h");
      assert.equal(password(), left);
      await create({ username: "svc1", rotation_period: "1h" });
      emulator.reset();
      addEntries(emulator);
      emulator.advance("2h");
      assert.equal(password("svc1"), "svc1pw");
    });
  });

  it("are each mount's own", async () => {
    emulator.secrets.addMount({ type: "directory", path: "other" });
    const other = new DirectoryClient(emulator, "other");
    await other.write("config", settings);
    await create();
    await other.write("static-role/web", alice);
    assert.deepEqual(
      roles().map(({ mount, name }) => [mount, name]),
      [
        ["ldap", "web"],
        ["other", "web"],
      ],
    );
    assert.notEqual(textAt(await credentials(), "password"), password());
  });

  it("can be changed and removed behind a program's back", async () => {
    assert.throws(
      () => emulator.secrets.changeDirectoryStaticRole("web", {}),
      /no directory static role "web"/,
    );
    assert.throws(() => emulator.secrets.removeDirectoryStaticRole("web"), /no directory static role "web"/);
    await create();
    const changed = emulator.secrets.changeDirectoryStaticRole("web", { rotationPeriod: 60 });
    assert.equal(changed.rotationPeriod, 60);
    emulator.advance("1m");
    assert.equal(roles()[0]?.lastRotation, "2024-02-09T15:05:05.000Z");
    emulator.secrets.removeDirectoryStaticRole("web");
    assert.equal((await ldap.send("GET", "static-role/web")).status, 404);
    const left = password();
    emulator.advance("1h");
    assert.equal(password(), left);
  });

  it("can be cut off by a fault, as real servers do before there is a configuration", async () => {
    emulator.faults.add({ method: "POST", path: "/v1/ldap/static-role/web", drop: "before" });
    await assert.rejects(create());
    assert.deepEqual(roles(), []);
>>>>>>> 58fa1b2 (Test titles in the field's terms; the index of errors links pages, not anchors with underscores)
  });
});
