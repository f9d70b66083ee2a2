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
    await create({ skip_import_rotation: false });
    assert.equal(password(), rotated);
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
  });
});
