import assert from "node:assert/strict";
import { Directory, DistinguishedName } from "../../../sdk/testing/secrets/directory/ldap/directory";
import { parseLdif } from "../../../sdk/testing/secrets/directory/ldap/ldif";
import { EngineFailure } from "../../../sdk/testing/secrets/refusal";

/** Asserts that an action is refused as by a directory, with a message that matches. */
function failing(message: RegExp, action: () => unknown): void {
  assert.throws(action, (error) => {
    assert.ok(error instanceof EngineFailure);
    assert.match(error.message, message);
    return true;
  });
}

describe("a distinguished name", () => {
  const parse = (text: string): DistinguishedName => new DistinguishedName(text);

  it("is the same in every spelling", () => {
    const { key } = parse("cn=Web One,ou=users,dc=example,dc=org");
    for (const spelling of [
      "CN=web one, OU=Users, DC=Example, DC=Org",
      "cn = web  one ,ou=users,dc=example,dc=org",
      "cn=\\77eb one,ou=users,dc=example,dc=org",
    ]) {
      assert.equal(parse(spelling).key, key, spelling);
    }
    assert.notEqual(parse("cn=Web Two,ou=users,dc=example,dc=org").key, key);
  });

  it("can have commas and other signs in its values", () => {
    for (const [name, value] of [
      ["cn=Doe\\, Jane \\2B Co,dc=org", "Doe, Jane + Co"],
      ["cn=J\\c3\\bcrgen,dc=org", "Jürgen"],
    ] as const) {
      assert.deepEqual(parse(name).own, { attribute: "cn", value });
    }
  });

  it("refuses what is none", () => {
    for (const text of ["", "cn", "cn=", "=a", "cn=a,", ",cn=a", "cn=a,,dc=org", "cn=a\\"]) {
      failing(/Invalid DN Syntax/, () => parse(text));
    }
  });
});

const lines = (...texts: readonly string[]): string => texts.join("\n");
const of = (attribute: string, ...texts: readonly string[]) => ({
  attribute,
  values: texts.map((text) => Buffer.from(text, "utf8")),
});
const modify = lines("dn: cn=a", "changetype: modify");

