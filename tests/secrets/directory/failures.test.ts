import assert from "node:assert/strict";
import { configDefinition } from "../../../sdk/secrets/directory/config";
import { dynamicRoleDefinition } from "../../../sdk/secrets/directory/dynamic-role";
import { librarySetDefinition } from "../../../sdk/secrets/directory/library-set";
import { rootRotationDefinition } from "../../../sdk/secrets/directory/root-rotation";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import { linesDuring } from "../../support/engine-lines";
import { FakeEngine } from "../../support/fake-engine";
import { useSecrets } from "../emulated-client";
import { configureDirectory } from "./emulated-directory";

// The engine's words: tests/fixtures/wire/ldap-engines.json, of OpenBao 2.6.2.
const refused = (work: Promise<unknown>): Promise<{ readonly message: string }> =>
  work.then(
    () => assert.fail("it was not refused"),
    (error: unknown) => ({ message: error instanceof Error ? error.message : String(error) }),
  );

describe("errors of OpenBao's directory engine say what to do", () => {
  const emulator = useSecrets({ dialect: "hashicorp", secrets: { directoryEngine: "openbao" } });
  const role = { roleName: "payments", username: "svc-1" };
  const ldif = "dn: cn={{.Username}},dc=x\nchangetype: delete\n";
  const slash = /only Vault 1\.17/;

  beforeEach(() => configureDirectory(emulator, ["svc-1"]));

  const rows = [
    [
      "a schedule alone",
      staticRoleDefinition,
      { ...role, rotationSchedule: "0 3 * * SAT" },
      /ignores rotationSchedule, which requires Vault Enterprise 2\.0 for roles: set rotationPeriod instead/,
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
    it(`the error about ${what} names what is missing, and does not mention deleted objects`, async () => {
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
    assert.match(message, /Check that the password policy that passwordPolicy names/);
  });

  it("the error about an attribute that the engine does not recognize lists the ones that it does", async () => {
    emulator.secrets.changeDirectoryConfig({ userattr: "CN" });
    const { message } = await refused(FakeEngine.create(rootRotationDefinition, emulator, {}));
    assert.match(message, /unsupported userattr.*Set the configuration's userattr.*: cn, displayName/);
  });
});

// ?help=1 of OpenBao 2.6.2 lists the parameters of a path, for each valid token.
describe("arguments that the directory engine of OpenBao does not know", () => {
  const emulator = useSecrets({ dialect: "hashicorp", secrets: { directoryEngine: "openbao" } });
  const own = { selfManaged: true, userdn: "dc=acme,dc=example" };
  const bind = { binddn: "cn=admin,dc=acme,dc=example", bindpass: "bind-password", userdn: own.userdn };
  const unknown =
    /does not know `selfManaged`, which requires Vault Enterprise 2\.0[.,] .*Remove the argument and set binddn and bindpass/;
  const writes = () => emulator.journal.requests({ method: "POST" }).length;

  it("a configuration that manages itself is refused before anything is written", async () => {
    const { message } = await refused(FakeEngine.create(configDefinition, emulator, own));
    assert.match(message, unknown);
    assert.match(message, /Nothing was changed/);
    assert.equal(writes(), 0);
  });

  it("a configuration that exists is not adopted as one that manages itself", async () => {
    await configureDirectory(emulator, []);
    const before = writes();
    const { message } = await refused(FakeEngine.create(configDefinition, emulator, { ...own, adopt: true }));
    assert.match(message, unknown);
    assert.equal(writes(), before);
  });

  it("a configuration is not deleted for one that manages itself", async () => {
    const config = await FakeEngine.create(configDefinition, emulator, bind);
    const { message } = await refused(config.up(own));
    assert.match(message, unknown);
    assert.equal(emulator.inspect().secrets.directoryConfigs.length, 1);
    assert.equal(await config.up(bind), "same");
  });

  it("a configuration is in state with an error if only its response shows that it does not manage itself", async () => {
    const where = ({ target }: { readonly target: string }): boolean => target.includes("help=");
    emulator.faults.add({ service: "secrets", where, status: 502 });
    const config = new FakeEngine(configDefinition, emulator);
    const { message } = await refused(config.up(own));
    assert.match(message, unknown);
    assert.match(message, /was written/);
    assert.equal(config.resource?.incomplete, true);
    assert.equal(await config.up(bind), "updated");
    assert.equal(emulator.inspect().secrets.directoryConfigs[0]?.bindpass, bind.bindpass);
  });

  it("a password of a static role that the engine ignores is named by a warning, once", async () => {
    await configureDirectory(emulator, ["svc-1"]);
    const args = { roleName: "payments", username: "svc-1", rotationPeriod: "1h" };
    const password = { password: "first-password", dn: `cn=svc-1,ou=services,dc=acme,dc=example` };
    const announced = await linesDuring(async () => {
      const role = await FakeEngine.create(staticRoleDefinition, emulator, { ...args, ...password });
      assert.equal(await role.up({ ...args, ...password, rotationPeriod: "2h" }), "updated");
    });
    assert.deepEqual(
      announced.filter((text) => text.includes("ignore")),
      [
        "warning: secrets/directory:StaticRole ldap/payments: the service ignored `password`, which requires Vault Enterprise 2.0. " +
          "Remove the argument, or upgrade the service. The argument is sent again when you change its value.",
      ],
    );
  });
});
