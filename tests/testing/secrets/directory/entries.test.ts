import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { addEntries, dnOf, users } from "./directory";

describe("the emulator's directory entries", () => {
  const emulator = useEmulator();
  beforeEach(() => {
    addEntries(emulator);
  });

  const entries = () => emulator.inspect().secrets.directoryEntries;

  it("are changed and removed", () => {
    emulator.secrets.changeDirectoryEntry(dnOf("alice"), {
      password: "other",
      attributes: { sn: "L" },
      mayManage: false,
    });
    assert.deepEqual(
      entries().find(({ dn }) => dn === dnOf("alice")),
      { dn: dnOf("alice"), password: "other", attributes: { sn: ["L"], cn: ["alice"] }, mayManage: false },
    );
    emulator.secrets.changeDirectoryEntry(dnOf("alice"), {});
    assert.equal(entries().find(({ dn }) => dn === dnOf("alice"))?.password, "other");
    emulator.secrets.removeDirectoryEntry(dnOf("alice"));
    assert.ok(!entries().some(({ dn }) => dn === dnOf("alice")));
  });

  it("are an error in the test when they are no entries", () => {
    assert.throws(() => emulator.secrets.addDirectoryEntry({ dn: dnOf("alice") }), /Entry Already Exists/);
    assert.throws(() => emulator.secrets.addDirectoryEntry({ dn: "alice" }), /Invalid DN Syntax/);
    assert.throws(() => emulator.secrets.changeDirectoryEntry(dnOf("bob"), {}), /No Such Object/);
    assert.throws(() => emulator.secrets.removeDirectoryEntry(users), /Not Allowed On Non Leaf/);
  });
});
