import assert from "node:assert/strict";
import { useEmulator } from "../../../support/use-emulator";
import { at } from "../../call";
import { HashicorpClient } from "../hashicorp";

describe("what the emulated secrets service says about its mounts", () => {
  const emulator = useEmulator({ dialect: { secrets: "hashicorp" } });
  const ui = "sys/internal/ui/mounts";

  it("lists the engines with their types and accessors", async () => {
    emulator.secrets.addMount({ type: "directory", path: "corp/ldap", maxLeaseTtl: "1h" });
    const envelope = await new HashicorpClient(emulator).envelope("GET", "sys/mounts");
    const data = at(envelope, "data") as Record<string, unknown>;
    assert.deepEqual(
      Object.entries(data).map(([path, mount]) => [path, at(mount, "type")]),
      [
        ["ldap/", "ldap"],
        ["nomad/", "nomad"],
        ["corp/ldap/", "ldap"],
      ],
    );
    assert.deepEqual(at(envelope, "ldap/"), data["ldap/"], "beside the envelope's members");
    assert.equal(at(data, "nomad/", "accessor"), "nomad_00000001");
    assert.deepEqual(at(data, "ldap/", "config"), {
      default_lease_ttl: 0,
      force_no_cache: false,
      max_lease_ttl: 0,
    });
    assert.equal(at(data, "corp/ldap/", "config", "max_lease_ttl"), 3_600);
    assert.match(String(at(data, "ldap/", "uuid")), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  for (const [asked, path, type] of [
    ["ldap", "ldap/", "ldap"],
    ["corp/ldap/", "corp/ldap/", "ldap"],
    ["corp/ldap/role/x", "corp/ldap/", "ldap"],
    ["corp/ldap/jobs/role/x", "corp/ldap/jobs/", "nomad"],
    ["auth/userpass", "auth/userpass/", "userpass"],
  ] as const) {
    it(`finds where ${asked} lies`, async () => {
      emulator.secrets.addMount({ type: "ldap", path: "corp/ldap" });
      emulator.secrets.addMount({ type: "nomad", path: "corp/ldap/jobs" });
      const token = emulator.secrets.addToken({ access: "read" });
      const data = await new HashicorpClient(emulator, token).data("GET", `${ui}/${asked}`);
      assert.deepEqual([at(data, "path"), at(data, "type")], [path, type]);
    });
  }
});
