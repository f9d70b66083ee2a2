import assert from "node:assert/strict";
import * as fc from "fast-check";
import { z } from "zod";
import { InputError } from "../../sdk/base/errors";
import { Fields, snakeCase } from "../../sdk/resource/fields/field";
import { mount as mountRow, mountedId, readMountedId } from "../../sdk/secrets/mount";
import { librarySetDefinition, librarySets } from "../../sdk/secrets/directory/library-set";
import { staticRoleDefinition, staticRoles } from "../../sdk/secrets/directory/static-role";

describe("the row of a mount", () => {
  const fields = new Fields({ mount: mountRow({ documented: "ldap", hashicorp: "nomad" }) }, snakeCase);
  const argument = fields.schema(z, "documented").mount ?? assert.fail();

  it("is the usual mount where none is given", () => {
    assert.equal(argument.parse(undefined), "ldap");
    assert.equal(fields.schema(z, "hashicorp").mount?.parse(undefined), "nomad");
  });

  for (const mount of ["teams/ldap", "/teams/ldap", "teams/ldap/"]) {
    it(`takes ${JSON.stringify(mount)}`, () => assert.equal(argument.parse(mount), "teams/ldap"));
  }

  for (const mount of ["", "/", "teams//ldap", "teams/../ldap", "a\nb", 7]) {
    it(`refuses ${JSON.stringify(mount)}`, () => assert.equal(argument.safeParse(mount).success, false));
  }

  it("sees no change in slashes at the ends", () => {
    const { canonical } = fields.arguments.mount ?? assert.fail();
    assert.equal(canonical?.("/teams/ldap/"), canonical?.("teams/ldap"));
  });
});

describe("an id on a mount", () => {
  it("keeps the mount's slashes and encodes those of names", () => {
    assert.equal(mountedId("teams/ldap", "a/b c"), "teams/ldap/a%2Fb%20c");
    assert.equal(mountedId("ldap"), "ldap");
  });

  const name = fc
    .string({ unit: "grapheme", minLength: 1 })
    .filter((text) => !/[\p{C}\\]|^\.{1,2}$|%/u.test(text));
  const plain = name.filter((text) => !text.includes("/"));
  const segments = fc.array(plain, { minLength: 1, maxLength: 3 });
  it("is read as it was written", () => {
    fc.assert(
      fc.property(segments, fc.array(plain, { maxLength: 2 }), (mount, names) => {
        const id = mountedId(mount.join("/"), ...names);
        assert.deepEqual(readMountedId(id, names.length), { mount: mount.join("/"), names });
      }),
    );
  });

  for (const [id, count] of [
    ["ldap", 1],
    ["", 0],
    ["ldap//x", 1],
    ["ldap/%zz", 1],
  ] as const) {
    it(`is not ${JSON.stringify(id)} where ${count} names follow`, () => {
      assert.throws(() => readMountedId(id, count), InputError);
    });
  }
});

describe("an object at a name on a mount", () => {
  it("is read out of an id", () => {
    const nameOf = (id: string) => [staticRoles.named(id, "documented"), staticRoles.named(id, "hashicorp")];
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
        () => staticRoles.named(id, "documented"),
        (error) => InputError.isInstance(error),
      );
    }
  });

  it("has an id, a path and a description", () => {
    const role = { mount: "teams/A b", roleName: "Pay/ments" };
    assert.equal(staticRoles.id(role), "teams/A%20b/Pay%2Fments");
    assert.equal(staticRoles.path(role), "/teams/A%20b/static-role/Pay%2Fments");
    assert.equal(staticRoles.describe(role), 'static role "Pay/ments" of the mount teams/A b');
  });

  it("keeps the case of its name where only comparisons fold it", () => {
    assert.deepEqual(librarySets.named("ldap/Operators", "hashicorp"), { mount: "ldap", name: "Operators" });
    assert.equal(librarySetDefinition.canonicalId?.("ldap/Operators", "hashicorp"), "ldap/operators");
  });
});

describe("the one form of ids on a mount", () => {
  it("folds the case of the name, not of the mount, in the hashicorp dialect only", () => {
    assert.equal(
      staticRoleDefinition.canonicalId?.("Teams/ldap/Payments", "documented"),
      "Teams/ldap/Payments",
    );
    assert.equal(staticRoleDefinition.canonicalId("Teams/ldap/Payments", "hashicorp"), "Teams/ldap/payments");
  });

  it("gives back what is no id", () => {
    assert.equal(staticRoleDefinition.canonicalId?.("Payments", "hashicorp"), "Payments");
    assert.equal(staticRoleDefinition.canonicalId("ldap/%", "hashicorp"), "ldap/%");
  });
});
