import assert from "node:assert/strict";
import fc from "fast-check";
import { decodeLdif, lintTemplate, type TemplateKind } from "../../../sdk/secrets/directory/lint-template";
import { templateText } from "../../go-template/arbitraries";

/** Lines of a text, each with its line end. */
const lines = (...list: readonly string[]): string => list.map((line) => `${line}\n`).join("");
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Findings as the tables write them. */
const said = (text: string, kind: TemplateKind): string[] =>
  lintTemplate(text, kind).map(
    ({ severity, line, column, message }) =>
      `${severity === "warning" ? "warning " : ""}${line}:${column} ${message}`,
  );

const account = "dn: cn={{.Username}},ou=users,dc=example,dc=org";

/** What the documents and common guides show, and what only the service can judge. */
const indented = "LDIF must not be indented: a line that begins with white space continues the line before.";
const nextRecord = "A blank line ends a record, and the next one must begin with `dn: `, not with";

const accepted: Readonly<Record<TemplateKind, readonly string[]>> = {
  username: [
    "",
    "v_{{.DisplayName}}_{{.RoleName}}_{{random 10}}_{{unix_time}}",
    "{{ .RoleName }}",
    '{{.DisplayName | replace "-" "_" | replace "_" "" | lowercase | truncate 20}}',
    "{{.RoleName | sha256}}{{.RoleName | base64}}{{.DisplayName | truncate_sha256 20}}",
    '{{timestamp "2006-01-02T15:04:05Z"}}{{timestamp `Jan 2`}}-{{unix_time_millis}}{{uuid}}',
    '{{printf "v-%s-%s" (.RoleName | truncate 8) (random 20) | truncate 32 | uppercase}}',
    "{{/* a comment\nof two lines */}}{{.RoleName}}{{- /* another */ -}}",
    "{{$name := .RoleName | lowercase}}{{$name}}_{{$name | truncate 3}}",
    '{{if eq .RoleName "a"}}a{{else if eq .RoleName "b" "c"}}b{{else}}{{uuid}}{{end}}',
    "{{range $i := 3}}{{if gt $i 1}}{{break}}{{end}}{{continue}}{{else}}x{{end}}{{uuid}}",
    '{{define "name"}}{{.RoleName}}-{{random 4}}{{end}}{{template "name" .}}',
    '{{random}}{{random "10"}}{{.RoleName | uppercase 3}}{{.RoleName uppercase}}{{.RoleName |}}{{$x}}{{1x}}',
  ],
  ldif: [
    lines(account, "changetype: add", "cn: {{.Username}}", "userPassword: {{.Password}}"),
    `\n\n \t\ndn: {{.Username}}\r\nchangetype: delete\r\n\r\n`,
    lines(account, 'unicodePwd::{{ printf "%q" .Password | utf16le | base64 }}'),
    lines(account, "description: {{.RoleName}} {{.DisplayName}} {{.IssueTime}} {{.ExpirationTime}}"),
    lines(account, "shadowLastChange: {{.IssueTimeSeconds}}", "shadowExpire: {{.ExpirationTimeSeconds}}"),
    lines("version: 1", "# a comment", " which goes on: here", "dn: cn={{.Username}}", " ,dc=example"),
    lines("VERSION: 1", "", "dn:: {{.Username | base64}}", "changetype: delete"),
    lines(account, "description: one", " two: three", "", "# a comment", "dn: {{.Username}}", "cn: x", ""),
    lines("d", ` n: {{.Username}}`, "changetype: delete"),
    lines("d\r", ` n: {{.Username}}`, "changetype: delete"),
    lines(`Dn:{{.Username}}`, "ChangeType: new", "a_b c", "-"),
    lines("{{- if .DisplayName}}", account, "{{- else}}", "dn: cn={{.RoleName}}", "{{- end}}"),
    '{{define "record"}}dn: cn={{.Username}}\n{{end}}{{template "record" .}}',
    // A silent action leaves nothing.
    lines(`{{/* c */}}${account}`, "changetype: delete"),
    lines("{{- /* c */ -}}", account, "changetype: delete"),
    lines(`{{ $u := .Username }}dn: cn={{$u}}`, "changetype: delete"),
    lines(`{{define "a"}}cn: x{{end}}${account}`, `{{template "a"}}`),
    lines("{{/* c */}}", `{{$u := 1}}{{$u = 2}}${account}`, "{{/* c */}}cn: x{{/* c */}}"),
    lines(account, "cn: x", "{{/* a record follows */}}", `{{/* c */}}${account}`, "cn: x"),
    // What an action leaves is not known.
    "{{.Username}}",
    "{{.RoleName}}: {{.Username}}",
    "d{{.Username}}",
    "# {{.Username}}\ncn: x",
    "# {{/* a comment */}} goes on\ndn: {{.Username}}",
  ],
};

