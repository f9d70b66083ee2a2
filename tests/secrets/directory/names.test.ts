import assert from "node:assert/strict";
import { z } from "zod";
import { InputError } from "../../../sdk/base/errors";
import type { Dialect } from "../../../sdk/base/settings";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import { inDialect } from "../../../sdk/resource/in-dialect";
import { equivalent } from "../../../sdk/resource/canonical";
import { dynamicRoleDefinition } from "../../../sdk/secrets/directory/dynamic-role";
import { libraryCheckoutDefinition } from "../../../sdk/secrets/directory/library-checkout";
import { librarySetDefinition } from "../../../sdk/secrets/directory/library-set";
import {
  canonicalEngineId,
  engineNameArgument,
  engineNameDefinition,
  roleNameOf,
} from "../../../sdk/secrets/directory/names";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import { staticRoleRotationDefinition } from "../../../sdk/secrets/directory/static-role-rotation";
import { entityAliasDefinition } from "../../../sdk/secrets/identity/entity-alias";

describe("the name of a role", () => {
  it("is sent as written, and in lower case in the hashicorp dialect", () => {
    assert.equal(engineNameArgument(z, "documented").parse("Payments-EU"), "Payments-EU");
    assert.equal(engineNameArgument(z, "hashicorp").parse("Payments-EU"), "payments-eu");
    assert.equal(engineNameDefinition.replaces, true);
    for (const dialect of ["documented", "hashicorp"] as const) {
      assert.ok(!engineNameArgument(z, dialect).safeParse("").success);
    }
  });

  it("is read out of an id", () => {
    const nameOf = (id: string) => [roleNameOf(id, "documented"), roleNameOf(id, "hashicorp")];
    assert.deepEqual(nameOf("ldap/payments"), [
      { mount: "ldap", roleName: "payments" },
      { mount: "ldap", roleName: "payments" },
    ]);
    assert.deepEqual(nameOf("teams/A%20b/Pay%2Fments"), [
      { mount: "teams/A b", roleName: "Pay/ments" },
      { mount: "teams/A b", roleName: "pay/ments" },
    ]);
    for (const id of ["payments", "", "ldap/%"]) {
      assert.throws(
        () => roleNameOf(id, "documented"),
        (error) => InputError.isInstance(error),
      );
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

describe("canonicalEngineId", () => {
  it("folds the case of the name, not of the mount, in the hashicorp dialect only", () => {
    assert.equal(canonicalEngineId("Teams/ldap/Payments", "documented"), "Teams/ldap/Payments");
    assert.equal(canonicalEngineId("Teams/ldap/Payments", "hashicorp"), "Teams/ldap/payments");
  });

  it("gives back what is no id", () => {
    assert.equal(canonicalEngineId("Payments", "hashicorp"), "Payments");
    assert.equal(canonicalEngineId("ldap/%", "hashicorp"), "ldap/%");
  });
});