describe("LDIF", () => {
  for (const [what, text, changes] of [
    [
      "an entry to add, with several values of one attribute",
      lines("dn: cn=a,dc=org", "changetype: add", "objectClass: top", "cn: a", "objectClass: person", ""),
      [{ type: "add", dn: "cn=a,dc=org", attributes: [of("objectClass", "top", "person"), of("cn", "a")] }],
    ],
    [
      "an entry without a changetype, after a version, a comment and empty lines",
      lines("version: 1", "# who", " and what", "", "", "dn: cn=a,dc=org", "cn: a"),
      [{ type: "add", dn: "cn=a,dc=org", attributes: [of("cn", "a")] }],
    ],
    [
      "continued lines, base64, carriage returns and a control",
      lines("dn: cn=a,dc=", " org\r", "control: 1.2.3 true\r", "changetype: add\r", "cn: a\r", "sn:: w7w=\r"),
      [{ type: "add", dn: "cn=a,dc=org", attributes: [of("cn", "a"), of("sn", "ü")] }],
    ],
    [
      "all kinds of modifications",
      lines(
        modify,
        "add: mail",
        "mail: one",
        "mail: two",
        "-",
        "replace: sn",
        "sn: b",
        "-",
        "delete: phone",
        "-",
      ),
      [
        {
          type: "modify",
          dn: "cn=a",
          modifications: [
            { operation: "add", ...of("mail", "one", "two") },
            { operation: "replace", ...of("sn", "b") },
            { operation: "delete", ...of("phone") },
          ],
        },
      ],
    ],
    [
      "several entries, in their order",
      lines("dn: cn=a", "changetype: delete", "", "dn: cn=b", "changetype: add", "cn: b"),
      [
        { type: "delete", dn: "cn=a" },
        { type: "add", dn: "cn=b", attributes: [of("cn", "b")] },
      ],
    ],
  ] as const) {
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
      { type: "add", dn: "cn=a,dc=org", attributes: [of("CN", "a"), of("description", "")] },
      { type: "modify", dn: "cn=a,dc=org", modifications: [{ operation: "replace", ...of("Mail", "one") }] },
    ]);
    failing(/line 1: missing 'dn:'/, () => parseLdif("DN: cn=a\ncn: a", true));
    failing(/line 2: empty value/, () => parseLdif("dn: cn=a\ncn:", true));
  });

  for (const [text, reason] of [
    ["hello: a", "line 1: missing 'dn:'"],
    ["dn: cn=a\ncn: a\n\ncn: b", "line 4: missing 'dn:'"],
    ["dn: cn=a\n", "line 1: only a dn: line"],
    ["dn: cn=a\nchangetype: add", "line 2: an entry needs attributes"],
    ["dn: cn=a\ncn a", "line 2: Missing : in the line `cn a`"],
    ["dn: cn=a\nc_n: a", "line 2: invalid character in attribute name"],
    ["dn: cn=a\ncn:: a", "line 2: the value of cn is not base64"],
    ["dn: cn=a\ncn:< file:///etc/hosts", "line 2: values from files are not available"],
    ["dn: cn=a\nchangetype: modrdn\nnewrdn: cn=b", "line 3: invalid changetype modrdn"],
    ["dn: cn=a\nchangetype: delete\ncn: a", "line 3: no attributes allowed for changetype delete"],
    [`${modify}\nadd: cn\ncn: a`, "line 4: modify request does not close with a single dash"],
    [`${modify}\nput: cn\n-`, "line 4: invalid operation put in modify request"],
    [`${modify}\nadd: cn\nsn: a\n-`, "line 4: invalid attribute sn in add request for cn"],
  ] as const) {
    it(`is refused with a reason: ${reason}`, () => {
      assert.throws(() => parseLdif(text, true), { message: `Error in ${reason}` });
    });
  }
});

describe("the directory", () => {
  const users = "ou=users,dc=example,dc=org";
  const alice = `cn=alice,${users}`;
  let directory: Directory;
  beforeEach(() => {
    directory = new Directory();
    directory.place(alice, { password: "wonder", attributes: { mail: ["alice@example.org"] } });
  });

  const change = (...modifications: readonly string[]): void => {
    const text = lines(`dn: ${alice}`, "changetype: modify", ...modifications);
    parseLdif(text, false).forEach((each) => directory.apply(each));
  };

  it("modifies attributes, in whatever spelling", () => {
    change("add: MAIL", "MAIL: a@example.org", "-", "add: sn", "sn: Liddell", "-");
    const mail = ["alice@example.org", "a@example.org"];
    assert.deepEqual(directory.entry(alice).attributes, { mail, cn: ["alice"], sn: ["Liddell"] });
    change("delete: mail", "mail: ALICE@example.org", "-", "delete: sn", "-");
    assert.deepEqual(directory.entry(alice).attributes, { mail: ["a@example.org"], cn: ["alice"] });
    change("replace: mail", "-", "replace: userPassword", "userPassword: new", "-");
    assert.deepEqual(directory.entry(alice).attributes, { cn: ["alice"] });
    assert.equal(directory.entry(alice).password, "new");
    change("delete: userPassword", "-");
    assert.equal(directory.entry(alice).password, null);
  });

  it("makes all of a modification or nothing", () => {
    const before = directory.entry(alice);
    for (const [code, ...more] of [
      [20, "add: mail", "mail: NEW", "-"],
      [16, "delete: sn", "-"],
      [16, "delete: mail", "mail: other", "-"],
      [64, "replace: cn", "cn: bob", "-"],
    ] as const) {
      failing(new RegExp(`Result Code ${code} `), () => change("replace: mail", "mail: new", "-", ...more));
    }
    assert.deepEqual(directory.entry(alice), before);
    failing(/Result Code 32 /, () => directory.apply({ type: "modify", dn: "cn=bob", modifications: [] }));
  });
});
