import assert from "node:assert/strict";
import { z } from "zod";
import type { Dialect } from "../../../sdk/base/settings";
import { type AnyResourceDefinition, inDialect } from "../../../sdk/resource/definition";
import { Fields, snakeCase, equivalent } from "../../../sdk/resource/fields/field";
import { dynamicRoleDefinition } from "../../../sdk/secrets/directory/dynamic-role";
import { libraryCheckoutDefinition } from "../../../sdk/secrets/directory/library-checkout";
import { librarySetDefinition } from "../../../sdk/secrets/directory/library-set";
import { roleFields } from "../../../sdk/secrets/directory/names";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import { staticRoleRotationDefinition } from "../../../sdk/secrets/directory/static-role-rotation";
import { entityAliasDefinition } from "../../../sdk/secrets/identity/entity-alias";

describe("the name of a role", () => {
  it("is sent as written, and in lower case in the hashicorp dialect", () => {
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
    it(`is a change of ${definition.type} where case counts only`, () => {
      assert.equal(isSame(definition, name, "documented"), false);
      assert.equal(isSame(definition, name, "hashicorp"), true);
    });
  }
});
