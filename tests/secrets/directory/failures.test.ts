import assert from "node:assert/strict";
import { dynamicRoleDefinition } from "../../../sdk/secrets/directory/dynamic-role";
import { librarySetDefinition } from "../../../sdk/secrets/directory/library-set";
import { rootRotationDefinition } from "../../../sdk/secrets/directory/root-rotation";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import { FakeEngine } from "../../support/fake-engine";
import { useSecrets } from "../emulated-client";
import { configureDirectory } from "./emulated-directory";

// The engine's words: tests/fixtures/wire/ldap-engines.json, of OpenBao 2.6.2.
const refused = (work: Promise<unknown>): Promise<{ readonly message: string }> =>
  work.then(
    () => assert.fail("it was not refused"),
    (error: unknown) => ({ message: error instanceof Error ? error.message : String(error) }),
  );

describe("errors of the directory engine of OpenBao say what to do", () => {
  const emulator = useSecrets({ dialect: "hashicorp", secrets: { directoryEngine: "openbao" } });
  const role = { roleName: "payments", username: "svc-1" };
  const ldif = "dn: cn={{.Username}},dc=x\nchangetype: delete\n";
  const slash = /a name may have a slash since Vault 1\.17/;

  beforeEach(() => configureDirectory(emulator, ["svc-1"]));

  const rows = [
    [
      "a schedule alone",
      staticRoleDefinition,
      { ...role, rotationSchedule: "0 3 * * SAT" },
      /ignores rotationSchedule, which needs Vault Enterprise 2\.0 for roles: set rotationPeriod instead/,
    ],
    [
      "a static role with a slash",
      staticRoleDefinition,
      { ...role, roleName: "a/b", rotationPeriod: "1h" },
      slash,
    ],
    [
      "a dynamic role with a slash",
      dynamicRoleDefinition,
      { roleName: "a/b", creationLdif: ldif, deletionLdif: ldif },
      slash,
    ],
    [
      "a library set with a slash",
      librarySetDefinition,
      { name: "a/b", serviceAccountNames: ["svc-1"] },
      slash,
    ],
  ] as const;
  for (const [what, definition, args, expected] of rows) {
    it(`the error about ${what} names what is missing, and nothing about deleted objects`, async () => {
      const creation = FakeEngine.create(definition, emulator, args);
      const { message } = await refused(creation);
      assert.match(message, expected);
      assert.doesNotMatch(message, /deleted|does not exist at this path/);
    });
  }

  it("the error about a password policy that does not exist names the argument", async () => {
    emulator.secrets.changeDirectoryConfig({ passwordPolicy: "nope" });
    const { message } = await refused(
      FakeEngine.create(staticRoleDefinition, emulator, { ...role, rotationPeriod: "1h" }),
    );
    assert.match(message, /Check that the password policy exists that the argument passwordPolicy names/);
  });

  it("the error about an attribute that the engine does not know lists those that it knows", async () => {
    emulator.secrets.changeDirectoryConfig({ userattr: "CN" });
    const { message } = await refused(FakeEngine.create(rootRotationDefinition, emulator, {}));
    assert.match(message, /unsupported userattr.*Set userattr of the configuration.*: cn, displayName/);
  });
});
