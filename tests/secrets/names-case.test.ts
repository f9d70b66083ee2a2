import assert from "node:assert/strict";
import type { Dialect } from "../../sdk/base/settings";
import { configDefinition } from "../../sdk/secrets/directory/config";
import { dynamicRoleDefinition } from "../../sdk/secrets/directory/dynamic-role";
import { staticRoleDefinition } from "../../sdk/secrets/directory/static-role";
import { managedOf } from "../../sdk/resource/state/outputs";
import { call } from "../testing/call";
import { Managed } from "../support/managed";
import { useEmulator } from "../support/use-emulator";
import { directory } from "./directory/emulated-directory";

for (const [dialect, username] of [
  ["documented", "Payments_x"],
  ["hashicorp", "payments_x"],
] as const satisfies readonly (readonly [Dialect, string])[]) {
  describe(`the case of names in the ${dialect} dialect`, () => {
    const emulator = useEmulator({ dialect: { secrets: dialect } });
    const managed = (definition: unknown): Managed =>
      new Managed(definition, emulator, { "trivium:secretsDialect": dialect });
    beforeEach(async () => {
      emulator.secrets.addDirectoryEntry({ dn: directory.binddn, password: directory.bindpass });
      emulator.secrets.addDirectoryEntry({ dn: `cn=svc-1,${directory.userdn}` });
      await managed(configDefinition).up(directory);
    });

    it("is in .RoleName of an account's name as it is stored", async () => {
      const dn = `dn: cn={{.Username}},${directory.userdn}`;
      await managed(dynamicRoleDefinition).up({
        roleName: "Payments",
        usernameTemplate: "{{.RoleName}}_x",
        creationLdif: `${dn}\nchangetype: add\nobjectClass: person\nuserPassword: {{.Password}}`,
        deletionLdif: `${dn}\nchangetype: delete`,
      });
      const { body } = await call(emulator, "secrets", "GET", "/v1/ldap/creds/Payments");
      assert.equal((body as { data: { username: string } }).data.username, username);
    });

    if (dialect === "documented") {
      it("stays that of a former version, which created roles in lower case", async () => {
        const role = managed(staticRoleDefinition);
        const args = { username: "svc-1", rotationPeriod: "1h", roleName: "Payments" };
        await role.up({ ...args, roleName: "payments" });
        // Former versions kept this for a program with another case.
        role.inputs = { ...role.inputs, roleName: "Payments" };
        const marks = managedOf(staticRoleDefinition, role.outputs);
        role.outputs = { ...role.outputs, __managed: { ...marks, roleName: { as: "Payments" } } };
        assert.equal(await role.up(args), "same");
        await role.refresh();
        assert.equal(await role.up(args), "same");
        assert.equal(role.id, "ldap/payments");
        assert.equal(await role.up({ ...args, rotationPeriod: "2h" }), "updated");
        const names = () => emulator.inspect().secrets.directoryStaticRoles.map(({ name }) => name);
        assert.deepEqual(names(), ["payments"]);
        await role.destroy();
        assert.deepEqual(names(), []);
      });
    }
  });
}
