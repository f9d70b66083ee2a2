import assert from "node:assert/strict";
import { Problems } from "../../../../sdk/secrets/directory/template/finding";
import { lineOf } from "../../../../sdk/secrets/directory/template/ldif-line";
import { type LdifRecord, noRecord } from "../../../../sdk/secrets/directory/template/ldif-record";
import { LdifRecordReader } from "../../../../sdk/secrets/directory/template/ldif-record-reader";

/** Reads lines, which stand at the offsets 0, 100, ...; an empty one ends a record. */
function read(lines: readonly string[], usesPassword = true): { record: LdifRecord; said: string[] } {
  const problems = new Problems();
  const reader = new LdifRecordReader(problems, usesPassword);
  let record = noRecord;
  lines.forEach((text, index) => {
    const line = lineOf(100 * index, text, { afterEmptyLineOf: undefined, afterSpaces: false });
    record = text === "" ? reader.end(record) : reader.line(record, line);
  });
  const findings = problems.findings(" ".repeat(1000));
  return { record, said: findings.map(({ severity, column }) => `${severity} ${column - 1}`) };
}

const dn = "dn: cn=a";

describe("LdifRecordReader", () => {
  const phases: readonly [readonly string[], LdifRecord["phase"]][] = [
    [[], "between records"],
    [["version: 1"], "between records"],
    [[dn], "behind dn"],
    [[dn, "control: 1.2"], "behind dn"],
    [[dn, "cn: a"], "attributes"],
    [[dn, "changetype: add"], "add"],
    [[dn, "changetype: delete"], "delete"],
    [[dn, "changetype: modify"], "modify"],
    [[dn, "changetype: modify", "add: cn"], "operation"],
    [[dn, "changetype: modify", "add: cn", "cn: a"], "operation"],
    [[dn, "changetype: modify", "add: cn", "cn: a", "-"], "modify"],
    [[dn, "changetype: delete", ""], "between records"],
    [[dn, "changetype: delete", "", dn], "behind dn"],
  ];
  for (const [lines, phase] of phases) {
    it(`reads ${JSON.stringify(lines)}`, () => {
      const { record, said } = read(lines);
      assert.equal(record.phase, phase);
      assert.deepEqual(said, []);
    });
  }

  it("reads both kinds of renaming, which not all services do", () => {
    for (const type of ["modrdn", "moddn"]) {
      const lines = [dn, `changetype: ${type}`, "newrdn: cn=b", "deleteoldrdn: 1", "newsuperior: dc=c", ""];
      assert.deepEqual(read(lines).said, ["warning 112"]);
      assert.deepEqual(read(lines.filter((line) => !line.startsWith("newsuperior"))).said, ["warning 112"]);
      assert.deepEqual(read(lines.filter((line) => !line.startsWith("deleteoldrdn"))).said, [
        "warning 112",
        "error 300",
      ]);
      assert.deepEqual(read([...lines.slice(0, 3), ""]).said, ["error 0", "warning 112"]);
    }
  });

  it("says one thing about a record that is wrong, and goes on with the next", () => {
    assert.deepEqual(read(["no", "colon", "here", "", dn, "changetype: delete", "cn: a", "cn: b"]).said, [
      "error 0",
      "error 600",
    ]);
    assert.deepEqual(read(["cn: a", dn, "changetype: delete"]).said, ["error 0"]);
  });

  it("wants records with a changetype, or without, not both", () => {
    assert.deepEqual(read([dn, "cn: a", "", dn, "cn: b"]).said, []);
    assert.deepEqual(read([dn, "changetype: delete", "", dn, "cn: b"]).said, ["warning 300"]);
  });

  it("wants the password that is handed out in entries that are added", () => {
    for (const name of ["userPassword", "unicodePwd", "racfPassword", "USERPASSWORD"]) {
      assert.deepEqual(read([dn, `${name}: a`]).said, []);
      assert.deepEqual(read([dn, `${name}: a`], false).said, ["warning 100"]);
      // To lock an account any password will do.
      const locking = [dn, "changetype: modify", `replace: ${name}`, `${name}: a`, "-"];
      assert.deepEqual(read(locking, false).said, []);
    }
  });
});
