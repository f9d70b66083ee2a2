import assert from "node:assert/strict";
import { getStaticRole } from "../../../sdk/secrets/directory/get-static-role";
import { listStaticRoles } from "../../../sdk/secrets/directory/list-static-roles";
import { rotateStaticRole } from "../../../sdk/secrets/directory/rotate-static-role";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import { type Emulator, startEmulator } from "../../../sdk/testing";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { Managed } from "../../support/managed";
import { configureDirectory } from "./emulated-library";

describe("secrets.directory.getStaticRole", () => {
  let emulator: Emulator;

  before(async () => {
    emulator = await startEmulator();
  });
  after(async () => emulator.close());
  useEnvironment(() => emulator.environment);
  beforeEach(async () => {
    emulator.reset();
    await configureDirectory(emulator, ["svc-1"]);
    await new Managed(staticRoleDefinition, emulator).up({
      roleName: "Payments",
      username: "svc-1",
      rotationPeriod: "1h",
      skipImportRotation: true,
    });
  });

  it("reads a role under its name as written", async () => {
    const role = {
      mount: "ldap",
      roleName: "Payments",
      username: "svc-1",
      dn: "",
      rotationPeriod: 3600,
      lastRotation: null,
    };
    assert.deepEqual(await getStaticRole({ roleName: "Payments" }), role);
    await rotateStaticRole({ roleName: "Payments" });
    const lastRotation = emulator.inspect().secrets.directoryStaticRoles[0]?.lastRotation;
    assert.equal(typeof lastRotation, "string");
    assert.deepEqual(await getStaticRole({ roleName: "Payments" }), { ...role, lastRotation });
  });

  it("says so when there is no such role", async () => {
    const error = await failure(getStaticRole({ roleName: "none" }));
    assert.equal(error.message, "There is no static role none on the mount ldap.");
  });

  it("is for what listStaticRoles names", async () => {
    const { names } = await listStaticRoles();
    assert.deepEqual(await Promise.all(names.map((roleName) => getStaticRole({ roleName }))), [
      await getStaticRole({ roleName: "Payments" }),
    ]);
  });
});
