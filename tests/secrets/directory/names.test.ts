import assert from "node:assert/strict";
import { z } from "zod";
import { InputError } from "../../../sdk/http/errors";
import { equivalent } from "../../../sdk/resource/metadata";
import { roleNameArgument, roleNameDefinition, roleNameOf } from "../../../sdk/secrets/directory/names";

describe("the name of a role", () => {
  it("is sent in lower case, and the same in any case", () => {
    assert.equal(roleNameArgument(z).parse("Payments-EU"), "payments-eu");
    assert.ok(equivalent(roleNameDefinition, "Payments", "pAYMENTS"));
    assert.ok(!equivalent(roleNameDefinition, "payments", "payment"));
    assert.equal(roleNameDefinition.replaces, true);
    assert.ok(!roleNameArgument(z).safeParse("").success);
  });

  it("is read out of an id", () => {
    assert.deepEqual(roleNameOf("ldap/payments"), { mount: "ldap", roleName: "payments" });
    assert.deepEqual(roleNameOf("teams/a%20b/Pay%2Fments"), { mount: "teams/a b", roleName: "pay/ments" });
    for (const id of ["payments", "", "ldap/%"]) {
      assert.throws(
        () => roleNameOf(id),
        (error) => InputError.isInstance(error),
      );
    }
  });
});
