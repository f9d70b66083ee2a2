import assert from "node:assert/strict";
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

  it("knows what the dot is in with, range and else", () => {
    assert.deepEqual(checked("{{with .RoleName}}{{. | uppercase}}{{else}}{{.RoleName}}{{end}}").said, []);
    assert.deepEqual(checked("{{range 3}}{{random .}}{{else}}{{.RoleName}}{{end}}").said, []);
    assert.deepEqual(checked("{{with .RoleName}}{{random .}}{{end}}").said, [
      "error 1:28 `random` needs an integer as N; `.` is text.",
    ]);
  });

  it("knows where variables can be seen", () => {
    assert.deepEqual(
      checked("{{if $x := uuid}}{{$x}}{{else if $y := $x}}{{$y}}{{else}}{{$y}}{{end}}").said,
      [],
    );
    assert.deepEqual(checked("{{if $x := uuid}}{{end}}{{$x}}").said, [
      "error 1:27 There is no variable `$x`.",
    ]);
    assert.deepEqual(checked("{{if uuid}}{{$x := 1}}{{else}}{{$x}}{{end}}").said, [
      "error 1:33 There is no variable `$x`.",
    ]);
    assert.deepEqual(checked('{{$x := 1}}{{define "a"}}{{$x}}{{end}}{{template "a"}}').said, [
      "error 1:28 There is no variable `$x`.",
    ]);
  });

  it("checks a template with everything that it is called with", () => {
    const definition = '{{define "a"}}{{.RoleName}}{{end}}';
    const message = "error 1:17 Here the dot is text, which has no field `.RoleName`; write `$.RoleName`.";
    assert.deepEqual(checked(definition).said, []);
    assert.deepEqual(checked(`${definition}{{template "a" .}}`).said, []);
    assert.deepEqual(checked(`${definition}{{template "a" .RoleName}}`).said, [message]);
    assert.deepEqual(checked(`${definition}{{template "a" .}}{{template "a" .RoleName}}`).said, [message]);
    // The call with a text is found only while another template is checked.
    const other = '{{define "b"}}{{template "a" .RoleName}}{{end}}';
    assert.deepEqual(checked(`${definition}${other}{{template "a" .}}{{template "b" .}}`).said, [message]);
  });

  it("ends for templates that call each other", () => {
    assert.deepEqual(
      checked('{{define "a"}}{{template "b" .}}{{end}}{{define "b"}}{{template "a" .RoleName}}{{end}}').said,
      [],
    );
    assert.deepEqual(
      checked('{{define "a"}}{{if .}}{{template "a" uuid}}{{end}}{{end}}{{template "a" .}}').said,
      [],
    );
  });

  it("says that a template is missing only when all of them could be read", () => {
    assert.deepEqual(checked('{{template "a"}}').said, ["error 1:12 There is no template `a`."]);
    assert.equal(checked('{{define a}}{{end}}{{template "a"}}').said.length, 1);
  });
});
