import assert from "node:assert/strict";
import { templateFields } from "../../../../sdk/secrets/directory/template/fields";
import { checked } from "./checked";

describe("checkTemplate", () => {
  it("tells which fields a template uses", () => {
    const used = (text: string): boolean => checked(text).usage.uses("Username");
    for (const text of [
      "{{.Username}}",
      "{{$.Username}}",
      "{{(.Username | uppercase)}}",
      "{{if .RoleName}}{{print .Username}}{{end}}",
      "{{if .Username}}{{end}}",
      '{{define "a"}}{{.Username}}{{end}}{{template "a" .}}',
      '{{template "a" .}}',
      '{{block "a" .}}{{end}}',
      "{{.}}",
      "{{print $}}",
    ]) {
      assert.equal(used(text), true, text);
    }
    for (const text of [
      "",
      "{{.RoleName}}",
      "{{$.RoleName}}",
      "{{with .RoleName}}{{.}}{{end}}",
      "{{$x := 1}}{{$x}}",
    ]) {
      assert.equal(used(text), false, text);
    }
  });

  it("knows every documented field of each kind", () => {
    for (const kind of ["ldif", "username"] as const) {
      for (const field of templateFields[kind]) {
        assert.deepEqual(checked(`{{.${field}}}{{$.${field}}}{{(.).${field}}}`, kind).said, []);
      }
    }
  });

  it("knows what the dot is in with, range and else", () => {
    assert.deepEqual(checked("{{with .RoleName}}{{. | uppercase}}{{else}}{{.RoleName}}{{end}}").said, []);
    assert.deepEqual(checked("{{range 3}}{{random .}}{{else}}{{.RoleName}}{{end}}").said, []);
    assert.deepEqual(checked("{{with .}}{{.RoleName}}{{end}}{{with $}}{{.RoleName}}{{end}}").said, []);
    assert.deepEqual(checked('{{define "a"}}{{.RoleName}}{{end}}').said, []);
    const message = "Here the dot is a single value, which has no field `.RoleName`; write `$.RoleName`.";
    assert.deepEqual(checked("{{range 3}}{{.RoleName}}{{end}}").said, [`error 1:14 ${message}`]);
    assert.deepEqual(checked("{{with .DisplayName}}{{if 1}}{{.RoleName}}{{end}}{{end}}").said, [
      `error 1:32 ${message}`,
    ]);
  });

  it("checks everything in parentheses and arguments", () => {
    for (const text of [
      "{{(print (len))}}",
      "{{print (printf (print len)).Username}}",
      "{{if not len}}{{end}}",
    ]) {
      assert.match(checked(text).said.join(), /^error 1:\d+ `len` takes 1 argument, but gets 0/);
    }
  });

  it("says that a field has no fields", () => {
    assert.deepEqual(checked("{{.RoleName.DisplayName}}").said, [
      "error 1:12 `.DisplayName` is applied to a field, which has no fields.",
    ]);
  });

  it("goes through chains of any length", () => {
    assert.ok(checked(`{{${".Username".repeat(100_000)}}}`).said.length > 0);
  });
});
