import assert from "node:assert/strict";
import fc from "fast-check";
import { configDefinition } from "../../../sdk/secrets/directory/config";
import { distinguishedName } from "../../../sdk/secrets/directory/distinguished-name";
import { staticRoleDefinition } from "../../../sdk/secrets/directory/static-role";
import { definitionIn } from "../../../sdk/resource/definition";
import { equivalent } from "../../../sdk/resource/fields/field";

const name = "cn=svc1,ou=users,dc=example,dc=org";

describe("distinguished names", () => {
  const same: readonly (readonly [string, string])[] = [
    ["CN=svc1,OU=users,DC=example,DC=org", name],
    ["cn=svc1, ou = users ,dc= example,dc=org ", name],
    ["cn=svc1;ou=users;dc=example;dc=org", name],
    ["2.5.4.3=svc1,OID.2.5.4.11=users,0.9.2342.19200300.100.1.25=example,DC=org", name],
    ["CN=SVC1,ou=Users,dc=EXAMPLE,dc=org", name],
    ["cn=Smith\\, John,dc=org", 'CN="Smith, John",DC=org'],
    ["cn=Smith\\2C  John,dc=org", "cn=Smith\\, John,dc=org"],
    ["cn=J\\C3\\BCrgen\\20,dc=org", "cn=Jürgen\\ ,dc=org"],
    ["uid=1+cn=two,dc=org", "CN=two + UID=1,DC=org"],
    ["employeeNumber=A1,dc=org", "EMPLOYEENUMBER=A1,dc=org"],
  ];
  const different: typeof same = [
    ["cn=svc2,ou=users,dc=example,dc=org", name],
    ["ou=users,cn=svc1,dc=example,dc=org", name],
    ["cn=svc1\\,ou=users,dc=example,dc=org", name],
    ["cn=a\\+uid=1,dc=org", "cn=a+uid=1,dc=org"],
    ["cn=a\\ ,dc=org", "cn=a,dc=org"],
    ["employeeNumber=A1,dc=org", "employeeNumber=a1,dc=org"],
  ];
  for (const [index, [left, right]] of [...same, ...different].entries()) {
    it(`distinguished names are ${index < same.length ? "" : "not "}equal: ${left} and ${right}`, () =>
      assert.equal(distinguishedName(left) === distinguishedName(right), index < same.length));
  }

  const others = ["svc@example.org", "EXAMPLE\\svc", "", "cn=a,", "cn=a,b", 'cn="a', "cn=a\\", null, 7];
  for (const other of others) {
    it(`distinguished names are not equal to another value, which does not change: ${JSON.stringify(other)}`, () =>
      assert.equal(distinguishedName(other), other));
  }

  it("distinguished names are read in linear time, whatever they contain", () => {
    fc.assert(fc.property(fc.string(), (text) => typeof distinguishedName(text) === "string"));
    for (const part of [" ", "\\", "\\ ", "=", "cn= ", '"', "+"]) {
      distinguishedName(`cn=${part.repeat(100_000)}`);
    }
  });

  const { arguments: staticRoleFields } = definitionIn(staticRoleDefinition, "documented");
  const { arguments: configFields } = definitionIn(configDefinition, "documented");
  for (const [type, argument] of [
    ["StaticRole", staticRoleFields.dn],
    ["Config", configFields.binddn],
    ["Config", configFields.userdn],
  ] as const) {
    it(`distinguished names compare by meaning as an argument of ${type}`, () =>
      assert.ok(equivalent(argument ?? {}, "CN=svc1, OU=users,DC=example,DC=org", name)));
  }
});
