import assert from "node:assert/strict";
import { dynamicRoleDefinition } from "../../../sdk/secrets/directory/dynamic-role";
import { getDynamicRole } from "../../../sdk/secrets/directory/get-dynamic-role";
import { type Emulator, startEmulator } from "../../../sdk/testing";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { Managed } from "../../support/managed";

const ldif = "dn: cn={{.Username}},dc=acme,dc=example\nchangetype: delete\n";

describe("secrets.directory.getDynamicRole", () => {
  let emulator: Emulator;

  before(async () => {
    emulator = await startEmulator();
  });
  after(async () => emulator.close());
  useEnvironment(() => emulator.environment);
  beforeEach(() => emulator.reset());

  it("reads a role under its name as written, its LDIF plain", async () => {
    await new Managed(dynamicRoleDefinition, emulator).up({
      roleName: "operators",
      creationLdif: Buffer.from(ldif).toString("base64"),
      deletionLdif: ldif,
      defaultTtl: "1h",
    });
    assert.deepEqual(await getDynamicRole({ roleName: "operators" }), {
      mount: "ldap",
      roleName: "operators",
      creationLdif: ldif,
      deletionLdif: ldif,
      rollbackLdif: "",
      usernameTemplate: "",
      defaultTtl: 3600,
      maxTtl: 0,
    });
  });

  it("has nothing for what an answer leaves out", async () => {
    emulator.faults.add({
      method: "GET",
      status: 200,
      body: { data: { creation_ldif: ldif, rollback_ldif: null } },
    });
    const { creationLdif, rollbackLdif, maxTtl } = await getDynamicRole({ roleName: "operators" });
    assert.deepEqual([creationLdif, rollbackLdif, maxTtl], [ldif, "", 0]);
  });

  it("says so when there is no such role", async () => {
    const error = await failure(getDynamicRole({ mount: "ldap", roleName: "none" }));
    assert.equal(error.message, "There is no dynamic role none on the mount ldap.");
  });
});
