import assert from "node:assert/strict";
import { isServerUrls, serverUrls } from "../../../sdk/secrets/directory/server-urls";

describe("the URLs of directory servers", () => {
  const lists: readonly [string, boolean][] = [
    ["ldap://ldap.example", true],
    ["LDAPS://ldap.example:636/", true],
    ["ldap://a.example , ldaps://b.example", true],
    ["ldap://[fe80::1]:389", true],
    ["", false],
    [",", false],
    ["ldap://a.example,", false],
    ["ldap://", false],
    ["ldap:///dc=acme", false],
    ["ldapi://socket", false],
    ["http://ldap.example", false],
    ["ldap.example", false],
    ["ldap://a.example ldap://b.example", false],
    ["ldap://a.example:port", false],
    ["ldap://a.example?base", false],
  ];
  for (const [list, expected] of lists) {
    it(`${expected ? "can" : "cannot"} be ${JSON.stringify(list)}`, () => {
      assert.equal(isServerUrls(list), expected);
    });
  }

  it("are the same in any case and with any white space between them, in the same order", () => {
    assert.equal(serverUrls("LDAP://A.example ,\tldap://b.EXAMPLE"), "ldap://a.example,ldap://b.example");
    assert.notEqual(serverUrls("ldap://a,ldap://b"), serverUrls("ldap://b,ldap://a"));
    assert.deepEqual([serverUrls(""), serverUrls(null), serverUrls(5)], [null, null, 5]);
  });
});
