import assert from "node:assert/strict";
import { rotateRoot } from "../../../sdk/secrets/directory/rotate-root";
import { rotateStaticRole } from "../../../sdk/secrets/directory/rotate-static-role";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { useMocks } from "../../resource/mocks";
import { useEmulator } from "../../support/use-emulator";
import { configureDirectory } from "./emulated-library";

describe("secrets.directory.rotateRoot", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);
  beforeEach(async () => {
    await configureDirectory(emulator, []);
    emulator.journal.clear();
  });

  const password = () => emulator.inspect().secrets.directoryConfigs[0]?.bindpass;

  it("rotates the password once a call", async () => {
    await rotateRoot();
    const first = password();
    assert.notEqual(first, "bind-password");
    await rotateRoot({ mount: "/ldap" });
    assert.notEqual(password(), first);
    assert.equal(emulator.journal.count(), 2);
  });

  it("says what is missing when there is no configuration", async () => {
    emulator.secrets.removeDirectoryConfig();
    const error = await failure(rotateRoot());
    assert.match(error.message, /The mount ldap has no directory configuration/);
  });

  describe("in a program", () => {
    useMocks();

    it("is refused, as is rotateStaticRole, and names the resource that does it", async () => {
      const root = await failure(rotateRoot());
      assert.match(root.message, /use the resource secrets\.directory\.RootRotation instead/);
      const role = await failure(rotateStaticRole({ roleName: "payments" }));
      assert.match(role.message, /use the resource secrets\.directory\.StaticRoleRotation instead/);
      assert.equal(emulator.journal.count(), 0);
    });
  });
});
