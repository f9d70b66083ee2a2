import assert from "node:assert/strict";
import { Directory } from "../../../sdk/testing/secrets/directory/ldap/directory";
import { DistinguishedName } from "../../../sdk/testing/secrets/directory/ldap/distinguished-name";
import { LdapFailure } from "../../../sdk/testing/secrets/directory/ldap/ldap-failure";
import { type Change, LdifError, parseLdif } from "../../../sdk/testing/secrets/directory/ldap/ldif";

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

const lines = (...texts: readonly string[]): string => texts.join("\n");
const octets = (...texts: readonly string[]): Buffer[] => texts.map((text) => Buffer.from(text, "utf8"));

const understood: readonly [string, string, readonly Change[]][] = [
  [
    "an entry to add, with several values of one attribute",
    lines("dn: cn=a,dc=org", "changetype: add", "objectClass: top", "cn: a", "objectClass: person", ""),
    [
      {
        type: "add",
        dn: "cn=a,dc=org",
        attributes: [
          { attribute: "objectClass", values: octets("top", "person") },
          { attribute: "cn", values: octets("a") },
        ],
      },
    ],
  ],
  [
    "an entry without a changetype, after a version, a comment and empty lines",
    lines("version: 1", "# who", " and what", "", "", "dn: cn=a,dc=org", "cn: a"),
    [{ type: "add", dn: "cn=a,dc=org", attributes: [{ attribute: "cn", values: octets("a") }] }],
  ],
  [
    "continued lines, base64, carriage returns and a control",
    lines("dn: cn=a,dc=", " org\r", "control: 1.2.3 true\r", "changetype: add\r", "cn: a\r", "sn:: w7w=\r"),
    [
      {
        type: "add",
        dn: "cn=a,dc=org",
        attributes: [
          { attribute: "cn", values: octets("a") },
          { attribute: "sn", values: octets("ü") },
        ],
      },
    ],
  ],
  [
    "all kinds of modifications",
    lines(
      ...["dn: cn=a,dc=org", "changetype: modify"],
      ...["add: mail", "mail: one", "mail: two", "-"],
      ...["replace: sn", "sn: b", "-"],
      ...["delete: phone", "-"],
    ),
    [
      {
        type: "modify",
        dn: "cn=a,dc=org",
        modifications: [
          { operation: "add", attribute: "mail", values: octets("one", "two") },
          { operation: "replace", attribute: "sn", values: octets("b") },
          { operation: "delete", attribute: "phone", values: [] },
        ],
      },
    ],
  ],
  [
    "several entries, in their order",
    lines("dn: cn=a", "changetype: delete", "", "dn: cn=b", "changetype: add", "cn: b"),
    [
      { type: "delete", dn: "cn=a" },
      { type: "add", dn: "cn=b", attributes: [{ attribute: "cn", values: octets("b") }] },
    ],
  ],
  ["nothing", "\n\n", []],
];

const refused: readonly [string, string, number, string][] = [
  ["no dn", "hello: a", 1, "missing 'dn:'"],
  ["no dn in the second entry", lines("dn: cn=a", "cn: a", "", "cn: b"), 4, "missing 'dn:'"],
  ["nothing but a dn", "dn: cn=a\n", 1, "only a dn: line"],
  ["no attributes", lines("dn: cn=a", "changetype: add"), 2, "an entry needs attributes"],
  ["no colon", lines("dn: cn=a", "cn a"), 2, "Missing : in the line `cn a`"],
  ["an empty value", lines("dn: cn=a", "cn:"), 2, "empty value"],
  ["an empty name", lines("dn: cn=a", ": a"), 2, "invalid character in attribute name"],
  ["a bad name", lines("dn: cn=a", "c_n: a"), 2, "invalid character in attribute name"],
  ["bad base64", lines("dn: cn=a", "cn:: a"), 2, "the value of cn is not base64"],
  [
    "a value from a file",
    lines("dn: cn=a", "cn:< file:///etc/hosts"),
    2,
    "values from files are not available",
  ],
  ["an unknown changetype", lines("dn: cn=a", "changetype: move", "x: y"), 3, "invalid changetype move"],
  ["a new name", lines("dn: cn=a", "changetype: modrdn", "newrdn: cn=b"), 3, "invalid changetype modrdn"],
  [
    "attributes to delete",
    lines("dn: cn=a", "changetype: delete", "cn: a"),
    3,
    "no attributes allowed for changetype delete",
  ],
  [
    "an open modification",
    lines("dn: cn=a", "changetype: modify", "add: cn", "cn: a"),
    4,
    "modify request does not close with a single dash",
  ],
  [
    "an empty modification",
    lines("dn: cn=a", "changetype: modify", "-"),
    3,
    "invalid operation  in modify request",
  ],
  [
    "an unknown modification",
    lines("dn: cn=a", "changetype: modify", "put: cn", "-"),
    4,
    "invalid operation put in modify request",
  ],
  [
    "another attribute in a modification",
    lines("dn: cn=a", "changetype: modify", "add: cn", "sn: a", "-"),
    4,
    "invalid attribute sn in add request for cn",
  ],
];

describe("LDIF", () => {
  for (const [what, text, changes] of understood) {
    it(`can be ${what}`, () => {
      for (const isHashicorp of [false, true]) {
        assert.deepEqual(parseLdif(text, isHashicorp), changes);
      }
    });
  }

  it("has words in any case and values that are empty, as RFC 2849 says; the products refuse both", () => {
    const standard = lines(
      ...["Version: 1", "DN: cn=a,dc=org", "ChangeType: Add", "CN: a", "description:"],
      ...["", "dn:cn=a,dc=org", "changetype: modify", "Replace: Mail", "mail: one", "-"],
    );
    assert.deepEqual(parseLdif(standard, false), [
      {
        type: "add",
        dn: "cn=a,dc=org",
        attributes: [
          { attribute: "CN", values: octets("a") },
          { attribute: "description", values: octets("") },
        ],
      },
      {
        type: "modify",
        dn: "cn=a,dc=org",
        modifications: [{ operation: "replace", attribute: "Mail", values: octets("one") }],
      },
    ]);
    for (const text of ["DN: cn=a\ncn: a", "dn: cn=a\ncn:"]) {
      assert.throws(() => parseLdif(text, true), LdifError);
    }
  });

  for (const [what, text, line, reason] of refused) {
    it(`is refused with ${what}`, () => {
      assert.throws(
        () => parseLdif(text, true),
        (error) => {
          assert.ok(error instanceof LdifError);
          assert.deepEqual([error.line, error.reason], [line, reason]);
          return true;
        },
      );
    });
  }
});

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
