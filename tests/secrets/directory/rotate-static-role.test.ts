import assert from "node:assert/strict";
import { rotateStaticRole } from "../../../sdk/secrets/directory/rotate-static-role";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { Managed } from "../../support/managed";
import { useEmulator } from "../../support/use-emulator";
import { configureDirectory } from "./emulated-library";

describe("secrets.directory.rotateStaticRole", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);
  beforeEach(async () => {
    await configureDirectory(emulator, ["svc-1"]);
    await new Managed(staticRoleDefinition, emulator).up({
      roleName: "payments",
      username: "svc-1",
      rotationPeriod: "1h",
    });
  });

  it("rotates the password of the role", async () => {
    const password = () => emulator.inspect().secrets.directoryStaticRoles[0]?.password;
    const before = password();
    await rotateStaticRole({ roleName: "payments" });
    assert.notEqual(password(), before);
  });

  it("has the service's words for what it refuses", async () => {
    const error = await failure(rotateStaticRole({ roleName: "none" }));
    assert.match(
      error.message,
      /rotate the password of the static role none of ldap: .* role doesn't exist: none/,
    );
    assert.match((await failure(rotateStaticRole({ roleName: "" }))).message, /roleName must not be empty/);
  });
});
