import assert from "node:assert/strict";
import { z } from "zod";
import type { Dialect } from "../../../sdk/base/settings";
import { type AnyResourceDefinition, inDialect } from "../../../sdk/resource/definition";
import { Fields, snakeCase, equivalent } from "../../../sdk/resource/fields/field";
import { dynamicRoleDefinition, listDynamicRoles } from "../../../sdk/secrets/directory/dynamic-role";
import { libraryCheckoutDefinition } from "../../../sdk/secrets/directory/library-checkout";
import { librarySetDefinition, listLibrarySets } from "../../../sdk/secrets/directory/library-set";
import { roleFields } from "../../../sdk/secrets/directory/names";
import { listStaticRoles, staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import { staticRoleRotationDefinition } from "../../../sdk/secrets/directory/static-role-rotation";
import { entityAliasDefinition } from "../../../sdk/secrets/identity/entity-alias";
import { decodeEntry } from "../../../sdk/resource/state/encoding";
import { FakeEngine } from "../../support/fake-engine";
import { useEmulator } from "../../support/use-emulator";
import type { Properties } from "../../support/provider-process";
import { useEnvironment } from "../../connection/environment";
import { ask, stepAt } from "../emulated-client";
import { configureDirectory, directory } from "./emulated-directory";

describe("the name of a role", () => {
  it("the name of a role is sent as written, and in lower case in the hashicorp dialect", () => {
    const fields = new Fields(roleFields, snakeCase);
    const argument = (dialect: Dialect) => fields.schema(z, dialect).roleName ?? assert.fail();
    assert.equal(argument("documented").parse("Payments-EU"), "Payments-EU");
    assert.equal(argument("hashicorp").parse("Payments-EU"), "payments-eu");
    assert.equal(fields.arguments.roleName?.replaces, true);
    for (const dialect of ["documented", "hashicorp"] as const) {
      assert.ok(!argument(dialect).safeParse("").success);
    }
  });
});

describe("a rename that differs by case alone", () => {
  const named: readonly [AnyResourceDefinition, string][] = [
    [staticRoleDefinition, "roleName"],
    [staticRoleRotationDefinition, "roleName"],
    [dynamicRoleDefinition, "roleName"],
    [librarySetDefinition, "name"],
    [libraryCheckoutDefinition, "setName"],
    [entityAliasDefinition, "name"],
  ];
  const isSame = (definition: AnyResourceDefinition, name: string, dialect: Dialect): boolean =>
    equivalent(inDialect(definition, dialect).arguments[name] ?? {}, "Payments", "pAYMENTS");

  for (const [definition, name] of named) {
    it(`a rename that differs by case alone is a change of ${definition.type} where case counts only`, () => {
      assert.equal(isSame(definition, name, "documented"), false);
      assert.equal(isSame(definition, name, "hashicorp"), true);
    });
  }
});

for (const [dialect, username] of [
  ["documented", "Payments_x"],
  ["hashicorp", "payments_x"],
] as const) {
  describe(`the name of a role in account names, in the ${dialect} dialect`, () => {
    const emulator = useEmulator({ dialect: { secrets: dialect } });
    beforeEach(() => configureDirectory(emulator, ["svc-1"]));

    it("the name of a role in account names is as it is stored", async () => {
      const dn = `dn: cn={{.Username}},${directory.userdn}`;
      const roles = new FakeEngine(dynamicRoleDefinition, emulator, { "trivium:secretsDialect": dialect });
      await roles.up({
        roleName: "Payments",
        usernameTemplate: "{{.RoleName}}_x",
        creationLdif: `${dn}\nchangetype: add\nobjectClass: person\nuserPassword: {{.Password}}`,
        deletionLdif: `${dn}\nchangetype: delete`,
      });
      assert.equal((await ask(emulator, "GET", "ldap/creds/Payments")).username, username);
    });
  });
}

describe("the name of a role in the documented dialect", () => {
  const emulator = useEmulator();
  beforeEach(() => configureDirectory(emulator, ["svc-1"]));

  it("the name of a role stays that of a former version, which created roles in lower case", async () => {
    const role = new FakeEngine(staticRoleDefinition, emulator);
    const args = { username: "svc-1", rotationPeriod: "1h", roleName: "Payments" };
    await role.up({ ...args, roleName: "payments" });
    // Former versions kept this for a program with another case.
    role.inputs = { ...role.inputs, roleName: "Payments" };
    const { managed } = decodeEntry(role.outputs);
    role.outputs = { ...role.outputs, __managed: { ...managed, roleName: { as: "Payments" } } };
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
});

describe("names with a slash", () => {
  const emulator = useEmulator({ dialect: "hashicorp" });
  useEnvironment(() => ({ ...emulator.environment, SECRETS_DIALECT: "hashicorp" }));
  const hashicorp = { "trivium:secretsDialect": "hashicorp" };
  const accounts = ["svc-1", "svc-2", "svc-3"];
  const names = ["plain", "payments/reports", "payments/eu/reports"];
  const ldif = "dn: cn={{.Username}},dc=acme\nchangetype: add\nobjectClass: person";
  const programs: readonly [
    AnyResourceDefinition,
    (name: string, account: string) => Properties,
    typeof listStaticRoles,
  ][] = [
    [
      staticRoleDefinition,
      (roleName, username) => ({ roleName, username, rotationPeriod: "1h" }),
      listStaticRoles,
    ],
    [
      dynamicRoleDefinition,
      (roleName) => ({ roleName, creationLdif: ldif, deletionLdif: ldif }),
      listDynamicRoles,
    ],
    [librarySetDefinition, (name, account) => ({ name, serviceAccountNames: [account] }), listLibrarySets],
  ];
  beforeEach(() => configureDirectory(emulator, accounts));

  for (const [definition, argsFor, list] of programs) {
    it(`names with a slash of ${definition.type} are managed, listed all or below a path, and imported`, async () => {
      const managed = [];
      for (const [index, name] of names.entries()) {
        const args = argsFor(name, accounts[index] ?? "");
        const each = await FakeEngine.create(definition, emulator, args, hashicorp);
        assert.equal(await each.refresh(), true);
        managed.push(each);
      }
      const sorted = async (path?: string) =>
        [...(await list({ ...(path === undefined ? {} : { path }) })).names].sort();
      assert.deepEqual(await sorted(), [...names].sort());
      const below = ["payments/eu/reports", "payments/reports"];
      assert.deepEqual(await sorted("payments"), below);
      assert.deepEqual(await sorted("/payments/"), below);
      assert.deepEqual(await sorted("payments/eu"), below.slice(0, 1));
      assert.deepEqual(await sorted("search"), []);
      const { client } = stepAt(emulator, [], { settings: hashicorp });
      assert.deepEqual(
        [...((await definition.importedBy?.ids(client as never, "ldap", "directory")) ?? [])].sort(),
        managed.map(({ id }) => id).sort(),
      );
      await assert.rejects(list({ path: "a//b" }), { message: /path must be a path such as/ });
      process.env.SECRETS_DIALECT = "documented";
      await assert.rejects(list({ path: "payments" }), {
        message: /path only exists in the hashicorp dialect/,
      });
      for (const each of managed) {
        await each.destroy();
      }
    });
  }
});
