import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { assertRefused } from "../refusals";
import { addEntries, DirectoryClient, settings } from "./directory";

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
  const accounts = () => emulator.inspect().secrets.directoryLibraryAccounts;
  const checkOut = async (name = "team"): Promise<unknown> =>
    ldap.data("POST", `library/${name}/check-out`, { name });

  it("are refused when a rule is broken", async () => {
    await refused({}, "'service_account_names' must be provided");
    await refused({ service_account_names: " , " }, "'service_account_names' must be provided");
    await refused({ ...team, name: "others" }, /"others" in the body, but "team" in the path/);
    await refused({ ...team, renewable: true }, /unrecognized .*renewable/);
    await refused({ ...team, service_account_names: [3] }, /"service_account_names"/);
    await write();
    await refused({ service_account_names: [] }, "'service_account_names' must be provided");
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
