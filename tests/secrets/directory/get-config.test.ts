import assert from "node:assert/strict";
import { InputError } from "../../../sdk/base/errors";
import { configDefinition } from "../../../sdk/secrets/directory/config";
import { getConfig } from "../../../sdk/secrets/directory/get-config";
import { useEnvironment } from "../../connection/environment";
import { failure } from "../../http/calls";
import { Managed } from "../../support/managed";
import { useEmulator } from "../../support/use-emulator";

describe("secrets.directory.getConfig", () => {
  const emulator = useEmulator();

  useEnvironment(() => emulator.environment);

  it("reads everything but secrets, from any mount", async () => {
    emulator.secrets.addMount({ type: "directory", path: "teams/ldap" });
    await new Managed(configDefinition, emulator).up({
      binddn: "cn=admin",
      bindpass: "canary-bind",
      mount: "teams/ldap",
      length: 20,
    });
    const configuration = await getConfig({ mount: "/teams/ldap" });
    assert.deepEqual(configuration, {
      mount: "teams/ldap",
      binddn: "cn=admin",
      url: "ldap://127.0.0.1",
      schema: "open",
      userdn: null,
      userattr: null,
      upndomain: null,
      requestTimeout: null,
      connectionTimeout: null,
      length: 20,
      passwordPolicy: null,
      starttls: false,
      insecureTls: false,
      certificate: "",
      skipStaticRoleImportRotation: null,
      caseSensitiveNames: false,
      tlsMinVersion: "tls12",
      tlsMaxVersion: "tls12",
    });
  });

  it("says so when there is none", async () => {
    const error = await failure(getConfig());
    assert.equal(error.message, "There is no directory configuration on the mount ldap.");
  });

  it("refuses what is no mount, and what it does not know, without a request", async () => {
    for (const args of [{ mount: "a//b" }, { mount: 5 }, { path: "ldap" }]) {
      assert.ok(InputError.isInstance(await failure(getConfig(args as object))));
    }
    assert.equal(emulator.journal.count(), 0);
  });
});
