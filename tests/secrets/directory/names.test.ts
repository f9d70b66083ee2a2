import assert from "node:assert/strict";
import { z } from "zod";
import type { Dialect } from "../../../sdk/base/settings";
import { type AnyResourceDefinition, definitionIn } from "../../../sdk/resource/definition";
import { equivalent, Fields, snakeCase } from "../../../sdk/resource/fields/field";
import { directory, identity } from "../../../sdk/secrets";
import { roleFields } from "../../../sdk/secrets/directory/names";
import { FakeEngine } from "../../support/fake-engine";
import type { Properties } from "../../support/provider-process";
import { hashicorp, secretsClientOf, useSecrets } from "../emulated-client";
import { configureDirectory } from "./emulated-directory";

const { DynamicRole, LibrarySet, StaticRole } = directory;

describe("the name of a role", () => {
  const fields = new Fields(roleFields, snakeCase);
  for (const [dialect, sent] of [
    ["documented", "Payments-EU"],
    ["hashicorp", "payments-eu"],
  ] as const) {
    it(`the name of a role is sent in the ${dialect} dialect as ${sent}`, () => {
      const argument = fields.in(dialect).schema(z).roleName ?? assert.fail();
      assert.equal(argument.parse("Payments-EU"), sent);
      assert.equal(fields.arguments.roleName?.replaces, true);
      assert.ok(!argument.safeParse("").success);
    });
  }

  const isSame = (definition: AnyResourceDefinition, name: string, dialect: Dialect): boolean =>
    equivalent(definitionIn(definition, dialect).arguments[name] ?? {}, "Payments", "pAYMENTS");
  const named: readonly [AnyResourceDefinition, string][] = [
    [StaticRole.definition, "roleName"],
    [directory.StaticRoleRotation.definition, "roleName"],
    [DynamicRole.definition, "roleName"],
    [LibrarySet.definition, "name"],
    [directory.LibraryCheckout.definition, "setName"],
    [identity.EntityAlias.definition, "name"],
  ];
  for (const [definition, name] of named) {
    it(`a rename that differs only in case is a change of ${definition.type} only if case matters`, () => {
      assert.equal(isSame(definition, name, "documented"), false);
      assert.equal(isSame(definition, name, "hashicorp"), true);
    });
  }
});

describe("names with a slash", () => {
  const emulator = useSecrets({ dialect: "hashicorp" });
  const names = ["payments/eu/reports", "payments/reports", "plain"];
  const ldif = "dn: cn={{.Username}},dc=acme\nchangetype: add\nobjectClass: person";
  const { listDynamicRoles, listLibrarySets, listStaticRoles } = directory;
  const programs: readonly [
    { readonly definition: AnyResourceDefinition },
    (name: string, account: string) => Properties,
    typeof listStaticRoles,
  ][] = [
    [StaticRole, (roleName, username) => ({ roleName, username, rotationPeriod: "1h" }), listStaticRoles],
    [DynamicRole, (roleName) => ({ roleName, creationLdif: ldif, deletionLdif: ldif }), listDynamicRoles],
    [LibrarySet, (name, account) => ({ name, serviceAccountNames: [account] }), listLibrarySets],
  ];
  beforeEach(() => configureDirectory(emulator, ["svc-0", "svc-1", "svc-2"]));

  for (const [{ definition }, argsFor, list] of programs) {
    it(`names with a slash of ${definition.type} are managed, listed all or below a path, and imported`, async () => {
      assert.deepEqual(await list(), { names: [] });
      const managed = [];
      for (const [index, name] of names.entries()) {
        managed.push(await FakeEngine.create(definition, emulator, argsFor(name, `svc-${index}`)));
        assert.equal(await managed.at(-1)?.refresh(), true);
      }
      const ids = managed.map(({ id }) => id);
      for (const [path, found] of [
        [undefined, names],
        ["payments", names.slice(0, 2)],
        ["/payments/", names.slice(0, 2)],
        ["payments/eu", names.slice(0, 1)],
        // The products read the path in lower case too: "list library sets of a folder with a capital letter" of
        // tests/fixtures/wire/ldap-engines.json. The names are those that the service has.
        ["Payments", names.slice(0, 2)],
        ["search", []],
      ] as const) {
        const listed = await list(path === undefined ? {} : { path });
        assert.deepEqual([...listed.names].sort(), found);
      }
      const client = secretsClientOf(emulator, {}, hashicorp);
      const imported = await definition.importedBy?.ids(client as never, "ldap", "directory");
      assert.deepEqual([...(imported ?? [])].sort(), ids.sort());
      await assert.rejects(list({ path: "a//b" }), { message: /path must be a path such as/ });
      for (const each of managed) {
        await each.destroy();
      }
      process.env.SECRETS_DIALECT = "documented";
      const message = /path is only available in the hashicorp dialect/;
      await assert.rejects(list({ path: "payments" }), { message });
    });
  }

  it("listDynamicRoles is rejected in the documented dialect, which does not have this list", async () => {
    process.env.SECRETS_DIALECT = "documented";
    await assert.rejects(listDynamicRoles(), { message: /no list of dynamic roles/ });
  });
});
