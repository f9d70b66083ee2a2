import assert from "node:assert/strict";
import type { Dialect } from "../../sdk/base/settings";
import { dynamicRoleDefinition } from "../../sdk/secrets/directory/dynamic-role";
import { staticRoleDefinition } from "../../sdk/secrets/directory/static-role";
import type { AnyResourceDefinition } from "../../sdk/resource/definition";
import { managedOf } from "../../sdk/resource/state/outputs";
import type { Emulator } from "../../sdk/testing";
import { Managed } from "../support/managed";
import type { Properties } from "../support/provider-process";
import { configDefinition } from "../../sdk/secrets/directory/config";
import { useEmulator } from "../support/use-emulator";

interface Named {
  readonly what: string;
  readonly definition: unknown;
  readonly argument: string;
  /** Other arguments. */
  readonly rest: Properties;
  readonly names: (emulator: Emulator) => readonly string[];
}

const dn = "cn={{.Username}},ou=services,dc=acme,dc=example";
const objects: readonly Named[] = [
  {
    what: "static role",
    definition: staticRoleDefinition,
    argument: "roleName",
    rest: { username: "svc-1", rotationPeriod: "1h" },
    names: (emulator) => emulator.inspect().secrets.directoryStaticRoles.map(({ name }) => name),
  },
  {
    what: "dynamic role",
    definition: dynamicRoleDefinition,
    argument: "roleName",
    rest: {
      creationLdif: `dn: ${dn}\nchangetype: add\nobjectClass: person\nuserPassword: {{.Password}}`,
      deletionLdif: `dn: ${dn}\nchangetype: delete`,
    },
    names: (emulator) => emulator.inspect().secrets.directoryDynamicRoles.map(({ name }) => name),
  },
];

for (const dialect of ["documented", "hashicorp"] as const satisfies readonly Dialect[]) {
  describe(`the case of names in the ${dialect} dialect`, () => {
    const settings = { "trivium:secretsDialect": dialect };
    const emulator = useEmulator({ dialect: { secrets: dialect } });
    beforeEach(async () => {
      emulator.secrets.addDirectoryEntry({ dn: "cn=admin,dc=acme,dc=example", password: "bind-password" });
      emulator.secrets.addDirectoryEntry({ dn: "cn=svc-1,ou=services,dc=acme,dc=example" });
      await new Managed(configDefinition, emulator, settings).up({
        binddn: "cn=admin,dc=acme,dc=example",
        bindpass: "bind-password",
        userdn: "ou=services,dc=acme,dc=example",
      });
    });

    it("is in .RoleName of an account's name as it is stored", async () => {
      const managed = new Managed(dynamicRoleDefinition, emulator, settings);
      await managed.up({ ...objects[1]?.rest, roleName: "Payments", usernameTemplate: "{{.RoleName}}_x" });
      const header = dialect === "hashicorp" ? "x-vault-token" : "x-secrets-token";
      const response = await fetch(`${emulator.secrets.address}/v1/ldap/creds/Payments`, {
        headers: { [header]: emulator.secrets.token },
      });
      const { data } = (await response.json()) as { data: { username: string } };
      assert.equal(data.username, dialect === "hashicorp" ? "payments_x" : "Payments_x");
    });

    if (dialect === "documented") {
      for (const { what, definition, argument, rest, names } of objects) {
        it(`leaves a ${what} that a former version made in lower case as it is`, async () => {
          const managed = new Managed(definition, emulator, settings);
          await managed.up({ ...rest, [argument]: "payments" });
          // So did former versions keep it for a program that says Payments.
          managed.inputs = { ...managed.inputs, [argument]: "Payments" };
          const marks = managedOf(definition as AnyResourceDefinition, managed.outputs);
          managed.outputs = { ...managed.outputs, __managed: { ...marks, [argument]: { as: "Payments" } } };
          assert.equal(await managed.up({ ...rest, [argument]: "Payments" }), "same");
          await managed.refresh();
          assert.equal(await managed.up({ ...rest, [argument]: "Payments" }), "same");
          assert.equal(managed.id, "ldap/payments");
          const period: Properties = what === "static role" ? { rotationPeriod: "2h" } : { defaultTtl: "2h" };
          assert.equal(await managed.up({ ...rest, ...period, [argument]: "Payments" }), "updated");
          assert.deepEqual(names(emulator), ["payments"]);
          await managed.destroy();
          assert.deepEqual(names(emulator), []);
        });
      }
    }
  });
}
