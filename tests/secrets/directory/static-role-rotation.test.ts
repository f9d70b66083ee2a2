import assert from "node:assert/strict";
import { directory } from "../../../sdk/secrets";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import { staticRoleRotationDefinition } from "../../../sdk/secrets/directory/static-role-rotation";
import { failure } from "../../http/calls";
import { FakeEngine } from "../../support/fake-engine";
import { useSecrets } from "../emulated-client";
import { configureDirectory } from "./emulated-directory";

describe("secrets.directory.StaticRoleRotation", () => {
  const emulator = useSecrets();
  const role = { roleName: "payments", username: "svc-1", rotationPeriod: "1h", skipImportRotation: true };
  beforeEach(async () => {
    await configureDirectory(emulator, ["svc-1"]);
    await FakeEngine.create(staticRoleDefinition, emulator, role);
    emulator.journal.clear();
  });

  const password = () => emulator.inspect().secrets.directoryStaticRoles[0]?.password;

  it("a rotation of a static role rotates the password once, and is gone with its role", async () => {
    assert.equal(password(), null);
    const managed = await FakeEngine.create(staticRoleRotationDefinition, emulator, { roleName: "payments" });
    assert.equal(managed.id, "ldap/payments");
    assert.equal(typeof password(), "string");
    assert.ok(!Number.isNaN(Date.parse(managed.outputs.rotatedAt as string)));
    assert.equal(await managed.up({ roleName: "payments" }), "same");
    assert.equal(emulator.journal.count(), 1);
    emulator.secrets.removeDirectoryStaticRole("payments");
    assert.equal(await managed.refresh(), false);
  });

  it("rotateStaticRole rotates the password of the role in a script, and repeats the service's message for a refusal", async () => {
    await directory.rotateStaticRole({ roleName: "payments" });
    assert.equal(typeof password(), "string");
    const { message } = await failure(directory.rotateStaticRole({ roleName: "none" }));
    assert.match(
      message,
      /rotate the password of the static role "none" of the mount ldap: .* role doesn't exist: none/,
    );
  });
});
