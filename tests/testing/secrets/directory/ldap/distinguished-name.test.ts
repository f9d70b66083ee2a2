import assert from "node:assert/strict";
import fc from "fast-check";
import { DistinguishedName } from "../../../../../sdk/testing/secrets/directory/ldap/distinguished-name";
import { LdapFailure } from "../../../../../sdk/testing/secrets/directory/ldap/ldap-failure";

const parse = (text: string): DistinguishedName => DistinguishedName.parse(text);

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
    assert.deepEqual(parse("cn=Doe\\, Jane \\2B Co,dc=org").own, [
      { attribute: "cn", value: "Doe, Jane + Co" },
    ]);
    assert.equal(parse("cn=Doe\\, Jane,dc=org").key, parse("cn=Doe\\2c Jane,dc=org").key);
    assert.deepEqual(parse("cn=J\\c3\\bcrgen,dc=org").own, [{ attribute: "cn", value: "Jürgen" }]);
  });

  it("can be named by two attributes, in any order", () => {
    assert.equal(parse("cn=a+uid=b,dc=org").key, parse("uid=b+cn=a,dc=org").key);
    assert.deepEqual(parse("cn=a+uid=b,dc=org").own, [
      { attribute: "cn", value: "a" },
      { attribute: "uid", value: "b" },
    ]);
  });

  it("knows what it is within", () => {
    const name = parse("cn=web,ou=users,dc=example,dc=org");
    assert.ok(name.isWithin(parse("OU=users,dc=example,dc=org")));
    assert.ok(name.isWithin(name));
    assert.equal(name.isWithin(parse("ou=ers,dc=example,dc=org")), false);
    assert.equal(name.isWithin(parse("cn=other,ou=users,dc=example,dc=org")), false);
    assert.equal(name.parent?.key, parse("ou=users,dc=example,dc=org").key);
    assert.equal(parse("dc=org").parent, undefined);
  });

  for (const text of [
    "",
    "web",
    "cn=",
    "cn=web,",
    ",dc=org",
    "cn=web,,dc=org",
    "=web",
    "cn=web\\",
    "1x=web",
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => parse(text),
        (error) => error instanceof LdapFailure && error.code === 34,
      );
    });
  }

  it("is the same after it was written and read, whatever its values", () => {
    const value = fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => text.trim() === text);
    fc.assert(
      fc.property(value, value, (first, second) => {
        const quoted = (text: string): string =>
          Buffer.from(text, "utf8").toString("hex").replace(/../g, "\\$&");
        const name = parse(`cn=${quoted(first)},ou=${quoted(second)}`);
        assert.deepEqual(name.own, [{ attribute: "cn", value: first }]);
        assert.equal(parse(name.toString()).key, name.key);
      }),
    );
  });
});
