import assert from "node:assert/strict";
import fc from "fast-check";
import {
  lintTemplate,
  type TemplateKind,
  whyTemplateFails,
} from "../../../sdk/secrets/directory/lint-template";
import {
  acceptedLdifTemplates,
  acceptedUsernameTemplates,
  lines,
  uncheckedLdifTemplates,
  uncheckedUsernameTemplates,
} from "./template/accepted";
import { templateText } from "../../go-template/arbitraries";
import { templateFields } from "../../../sdk/secrets/directory/template/names";
import { refusedLdifTemplates, refusedUsernameTemplates } from "./template/refused";

/** Findings as the tables write them. */
const said = (text: string, kind: TemplateKind): string[] =>
  lintTemplate(text, kind).map(
    ({ severity, line, column, message }) =>
      `${severity === "warning" ? "warning " : ""}${line}:${column} ${message}`,
  );

const kinds = fc.constantFrom<TemplateKind>("ldif", "username");
const account = "dn: cn={{.Username}},dc=example,dc=org";

describe("secrets.directory.lintTemplate", () => {
  describe("says nothing about", () => {
    for (const [kind, templates] of [
      ["username", [...acceptedUsernameTemplates, ...uncheckedUsernameTemplates]],
      ["ldif", [...acceptedLdifTemplates, ...uncheckedLdifTemplates]],
    ] as const) {
      for (const text of templates) {
        it(`${kind} ${JSON.stringify(text)}`, () => {
          assert.deepEqual(said(text, kind), []);
        });
      }
    }
  });

  describe("says what is wrong with", () => {
    for (const [kind, templates] of [
      ["username", refusedUsernameTemplates],
      ["ldif", refusedLdifTemplates],
    ] as const) {
      for (const [text, ...findings] of templates) {
        it(`${kind} ${JSON.stringify(text)}`, () => {
          assert.deepEqual(said(text, kind), findings);
        });
      }
    }
  });

  it("uses for LDIF what user names cannot have, and the other way round", () => {
    for (const expression of [
      ".Username",
      ".Password",
      ".IssueTimeSeconds",
      ".Password | utf16le | base64",
    ]) {
      assert.deepEqual(said(lines(account, "changetype: add", `description: {{${expression}}}`), "ldif"), []);
      assert.notDeepEqual(said(`{{${expression}}}`, "username"), []);
    }
  });

  it("knows every documented field of each kind, wherever it is used", () => {
    for (const kind of ["ldif", "username"] as const) {
      for (const field of templateFields[kind]) {
        const uses = `{{.${field}}}{{$.${field}}}{{(.).${field}}}{{with print .${field} | len}}{{$}}{{end}}`;
        assert.deepEqual(said(kind === "ldif" ? `dn: ${uses}` : uses, kind), [], field);
      }
    }
    for (const use of [
      "{{$.Nope}}",
      "{{(.).Nope}}",
      "{{with .Nope}}{{end}}",
      "{{if 0}}{{else}}{{print .Nope}}{{end}}",
    ]) {
      assert.match(said(`dn: ${use}`, "ldif").join(), /^1:\d+ `\.Nope` is not a field/, use);
    }
  });

  it("warns of LDIF that cannot use the user name", () => {
    const never = "warning 1:1 `.Username` is never used: every credential would change the same entries.";
    for (const text of ["{{.RoleName}}", "{{$.RoleName}}", "{{$x := 1}}{{$x}}", ""]) {
      assert.deepEqual(said(`dn: cn=x${text}`, "ldif"), [never], text);
    }
    for (const text of [
      "{{$.Username}}",
      "{{(.Username | uppercase)}}",
      "{{if .RoleName}}{{print .Username}}{{end}}",
      '{{define "a"}}{{.Username}}{{end}}{{template "a" .}}',
      '{{template "a" .}}',
      '{{block "a" .}}{{end}}',
      "{{.}}",
      "{{print $}}",
    ]) {
      assert.deepEqual(said(`dn: cn=x${text}`, "ldif"), [], text);
    }
  });

  it("goes through chains of any length", () => {
    assert.deepEqual(said(`dn: {{${".Username".repeat(100_000)}}}`, "ldif"), []);
    assert.equal(said(`dn: {{${".Nope".repeat(100_000)}}}`, "ldif").length, 1000);
  });

  it("finds everything that is wrong at once, in the order of the text", () => {
    const text = lines("cn: x", "changetype: add", "cn: {{.Usename}} {{nope}}", "sn: {{(.Pasword | uper)}}");
    assert.deepEqual(said(text, "ldif"), [
      "1:1 LDIF must begin with `dn: `, not with `cn:`.",
      "3:7 `.Usename` is not a field of an LDIF template; did you mean `.Username`?",
      "3:20 `nope` is not a function of these templates.",
      "4:8 `.Pasword` is not a field of an LDIF template; did you mean `.Password`?",
      "4:19 `uper` is not a function of these templates.",
    ]);
  });

  it("counts columns as editors do", () => {
    assert.deepEqual(
      said("é😀{{nope}}\r\n{{nope}}", "username").filter((finding) => !/^warning/.test(finding)),
      [
        "1:6 `nope` is not a function of these templates.",
        "2:3 `nope` is not a function of these templates.",
      ],
    );
  });

  it("takes LDIF as base64, broken into lines or not, and counts in the decoded text", () => {
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    for (const text of acceptedLdifTemplates) {
      assert.deepEqual(said(base64(text), "ldif"), []);
    }
    for (const [text, ...findings] of refusedLdifTemplates) {
      assert.deepEqual(said(base64(text).replace(/.{64}/g, "$&\n"), "ldif"), findings);
    }
    assert.deepEqual(said(base64("hello world!"), "ldif"), [
      "1:1 LDIF must begin with `dn: `, not with `hello world!`.",
    ]);
    assert.deepEqual(said(base64("{{.RoleName}}"), "username"), [
      "warning 1:1 Every user gets the same name: the template contains nothing that varies.",
    ]);
  });

  it("never finds more than a thousand things", () => {
    assert.equal(lintTemplate("{{nope}}".repeat(5000), "username").length, 1000);
  });

  it("reads nesting up to 200 levels", () => {
    const nested = (before: string, after: string, depth: number): string =>
      `${before.repeat(depth)}{{uuid}}${after.repeat(depth)}`;
    assert.deepEqual(said(nested("{{if .RoleName}}", "{{end}}", 200), "username"), []);
    assert.deepEqual(said(nested("{{if .RoleName}}", "{{end}}", 100_000), "username"), [
      `warning 1:${201 * 16 + 1} Structures are nested deeper than 200 levels.`,
    ]);
    const parentheses = (depth: number): string => `{{${"(".repeat(depth)}uuid${")".repeat(depth)}}}`;
    assert.deepEqual(said(parentheses(200), "username"), []);
    assert.deepEqual(said(parentheses(100_000), "username"), [
      "warning 1:203 Parentheses are nested deeper than 200 levels.",
    ]);
  });

  it("never throws, and every finding lies in the text", () => {
    const anything = fc.oneof(fc.string({ unit: "binary", maxLength: 200 }), templateText);
    fc.assert(
      fc.property(anything, kinds, (text, kind) => {
        const rows = text.split("\n");
        for (const { line, column, message } of lintTemplate(text, kind)) {
          const row = rows[line - 1];
          assert.ok(row !== undefined && column >= 1 && column <= row.length + 1, `${line}:${column}`);
          assert.match(message, /^.+[.?)]$/u);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("takes time in proportion to the text", () => {
    fc.assert(
      fc.property(templateText, kinds, (text, kind) => {
        // A way through that is not linear takes hours for these.
        lintTemplate(text.repeat(Math.ceil(100_000 / (text.length + 1))), kind);
      }),
      { numRuns: 25 },
    );
  });
});

describe("whyTemplateFails", () => {
  it("tells the first errors with their places", () => {
    assert.equal(
      whyTemplateFails("{{nope 3}}", "username"),
      "line 1, column 3: `nope` is not a function of these templates.",
    );
    assert.equal(
      whyTemplateFails("{{a}}\n{{b}}{{c}}{{d}}{{e}}", "username"),
      "line 1, column 3: `a` is not a function of these templates. " +
        "line 2, column 3: `b` is not a function of these templates. " +
        "line 2, column 8: `c` is not a function of these templates. And 2 more.",
    );
  });

  it("says when the places are in decoded text", () => {
    const text = Buffer.from(lines("# an account", "cn: x")).toString("base64");
    assert.equal(
      whyTemplateFails(text, "ldif"),
      "in the decoded text, line 2, column 1: LDIF must begin with `dn: `, not with `cn:`.",
    );
  });

  it("does not count warnings", () => {
    assert.equal(whyTemplateFails("fixed", "username"), undefined);
    assert.equal(lintTemplate("fixed", "username").length, 1);
    assert.equal(whyTemplateFails("{{uuid}}", "username"), undefined);
  });
});
