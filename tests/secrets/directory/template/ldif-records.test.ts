import assert from "node:assert/strict";
import { Problems } from "../../../../sdk/secrets/directory/template/finding";
import { emptyLine, withText } from "../../../../sdk/secrets/directory/template/ldif-line";
import { LdifRecords } from "../../../../sdk/secrets/directory/template/ldif-records";

/** What is said of lines, which stand at the offsets 0, 100, ...; an empty one ends a record. */
function read(lines: readonly string[], usesPassword = true): string[] {
  const problems = new Problems();
  const records = new LdifRecords(problems, usesPassword);
  lines.forEach((text, index) => {
    if (text === "") {
      records.end();
    } else {
      records.line(withText(emptyLine(100 * index, undefined), text));
    }
  });
  const findings = problems.findings(" ".repeat(1000));
  return findings.map(({ severity, column }) => `${severity} ${column - 1}`);
}

const dn = "dn: cn=a";

describe("LdifRecords", () => {
  for (const lines of [
    [],
    ["version: 1"],
    [dn, "control: 1.2", "cn: a", ""],
    [dn, "changetype: add", "cn: a", ""],
    [dn, "changetype: modify", "add: cn", "cn: a", "-", ""],
    [dn, "changetype: modify", "delete: cn", "-", "replace: sn", "sn: a", "sn: b", "-", ""],
    [dn, "changetype: delete", "", dn, "changetype: delete", ""],
  ]) {
    it(`reads ${JSON.stringify(lines)}`, () => {
      assert.deepEqual(read(lines), []);
    });
  }

  it("says where a record ends too early", () => {
    for (const lines of [
      [dn, ""],
      [dn, "changetype: add", ""],
      [dn, "changetype: modify", ""],
    ]) {
      assert.deepEqual(read(lines), ["error 0"]);
    }
    assert.deepEqual(read([dn, "changetype: modify", "add: cn", "cn: a", ""]), ["error 200"]);
  });

  it("warns of both kinds of renaming, which not all services know", () => {
    for (const type of ["modrdn", "moddn"]) {
      const lines = [dn, `changetype: ${type}`, "newrdn: cn=b", "deleteoldrdn: 1", "newsuperior: dc=c", ""];
      assert.deepEqual(read(lines), ["warning 112"]);
    }
  });

  it("says one thing about a record that is wrong, and goes on with the next", () => {
    assert.deepEqual(read(["no", "colon", "here", "", dn, "changetype: delete", "cn: a", "cn: b"]), [
      "error 0",
      "error 600",
    ]);
    assert.deepEqual(read(["cn: a", dn, "changetype: delete"]), ["error 0"]);
  });

  it("wants records with a changetype, or without, not both", () => {
    assert.deepEqual(read([dn, "cn: a", "", dn, "cn: b"]), []);
    assert.deepEqual(read([dn, "changetype: delete", "", dn, "cn: b"]), ["warning 300"]);
  });

  it("wants the password that is handed out in entries that are added", () => {
    for (const name of ["userPassword", "unicodePwd", "racfPassword", "USERPASSWORD"]) {
      assert.deepEqual(read([dn, `${name}: a`]), []);
      assert.deepEqual(read([dn, `${name}: a`], false), ["warning 100"]);
      // To lock an account any password will do.
      const locking = [dn, "changetype: modify", `replace: ${name}`, `${name}: a`, "-"];
      assert.deepEqual(read(locking, false), []);
    }
  });
});