const noField = (name: string): string => `\`${name}\` is not a field of a user name template.`;
const noFunction = (name: string): string => `\`${name}\` is not a function of a user name template.`;
const neverUsed = "warning 1:1 `.Username` is never used: every credential would change the same entries.";
const sameName = "warning 1:1 Every user gets the same name: the template contains nothing that varies.";

const refused: Readonly<Record<TemplateKind, readonly (readonly [text: string, ...findings: string[]])[]>> = {
  username: [
    ["{{nope 3}}", `1:3 ${noFunction("nope")}`],
    ["{{.RoleName", "1:1 The action is not closed: `}}` is missing."],
    ["{{.Username | utf16le}}", `1:3 ${noField(".Username")}`, `1:15 ${noFunction("utf16le")}`],
    ["{{.Password}}", `1:3 ${noField(".Password")}`],
    ["{{.rolename}}", "1:3 `.rolename` is not a field of a user name template; did you mean `.RoleName`?"],
    ["{{RoleName}}", "1:3 `RoleName` is not a function of a user name template; did you mean `.RoleName`?"],
    ["{{lower 1}}", "1:3 `lower` is not a function of a user name template; did you mean `lowercase`?"],
    ["{{(uuid).Foo}}", `1:9 ${noField(".Foo")}`],
    ["{{if}}", "1:1 `{{if}}` is not closed: `{{end}}` is missing.", "1:5 A value is missing here."],
    ["{{.RoleName)}}{{end}}", "1:12 `)` is not allowed here.", "1:15 `{{end}}` has nothing to close."],
    ["a\n  {{.RoleName | nope}}{{.Foo}}", `2:17 ${noFunction("nope")}`, `2:25 ${noField(".Foo")}`],
    ["é😀{{nope}}\r\n{{nope}}", `1:6 ${noFunction("nope")}`, `2:3 ${noFunction("nope")}`],
    ["fixed", sameName],
    ["{{/*a*/}}x", sameName],
    ["{{$x := 1}}x{{define `a`}}b{{end}}", sameName],
    ["{{.RoleName}}\n{{/* c */}}", "warning 1:14 The line break at the end becomes part of the user name."],
    [base64("{{.RoleName}}"), sameName],
    ["v_{{.RoleName}}\n", "warning 1:16 The line break at the end becomes part of the user name."],
  ],
  ldif: [
    ["", neverUsed],
    ["# a comment{{.RoleName}}", neverUsed],
    [lines(account, "cn: x", "{{/* c */}}", "sn: x"), `4:1 ${nextRecord} \`sn:\`.`],
    [lines(account, "", "{{$x := 1}}sn: x"), `3:12 ${nextRecord} \`sn:\`.`],
    [lines(" {{/* c */}}dn: {{.Username}}", "cn: x"), `1:1 ${indented}`],
    [lines(`{{/* c */}}${account}`, "{{/* c */}}  cn: x", "  {{$x := 1}}sn: x"), `2:12 ${indented}`],
    ["hello", "1:1 LDIF must begin with `dn: `, not with `hello`."],
    ["hello\n{{.Username}}", "1:1 LDIF must begin with `dn: `, not with `hello`."],
    ["  cn: {{.Username}}", "1:3 LDIF must begin with `dn: `, not with `cn:`."],
    ["\ufeffdn: {{.Username}}\ncn: x", "1:1 LDIF must not begin with a byte order mark."],
    [`\n${lines("  dn: {{.Username}}", "  cn: x")}`, `2:1 ${indented}`],
    [lines("\tdn: {{.Username}}", "\tcn: x"), `1:1 ${indented}`],
    [lines(account, "    changetype: add", "    cn: x", "", ""), `2:1 ${indented}`],
    [lines(account, "", "changetype: add", "cn: x"), `3:1 ${nextRecord} \`changetype:\`.`],
    [lines(account, "cn: x", "\r", "sn: x", "", "dn: x", "cn: x"), `4:1 ${nextRecord} \`sn:\`.`],
    ["\ncn\n : {{.Username}}", "2:1 LDIF must begin with `dn: `, not with `cn:`."],
    ["dn: cn=admin,dc=x\nchangetype: delete", neverUsed],
    ["dn: {{utf16 .Username}}", "1:7 `utf16` is not a function of an LDIF template; did you mean `utf16le`?"],
    [
      "# a comment\n of two lines\nversion: 1\n\n{{/* then */}}{{$x := 1}}cn: {{.Username}}",
      "5:26 LDIF must begin with `dn: `, not with `cn:`.",
    ],
    ["\n{{$x := 1}}\n\na: {{/* b */}}c", "4:1 LDIF must begin with `dn: `, not with `a:`."],
    [
      lines("cn: x", "cn: {{.Usename}} {{nope}}", "sn: {{(.Pasword | uper)}}{{.Foo"),
      "1:1 LDIF must begin with `dn: `, not with `cn:`.",
      "2:7 `.Usename` is not a field of an LDIF template; did you mean `.Username`?",
      "2:20 `nope` is not a function of an LDIF template.",
      "3:8 `.Pasword` is not a field of an LDIF template; did you mean `.Password`?",
      "3:19 `uper` is not a function of an LDIF template.",
      "3:26 The action is not closed: `}}` is missing.",
    ],
  ],
};

