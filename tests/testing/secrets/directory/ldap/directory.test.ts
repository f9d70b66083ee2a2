import assert from "node:assert/strict";
import { Directory } from "../../../../../sdk/testing/secrets/directory/ldap/directory";
import { LdapFailure } from "../../../../../sdk/testing/secrets/directory/ldap/ldap-failure";
import { parseLdif } from "../../../../../sdk/testing/secrets/directory/ldap/ldif";

const users = "ou=users,dc=example,dc=org";
const alice = `cn=alice,${users}`;

describe("the directory", () => {
  let directory: Directory;
  beforeEach(() => {
    directory = new Directory();
    directory.place(alice, { password: "wonder", attributes: { mail: ["alice@example.org"] } });
  });

  const apply = (...lines: readonly string[]): void => {
    for (const change of parseLdif(lines.join("\n"), false)) {
      directory.apply(change);
    }
  };
  const failing = (code: number, action: () => unknown): void => {
    assert.throws(action, (error) => error instanceof LdapFailure && error.code === code);
  };

  it("modifies attributes, in whatever spelling", () => {
    apply(
      `dn: ${alice}`,
      "changetype: modify",
      "add: MAIL",
      "MAIL: a@example.org",
      "-",
      "add: sn",
      "sn: Liddell",
      "-",
    );
    assert.deepEqual(directory.entry(alice).attributes, {
      mail: ["alice@example.org", "a@example.org"],
      cn: ["alice"],
      sn: ["Liddell"],
    });
    apply(
      `dn: ${alice}`,
      "changetype: modify",
      "delete: mail",
      "mail: ALICE@example.org",
      "-",
      "delete: sn",
      "-",
    );
    assert.deepEqual(directory.entry(alice).attributes, { mail: ["a@example.org"], cn: ["alice"] });
    apply(
      `dn: ${alice}`,
      "changetype: modify",
      "replace: mail",
      "-",
      "replace: userPassword",
      "userPassword: new",
      "-",
    );
    assert.deepEqual(directory.entry(alice).attributes, { cn: ["alice"] });
    assert.equal(directory.entry(alice).password, "new");
    apply(`dn: ${alice}`, "changetype: modify", "delete: userPassword", "-");
    assert.equal(directory.entry(alice).password, null);
  });

  it("makes all of a modification or nothing", () => {
    const before = directory.entry(alice);
    const modify = (...lines: readonly string[]): void =>
      apply(`dn: ${alice}`, "changetype: modify", "replace: mail", "mail: new", "-", ...lines);
    failing(20, () => modify("add: mail", "mail: NEW", "-"));
    failing(16, () => modify("delete: sn", "-"));
    failing(16, () => modify("delete: mail", "mail: other", "-"));
    failing(64, () => modify("replace: cn", "cn: bob", "-"));
    assert.deepEqual(directory.entry(alice), before);
    failing(32, () => apply(`dn: cn=bob,${users}`, "changetype: modify", "replace: mail", "mail: x", "-"));
  });
});
