import assert from "node:assert/strict";
import { Directory, DistinguishedName } from "../../../sdk/testing/secrets/directory/ldap/directory";
import { type AttributeValues, parseLdif } from "../../../sdk/testing/secrets/directory/ldap/ldif";
import { EngineFailure } from "../../../sdk/testing/secrets/refusal";

const refused = (action: () => unknown, message: RegExp): void =>
  assert.throws(action, (error) => error instanceof EngineFailure && message.test(error.message));

it("a distinguished name is the same in every form, and its values can contain special characters", () => {
  const { key } = new DistinguishedName("cn=Web One,ou=users,dc=org");
  for (const text of ["CN=web one, OU=Users, DC=Org", "cn = \\77eb  one ,ou=users,dc=org"]) {
    assert.equal(new DistinguishedName(text).key, key, text);
  }
  for (const [text, value] of [
    ["cn=Doe\\, Jane \\2B Co,dc=org", "Doe, Jane + Co"],
    ["cn=J\\c3\\bcrgen,dc=org", "Jürgen"],
  ] as const) {
    assert.deepEqual(new DistinguishedName(text).own, { attribute: "cn", value });
  }
  for (const text of ["", "cn", "cn=", "=a", "cn=a,", ",cn=a", "cn=a,,dc=org", "cn=a\\"]) {
    refused(() => new DistinguishedName(text), /Invalid DN Syntax/);
  }
});

/** Each change in a line, such as `modify cn=a add:mail=one,two`. */
function changesIn(ldif: string, ldifHasCases: boolean): string[] {
  const shown = ({ attribute, values }: AttributeValues): string => `${attribute}=${values.join(",")}`;
  return parseLdif(ldif, { ldifHasCases }).map((change) => {
    const added = change.type === "add" ? change.attributes.map(shown) : [];
    const modified = change.type === "modify" ? change.modifications : [];
    const parts = [...added, ...modified.map((each) => `${each.operation}:${shown(each)}`)];
    return [change.type, change.dn, ...parts].join(" ");
  });
}

describe("LDIF", () => {
  const several =
    "dn: cn=a\nchangetype: delete\n\ndn: cn=b\nchangetype: add\nobjectClass: x\ncn: b\nobjectClass: y\n";
  const modifying =
    "dn: cn=a\nchangetype: modify\nadd: mail\nmail: 1\nmail: 2\n-\nreplace: sn\nsn: b\n-\ndelete: phone\n-";
  for (const [ldif, ...changes] of [
    [several, "delete cn=a", "add cn=b objectClass=x,y cn=b"],
    ["version: 1\n# who\n and what\n\n\ndn: cn=a\ncn: a", "add cn=a cn=a"],
    ["dn: cn=\n a\r\ncontrol: 1.2.3 true\r\nchangetype: add\r\ncn: a\r\nsn:: w7w=\r", "add cn=a cn=a sn=ü"],
    [modifying, "modify cn=a add:mail=1,2 replace:sn=b delete:phone="],
  ] as const) {
    it(`LDIF can be ${JSON.stringify(ldif)}`, () =>
      assert.deepEqual([changesIn(ldif, false), changesIn(ldif, true)], [changes, changes]));
  }

  it("LDIF can have keywords in any case and empty values according to RFC 2849, but the products reject both", () => {
    const standard = "Version: 1\nDN: cn=a\nChangeType: Modify\nReplace: Mail\nmail:\n-";
    assert.deepEqual(changesIn(standard, false), ["modify cn=a replace:Mail="]);
    refused(() => parseLdif("DN: cn=a\ncn: a", { ldifHasCases: true }), /line 1: missing 'dn:'/);
    refused(() => parseLdif("dn: cn=a\ncn:", { ldifHasCases: true }), /line 2: empty value/);
  });

  const modify = "dn: cn=a\nchangetype: modify";
  for (const [ldif, reason] of [
    ["dn: cn=a\ncn: a\n\ncn: b", "line 4: missing 'dn:'"],
    ["dn: cn=a\n", "line 1: only a dn: line"],
    ["dn: cn=a\ncn a", "line 2: Missing : in the line `cn a`"],
    ["dn: cn=a\ncn:: a", "line 2: the value of cn is not base64"],
    ["dn: cn=a\ncn:< file:///etc/hosts", "line 2: values from files are not available"],
    ["dn: cn=a\nchangetype: modrdn\nnewrdn: cn=b", "line 3: invalid changetype modrdn"],
    ["dn: cn=a\nchangetype: delete\ncn: a", "line 3: no attributes allowed for changetype delete"],
    [`${modify}\nadd: cn\ncn: a`, "line 4: modify request does not close with a single dash"],
    [`${modify}\nput: cn\n-`, "line 4: invalid operation put in modify request"],
    [`${modify}\nadd: cn\nsn: a\n-`, "line 4: invalid attribute sn in add request for cn"],
  ] as const) {
    it(`LDIF is rejected with a reason: ${reason}`, () =>
      assert.throws(() => parseLdif(ldif, { ldifHasCases: true }), { message: `Error in ${reason}` }));
  }
});

describe("the directory", () => {
  const alice = "cn=alice,ou=users,dc=org";
  let directory: Directory;
  beforeEach(() => {
    directory = new Directory();
    directory.place(alice, { password: "wonder", attributes: { mail: ["alice@b.org"] } });
  });
  const change = (modifications: string): void => {
    const ldif = `dn: ${alice}\nchangetype: modify\n${modifications}\n-`;
    parseLdif(ldif, { ldifHasCases: false }).forEach((each) => directory.apply(each));
  };

  it("the directory modifies attributes, whatever the case of their names", () => {
    const found = () => [directory.entry(alice).attributes, directory.entry(alice).password];
    change("add: MAIL\nMAIL: a@b.org\n-\nadd: sn\nsn: Liddell");
    const mail = ["alice@b.org", "a@b.org"];
    assert.deepEqual(found(), [{ mail, cn: ["alice"], sn: ["Liddell"] }, "wonder"]);
    change("delete: mail\nmail: ALICE@b.org\n-\ndelete: sn\n-\nreplace: userPassword\nuserPassword: new");
    assert.deepEqual(found(), [{ mail: ["a@b.org"], cn: ["alice"] }, "new"]);
    change("replace: mail\n-\ndelete: userPassword");
    assert.deepEqual(found(), [{ cn: ["alice"] }, null]);
  });

  it("the directory applies all of a modification or none of it", () => {
    const before = directory.entry(alice);
    for (const [code, modification] of [
      [20, "add: mail\nmail: NEW"],
      [16, "delete: sn"],
      [16, "delete: mail\nmail: other"],
      [64, "replace: cn\ncn: bob"],
    ] as const) {
      const all = `replace: mail\nmail: new\n-\n${modification}`;
      refused(() => change(all), new RegExp(`Result Code ${code} `));
      assert.deepEqual(directory.entry(alice), before, modification);
    }
  });
});
