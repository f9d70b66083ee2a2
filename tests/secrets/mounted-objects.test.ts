import assert from "node:assert/strict";
import { InputError } from "../../sdk/base/errors";
import { librarySetDefinition, librarySets } from "../../sdk/secrets/directory/library-set";
import { staticRoleDefinition, staticRoles } from "../../sdk/secrets/directory/static-role";

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