const kinds = ["username", "ldif"] as const;

describe("secrets.directory.lintTemplate", () => {
  for (const kind of kinds) {
    for (const text of accepted[kind]) {
      it(`the linter reports nothing about ${kind} ${JSON.stringify(text)}`, () =>
        assert.deepEqual(said(text, kind), []));
    }
    for (const [text, ...findings] of refused[kind]) {
      it(`the linter reports what is wrong with ${kind} ${JSON.stringify(text)}`, () =>
        assert.deepEqual(said(text, kind), findings));
    }
  }

  it("the linter accepts the documented fields of each kind, wherever they are used", () => {
    const times = ["IssueTime", "ExpirationTime", "IssueTimeSeconds", "ExpirationTimeSeconds"];
    for (const field of ["RoleName", "DisplayName", "Username", "Password", ...times, "Nope"]) {
      const uses = `{{.${field}}}{{$.${field}}}{{(.).${field}}}{{with print .${field} | len}}{{$}}{{end}}`;
      assert.equal(said(`dn: {{.Username}}${uses}`, "ldif").length, field === "Nope" ? 4 : 0, field);
      assert.equal(said(uses, "username").length, ["RoleName", "DisplayName"].includes(field) ? 0 : 4, field);
    }
  });

  it("the linter accepts LDIF as base64, with or without line breaks, and counts positions in the decoded text", () => {
    for (const text of accepted.ldif) {
      assert.deepEqual(said(base64(text), "ldif"), []);
    }
    for (const [text, ...findings] of refused.ldif) {
      assert.deepEqual(said(base64(text).replace(/.{64}/g, "$&\n"), "ldif"), findings);
    }
  });

  it("the linter never reports more than a thousand problems", () => {
    for (const text of ["{{nope}}".repeat(5000), `{{${".Nope".repeat(100_000)}}}`]) {
      assert.equal(lintTemplate(text, "username").length, 1000);
      assert.equal(lintTemplate(`cn: ${text}`, "ldif").length, 1000);
    }
  });

  it("the linter never throws, and every finding lies in the text", () => {
    const anything = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), templateText);
    fc.assert(
      fc.property(anything, fc.constantFrom(...kinds), (text, kind) => {
        const rows = ((kind === "ldif" ? decodeLdif(text) : undefined) ?? text).split("\n");
        for (const { line, column, message } of lintTemplate(text, kind)) {
          const row = rows[line - 1];
          assert.ok(row !== undefined && column >= 1 && column <= row.length + 1, `${line}:${column}`);
          assert.match(message, /^.+[.?)]$/u);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("the linter runs in linear time", () => {
    fc.assert(
      fc.property(templateText, fc.constantFrom(...kinds), (text, kind) => {
        // A way through that is not linear takes hours for these.
        lintTemplate(text.repeat(Math.ceil(100_000 / (text.length + 1))), kind);
      }),
      { numRuns: 25 },
    );
    for (const text of [" ", "\n", "{{/*", "#\n", "{{`", "a\n "]) {
      lintTemplate(text.repeat(100_000), "ldif");
    }
  });
});

it("decodeLdif does not change text that is not base64 or is empty", () => {
  for (const text of ["", "\n", "dn: x\n", "hello", "AAAA AAAA", "A===", "AA=A", "AA-_", "é==="]) {
    assert.equal(decodeLdif(text), undefined, text);
  }
});
