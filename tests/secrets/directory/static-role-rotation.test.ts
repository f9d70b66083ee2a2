import assert from "node:assert/strict";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import {
  rotateStaticRole,
  staticRoleRotationDefinition,
} from "../../../sdk/secrets/directory/static-role-rotation";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { FakeEngine } from "../../support/fake-engine";
import { useEmulator } from "../../support/use-emulator";
import { configureDirectory } from "./emulated-directory";

describe("secrets.directory.StaticRoleRotation", () => {
  const emulator = useEmulator();
  const role = { roleName: "payments", username: "svc-1", rotationPeriod: "1h", skipImportRotation: true };

  useEnvironment(() => emulator.environment);
  beforeEach(async () => {
    await configureDirectory(emulator, ["svc-1"]);
    await new FakeEngine(staticRoleDefinition, emulator).up(role);
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
    await rotateStaticRole({ roleName: "payments" });
    assert.equal(typeof password(), "string");
    assert.match(
      (await failure(rotateStaticRole({ roleName: "none" }))).message,
      /rotate the password of the static role "none" of the mount ldap: .* role doesn't exist: none/,
    );
  });
});
