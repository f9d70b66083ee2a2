import assert from "node:assert/strict";
import { DistinguishedName } from "../../../../../sdk/testing/secrets/directory/ldap/distinguished-name";
import { LdapFailure } from "../../../../../sdk/testing/secrets/directory/ldap/ldap-failure";

const parse = (text: string): DistinguishedName => new DistinguishedName(text);

describe("a distinguished name", () => {
  it("is the same in every spelling", () => {
    const { key } = parse("cn=Web One,ou=users,dc=example,dc=org");
    for (const spelling of [
      "CN=web one, OU=Users, DC=Example, DC=Org",
      "cn = web one ,ou=users,dc=example,dc=org",
      "cn=web  one,ou=users,dc=example,dc=org",
      "cn=\\77eb one,ou=users,dc=example,dc=org",
    ]) {
      assert.equal(parse(spelling).key, key, spelling);
    }
    assert.notEqual(parse("cn=Web Two,ou=users,dc=example,dc=org").key, key);
  });

  it("can have commas and other signs in its values", () => {
    assert.deepEqual(parse("cn=Doe\\, Jane \\2B Co,dc=org").own, {
      attribute: "cn",
      value: "Doe, Jane + Co",
    });
    assert.equal(parse("cn=Doe\\, Jane,dc=org").key, parse("cn=Doe\\2c Jane,dc=org").key);
    assert.deepEqual(parse("cn=J\\c3\\bcrgen,dc=org").own, { attribute: "cn", value: "Jürgen" });
  });

  it("refuses what is none", () => {
    for (const text of ["", "cn", "cn=", "=a", "cn=a,", ",cn=a", "cn=a,,dc=org", "cn=a\\"]) {
      assert.throws(() => parse(text), LdapFailure, text);
    }
  });
});
