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
    for (const change of parseLdif(lines.join("\n"))) {
      directory.apply(change);
    }
  };
  const failing = (code: number, action: () => unknown): void => {
    assert.throws(action, (error) => error instanceof LdapFailure && error.code === code);
  };

  it("makes the entries above one that is placed", () => {
    assert.deepEqual(
      directory.all().map(({ dn }) => dn),
      ["dc=org", "dc=example,dc=org", users, alice],
    );
  });

  it("has the name of an entry among its attributes", () => {
    assert.deepEqual(directory.entry(alice).attributes, { mail: ["alice@example.org"], cn: ["alice"] });
  });

  it("finds an entry in whatever spelling", () => {
    assert.equal(directory.entry("CN=Alice, OU=Users, DC=example, DC=org").dn, alice);
    failing(32, () => directory.entry(`cn=bob,${users}`));
    failing(34, () => directory.entry("alice"));
  });

  it("lets in who knows the password", () => {
    directory.place(`cn=ada,${users}`, {
      password: "x",
      attributes: { userPrincipalName: ["ada@example.org"] },
    });
    assert.equal(directory.bind(alice, "wonder").dn, alice);
    assert.equal(directory.bind("ADA@example.org", "x").dn, `cn=ada,${users}`);
    failing(49, () => directory.bind(alice, "Wonder"));
    failing(49, () => directory.bind(alice, ""));
    failing(49, () => directory.bind(`cn=bob,${users}`, "wonder"));
    failing(49, () => directory.bind(users, ""));
  });

  it("searches below a base, in upper and lower case", () => {
    directory.place("cn=alice,ou=others,dc=example,dc=org", {});
    const found = (base: string, attribute: string, value: string): string[] =>
      directory.search(base, attribute, value).map(({ dn }) => dn);
    assert.deepEqual(found(users, "CN", "ALICE"), [alice]);
    assert.deepEqual(found("", "cn", "alice"), [alice, "cn=alice,ou=others,dc=example,dc=org"]);
    assert.deepEqual(found("dc=example,dc=org", "mail", "alice@example.org"), [alice]);
    assert.deepEqual(found(users, "cn", "bob"), []);
    failing(32, () => directory.search("ou=nowhere,dc=org", "cn", "alice"));
  });

  it("adds entries, with passwords of every kind", () => {
    apply(`dn: cn=bob,${users}`, "changetype: add", "objectClass: person", "cn: bob", "userPassword: secret");
    const quoted = Buffer.from('"geheimnis"', "utf16le").toString("base64");
    apply(`dn: cn=eve,${users}`, "changetype: add", "objectClass: user", `unicodePwd:: ${quoted}`);
    assert.deepEqual(directory.entry(`cn=bob,${users}`), {
      dn: `cn=bob,${users}`,
      password: "secret",
      attributes: { objectClass: ["person"], cn: ["bob"] },
      mayManage: false,
    });
    assert.equal(directory.entry(`cn=eve,${users}`).password, "geheimnis");
  });

  it("adds nothing twice, and nothing below nothing", () => {
    failing(68, () => apply(`dn: CN=Alice,${users}`, "changetype: add", "cn: Alice"));
    failing(32, () => apply("dn: cn=bob,ou=nowhere,dc=org", "changetype: add", "cn: bob"));
    failing(68, () => directory.place(alice, {}));
  });

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

  it("deletes entries that have none below", () => {
    failing(66, () => apply(`dn: ${users}`, "changetype: delete"));
    apply(`dn: ${alice}`, "changetype: delete");
    apply(`dn: ${users}`, "changetype: delete");
    failing(32, () => apply(`dn: ${users}`, "changetype: delete"));
  });

  it("says what went wrong as the protocol does", () => {
    assert.equal(new LdapFailure(49).message, 'LDAP Result Code 49 "Invalid Credentials": ');
    assert.equal(new LdapFailure(32, "why").message, 'LDAP Result Code 32 "No Such Object": why');
  });
});
