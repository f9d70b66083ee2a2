import assert from "node:assert/strict";
import { parseTemplate } from "../../../../sdk/go-template/parser";
import { Problems } from "../../../../sdk/secrets/directory/template/finding";
import { checkLdif } from "../../../../sdk/secrets/directory/template/ldif-shape";
import { lines } from "./accepted";

function shape(...text: readonly string[]): string[] {
  const source = lines(...text);
  const problems = new Problems();
  checkLdif(parseTemplate(source, () => undefined).nodes, { uses: () => true }, problems);
  return problems
    .findings(source)
    .map(({ severity, line, column, message }) => `${severity} ${line}:${column} ${message}`);
}

const add = ["dn: cn=a", "changetype: add"] as const;
const becomesEmpty = (line: number): string =>
  `warning ${line}:1 This line becomes empty, and an empty line ends the record; \`{{-\` removes the line end before it.`;
const noColon = "The line is not `attribute: value`: it has no colon.";

describe("checkLdif", () => {
  it("joins lines that go on, comments too", () => {
    assert.deepEqual(shape("dn: c", " n=a", "changetype: d", " elete", "# a", " b", "#c"), []);
    assert.deepEqual(shape(...add, "# comment", " no attribute", "cn: x", "# another", "sn: y"), []);
    assert.deepEqual(shape("dn: cn=a", "# between", " nothing", "changetype: delete"), []);
  });

  it("says that nothing can go on before a record begins, once", () => {
    const message =
      "A line that starts with a space continues the previous line, but there is none. LDIF is not indented.";
    assert.deepEqual(shape("  dn: cn=a", "  changetype: add", "  cn: x"), [`error 1:1 ${message}`]);
    assert.deepEqual(shape("", ...add, "cn: x", "", "  dn: cn=a"), [`error 6:1 ${message}`]);
    assert.deepEqual(shape("  ", ...add, "cn: x"), []);
  });

  it("does not mind actions alone on a line between records", () => {
    for (const action of ["{{/* c */}}", "{{$x := 1}}", "{{if .RoleName}}{{end}}", '{{define "a"}}{{end}}']) {
      assert.deepEqual(
        shape(action, ...add, "cn: x", action, ...add, "cn: x", "", action, ...add, "cn: x", action),
        [],
      );
    }
  });

  it("warns of an action that leaves an empty line within a record", () => {
    for (const action of ["{{/* c */}}", "{{$x := 1}}", "{{if .RoleName}}{{end}}"]) {
      assert.match(shape(...add, action, "cn: x").join(), /^warning 3:\d+ This line becomes empty/);
      assert.deepEqual(shape(...add, action.replace("{{", "{{- "), "cn: x"), []);
    }
    assert.deepEqual(shape(...add, "{{if .A}}", "cn: x", "{{else}}", "sn: x", "{{end}}", "title: x"), [
      becomesEmpty(3),
      becomesEmpty(5),
      becomesEmpty(7),
    ]);
  });

  it("does not follow conditions, and checks again from the next record on", () => {
    for (const rest of [
      ["{{- if .A}}", "cn x", "{{- else}}", "sn: x", "{{- end}}", "title x"],
      ["{{if .A}}cn x", "{{end}}title x"],
      ["{{range 2}}cn x", "{{end}}title x"],
      ['{{- block "a" .}}', "cn x", "{{- end}}"],
    ]) {
      assert.deepEqual(shape(...add, "cn: a", ...rest), []);
      assert.deepEqual(shape(...add, "cn x", "cn: a", ...rest), [`error 3:1 ${noColon}`]);
      const before = [...add, "cn: a", ...rest, ""];
      assert.deepEqual(shape(...before, ...add, "cn x"), [`error ${before.length + 3}:1 ${noColon}`]);
    }
    assert.deepEqual(shape(...add, "cn: x", "{{if .A}}", "", ...add, "cn x", "{{end}}"), [
      `error 8:1 ${noColon}`,
    ]);
  });

  it("does not know the content of a line that partly depends on a condition", () => {
    assert.deepEqual(shape("dn: cn=a", "changetype: {{if .A}}add{{else}}delete{{end}}", "-", "what"), []);
    assert.deepEqual(shape(...add, "{{if .A}}cn{{else}}sn{{end}}: x", "{{if .A}}cn:{{end}} x"), []);
    assert.deepEqual(shape(...add, "cn: {{if .A}}x", "sn: {{end}}y"), []);
  });

  it("does not know the place of a record that depends on a condition", () => {
    assert.deepEqual(shape("dn: cn=a", "{{- if .A}}", "changetype: delete", "{{- end}}", "cn: x"), []);
    assert.deepEqual(
      shape("{{range 2}}dn: cn=a", "changetype: delete", "", "{{end}}dn: cn=b", "changetype: delete"),
      [],
    );
    assert.deepEqual(shape("{{if .A}}dn: cn=a", "changetype: delete", "{{- end}}", "no colon"), []);
    assert.deepEqual(shape(...add, "cn: a", "{{if .A}}", "", ...add, "{{else}}sn: a", "{{end}}cn: a"), []);
    assert.deepEqual(shape("dn: cn=a", "{{- if .A}}", "changetype: delete", "{{end}}"), []);
  });

  it("leaves open what a called template is", () => {
    assert.deepEqual(shape('{{define "a"}}x{{end}}', '{{template "a"}}'), []);
    assert.deepEqual(shape('{{define "a"}}x{{end}}', ...add, 'cn: {{template "a"}}', "what"), []);
  });

  it("wants a record", () => {
    const message = "error 1:1 The text contains no LDIF record, which starts with `dn: `.";
    assert.deepEqual(shape(), [message]);
    assert.deepEqual(shape("", "# comment", "version: 1", "{{/* c */}}"), [message]);
    assert.deepEqual(shape("{{if .A}}dn: cn=a", "changetype: delete", "{{end}}"), []);
  });

  it("takes any line ends", () => {
    assert.deepEqual(
      shape("dn: cn=a\r", "changetype: delete\r", "\r", "dn: cn={{.A}}\r", "changetype: delete\r"),
      [],
    );
  });
});
