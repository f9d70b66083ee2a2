import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as trivium from "pulumi-trivium";
import { DirectoryEngine, type DirectoryEngineArgs } from "../directory-engine";
import { declare, useMocks, valueOf } from "./mocks";

const args: DirectoryEngineArgs = {
  mount: "teams/ldap",
  url: "ldaps://ldap.example.org",
  bindDn: "cn=admin,dc=example,dc=org",
  bindPassword: "first-password",
  accountsDn: "ou=services,dc=example,dc=org",
  rotation: "2026-1",
  rotatedAccounts: { payments: { username: "svc-payments" } },
  temporaryAccounts: { operators: { lifetime: "1h" } },
  libraries: { reports: { accounts: ["svc-1", "svc-2"] } },
};

describe("DirectoryEngine", () => {
  const mocked = useMocks(undefined, () => ({ username: "svc-payments", password: "rotated-password" }));
  const inputsOf = (type: string) =>
    mocked.resources.find((resource) => resource.type.endsWith(`secrets/directory:${type}`))?.inputs;

  it("configures the mount and rotates its bind password", async () => {
    await declare(() => new DirectoryEngine("directory", args));
    assert.equal(inputsOf("Config")?.userdn, "ou=services,dc=example,dc=org");
    assert.deepEqual(inputsOf("RootRotation")?.triggers, { rotation: "2026-1" });
  });

  it("uses the same mount for all resources", async () => {
    await declare(() => new DirectoryEngine("directory", args));
    const children = mocked.resources.filter(({ type }) => type.startsWith("pulumi-nodejs:"));
    assert.deepEqual(
      children.map(({ type, inputs }) => [type.slice(type.lastIndexOf(":") + 1), inputs.mount]).sort(),
      ["Config", "DynamicRole", "LibrarySet", "RootRotation", "StaticRole"].map((type) => [
        type,
        "teams/ldap",
      ]),
    );
  });

  it("creates temporary accounts below the same entry as the others", async () => {
    await declare(() => new DirectoryEngine("directory", args));
    const { creationLdif, deletionLdif } = inputsOf("DynamicRole") ?? {};
    for (const [template, kind] of [
      [creationLdif, "ldif"],
      [deletionLdif, "ldif"],
    ] as const) {
      assert.match(String(template), /^dn: cn=\{\{\.Username\}\},ou=services,dc=example,dc=org\n/);
      assert.deepEqual(trivium.secrets.directory.lintTemplate(String(template), kind), []);
    }
  });

  it("returns the password of an account as a secret, read with its own provider", async () => {
    const engine = await declare(() => {
      const provider = new trivium.Provider("europe", {
        secrets: { address: "https://secrets.eu.example.com", token: "token" },
      });
      return new DirectoryEngine("directory", args, { providers: [provider] });
    });
    const { password } = engine.credentials("payments");
    assert.equal(await valueOf(password), "rotated-password");
    assert.equal(await pulumi.isSecret(password), true);
    const [call] = mocked.calls;
    assert.equal(call?.token, "trivium:secrets/directory:getStaticCredentials");
    assert.deepEqual(call.inputs, { mount: "teams/ldap", roleName: "payments" });
    assert.match(call.provider ?? "", /europe/);
  });

  it("lists the accounts if another one is requested", async () => {
    const engine = await declare(() => new DirectoryEngine("directory", args));
    assert.throws(() => engine.credentials("billing"), /no rotated account billing, only: payments/);
  });
});
