import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import {
  getStaticCredentials,
  getStaticCredentialsOutput,
} from "../../../sdk/secrets/directory/get-static-credentials";
import { rotateStaticRole } from "../../../sdk/secrets/directory/rotate-static-role";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import { processRedactor } from "../../../sdk/base/redactor";
import { type Emulator, startEmulator } from "../../../sdk/testing";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { Managed } from "../../support/managed";
import { configureDirectory } from "./emulated-library";

describe("secrets.directory.getStaticCredentials", () => {
  let emulator: Emulator;

  before(async () => {
    emulator = await startEmulator();
  });
  after(async () => emulator.close());
  useEnvironment(() => emulator.environment);
  beforeEach(async () => {
    emulator.reset();
    await configureDirectory(emulator, ["svc-1"]);
  });

  const addRole = async (skipImportRotation: boolean): Promise<void> => {
    const role = { roleName: "payments", username: "svc-1", rotationPeriod: "1h", skipImportRotation };
    await new Managed(staticRoleDefinition, emulator).up(role);
  };
  const entryPassword = () =>
    emulator.inspect().secrets.directoryEntries.find(({ dn }) => dn.startsWith("cn=svc-1"))?.password;

  it("answers the password that the entry has, and keeps it out of messages", async () => {
    await addRole(false);
    const credentials = await getStaticCredentials({ roleName: "payments" });
    const [role] = emulator.inspect().secrets.directoryStaticRoles;
    assert.deepEqual(credentials, {
      username: "svc-1",
      dn: "",
      password: entryPassword(),
      lastPassword: "",
      lastRotation: role?.lastRotation,
      rotationPeriod: 3600,
      ttl: 3600,
    });
    assert.equal(processRedactor.redact(credentials.password), "[secret]");
  });

  it("answers the password before it as well", async () => {
    await addRole(false);
    const { password } = await getStaticCredentials({ roleName: "payments" });
    await rotateStaticRole({ roleName: "payments" });
    const rotated = await getStaticCredentials({ roleName: "payments" });
    assert.equal(rotated.lastPassword, password);
    assert.equal(rotated.password, entryPassword());
  });

  it("refuses to pass on a password that the service does not know, and says what helps", async () => {
    await addRole(true);
    const error = await failure(getStaticCredentials({ roleName: "payments" }));
    assert.match(
      error.message,
      /^The service does not know the password of the static role payments of ldap yet/,
    );
    assert.match(error.message, /StaticRoleRotation in a program, rotateStaticRole in a script/);
    await rotateStaticRole({ roleName: "payments" });
    assert.equal((await getStaticCredentials({ roleName: "payments" })).password, entryPassword());
  });

  it("says so when there is no such role, whichever way the service says it", async () => {
    const missing = "There is no static role none on the mount ldap.";
    assert.equal((await failure(getStaticCredentials({ roleName: "none" }))).message, missing);
    emulator.faults.add({ method: "GET", status: 404, body: { errors: [] } });
    assert.equal((await failure(getStaticCredentials({ roleName: "none" }))).message, missing);
  });

  it("keeps another refusal as it is", async () => {
    process.env.SECRETS_TOKEN = emulator.secrets.addToken({ access: "none" });
    assert.match((await failure(getStaticCredentials({ roleName: "payments" }))).message, /403/);
  });

  it("is secret as an output", async () => {
    await addRole(false);
    const output = getStaticCredentialsOutput({ roleName: pulumi.output("payments") });
    assert.equal(await pulumi.isSecret(output), true);
    assert.equal(await pulumi.isSecret(output.password), true);
  });
});
