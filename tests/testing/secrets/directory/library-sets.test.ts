import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { assertRefused, numbered } from "../refusals";
import { addEntries, DirectoryClient, dnOf, passwordOf, settings } from "./directory";

describe("the emulated directory engine's library sets", () => {
  const emulator = useEmulator();
  let ldap: DirectoryClient;
  before(() => {
    ldap = new DirectoryClient(emulator);
  });
  beforeEach(async () => {
    addEntries(emulator);
    await ldap.write("config", settings);
  });

  const team = { service_account_names: ["svc1", "svc2"], ttl: "10h", max_ttl: 36_000 };
  const write = async (body: object = team, name = "team"): Promise<void> =>
    ldap.write(`library/${name}`, body);
  const refused = async (
    body: object,
    error: string | RegExp,
    name = "team",
    status = 400,
  ): Promise<void> => {
    const sets = emulator.inspect().secrets.directoryLibrarySets;
    assertRefused(await ldap.send("POST", `library/${name}`, body), status, error);
    assert.deepEqual(emulator.inspect().secrets.directoryLibrarySets, sets);
  };
  const password = (name: string) => passwordOf(emulator, dnOf(name));
  const accounts = () => emulator.inspect().secrets.directoryLibraryAccounts;
  const checkOut = async (name = "team"): Promise<unknown> =>
    ldap.data("POST", `library/${name}/check-out`, { name });

  it("are read as written, with their defaults", async () => {
    await write();
    assert.deepEqual(await ldap.read("library/team"), {
      disable_check_in_enforcement: false,
      max_ttl: 36_000,
      service_account_names: ["svc1", "svc2"],
      ttl: 36_000,
    });
    await write(
      { name: "other", service_account_names: "svc3", disable_check_in_enforcement: true },
      "other",
    );
    assert.deepEqual(await ldap.read("library/other"), {
      disable_check_in_enforcement: true,
      max_ttl: 86_400,
      service_account_names: ["svc3"],
      ttl: 86_400,
    });
  });

  it("take their accounts as a list or as one text, each once and in their order", async () => {
    await write({ service_account_names: "svc2, svc1,svc2 ,SVC1" });
    assert.deepEqual(emulator.inspect().secrets.directoryLibrarySets[0]?.serviceAccountNames, [
      "svc2",
      "svc1",
    ]);
  });

  it("change the passwords of accounts when they join, and only then", async () => {
    await write();
    const joined = [password("svc1"), password("svc2")];
    assert.ok(joined.every((one) => /^[A-Za-z0-9]{64}$/.test(one ?? "")));
    assert.deepEqual(
      accounts().map(({ name, password: own, checkOut: out }) => [name, own, out]),
      [
        ["svc1", joined[0], null],
        ["svc2", joined[1], null],
      ],
    );
    await write({ service_account_names: ["svc2", "svc3"] });
    assert.deepEqual([password("svc1"), password("svc2")], joined);
    assert.notEqual(password("svc3"), "svc3pw");
    assert.deepEqual(
      accounts().map(({ name }) => name),
      ["svc2", "svc3"],
    );
  });

  it("keep what an update leaves out; 0 is no limit", async () => {
    await write();
    await write({ disable_check_in_enforcement: true });
    await write({ ttl: 0, max_ttl: "0" });
    assert.deepEqual(await ldap.read("library/team"), {
      disable_check_in_enforcement: true,
      max_ttl: 0,
      service_account_names: ["svc1", "svc2"],
      ttl: 0,
    });
  });

  it("are refused when a rule is broken", async () => {
    await refused({}, "'service_account_names' must be provided");
    await refused({ service_account_names: " , " }, "'service_account_names' must be provided");
    await refused({ ...team, name: "others" }, /"others" in the body, but "team" in the path/);
    await refused({ ...team, renewable: true }, /unrecognized .*renewable/);
    await refused({ ...team, service_account_names: [3] }, /"service_account_names"/);
    await write();
    await refused({ service_account_names: [] }, "'service_account_names' must be provided");
  });

  it("share no account with each other or with a static role", async () => {
    await write();
    await ldap.write("static-role/web", { username: "alice", rotation_period: "1h" });
    await refused(
      { service_account_names: "svc1" },
      '"svc1" is already managed by the secrets engine',
      "other",
    );
    await refused(
      { service_account_names: "Alice" },
      '"Alice" is already managed by the secrets engine',
      "other",
    );
    assertRefused(
      await ldap.send("POST", "static-role/other", { username: "svc2", rotation_period: "1h" }),
      400,
      '"svc2" is already managed by the secrets engine',
    );
    await write({ service_account_names: "svc2" });
    await write({ service_account_names: "svc1" }, "other");
  });

  it("need a configuration and accounts that exist", async () => {
    await refused(
      { service_account_names: ["ghost"] },
      numbered("expected one matching entry, but received 0"),
      "team",
      500,
    );
    await ldap.done("DELETE", "config");
    await refused(team, "missing LDAP configuration");
  });

  it("keep accounts that are checked out, and stay as long as they have one", async () => {
    await write();
    await checkOut();
    const error = `"svc1" can't be deleted because it is currently checked out`;
    await refused({ service_account_names: ["svc2"] }, error);
    await write({ service_account_names: ["svc1"] });
    assertRefused(await ldap.send("DELETE", "library/team"), 400, error);
    await ldap.data("POST", "library/team/check-in", { name: "team" });
    await ldap.done("DELETE", "library/team");
    assert.deepEqual(accounts(), []);
  });

  it("are listed as an array of names, when a list is asked for", async () => {
    const empty = await ldap.send("GET", "library?list=true");
    assert.deepEqual([empty.status, empty.body], [404, { errors: [] }]);
    await write({ service_account_names: "svc3" }, "z");
    await write(team, "a");
    const reply = await ldap.send("GET", "library?list=true");
    assert.deepEqual([reply.status, reply.body], [200, ["a", "z"]]);
    assert.equal((await ldap.send("GET", "library")).status, 405);
  });

  it("keep the case of their names; are absent with 404; are deleted also then", async () => {
    await write({ ...team, name: "TeaM" }, "TeaM");
    assert.deepEqual(
      emulator.inspect().secrets.directoryLibrarySets.map(({ name }) => name),
      ["TeaM"],
    );
    await ldap.read("library/TeaM/status");
    const reply = await ldap.send("GET", "library/team");
    assert.deepEqual([reply.status, reply.body], [404, { errors: [] }]);
    await ldap.done("DELETE", "library/team");
  });

  it("can be changed and removed behind a program's back, with their check-outs", async () => {
    assert.throws(
      () => emulator.secrets.changeDirectoryLibrarySet("team", {}),
      /no directory library set "team"/,
    );
    assert.throws(
      () => emulator.secrets.removeDirectoryLibrarySet("team"),
      /no directory library set "team"/,
    );
    await write();
    await checkOut();
    await checkOut();
    const changed = emulator.secrets.changeDirectoryLibrarySet("team", {
      ttl: 60,
      serviceAccountNames: ["svc2", "svc3"],
    });
    assert.deepEqual([changed.ttl, changed.serviceAccountNames], [60, ["svc2", "svc3"]]);
    assert.deepEqual(
      accounts().map(({ name, checkOut: out }) => [name, out !== null]),
      [
        ["svc2", true],
        ["svc3", false],
      ],
    );
    assert.equal(emulator.inspect().secrets.leases.length, 1);
    emulator.secrets.removeDirectoryLibrarySet("team");
    assert.deepEqual([accounts(), emulator.inspect().secrets.leases], [[], []]);
  });
});
