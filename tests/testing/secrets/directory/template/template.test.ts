import assert from "node:assert/strict";
import fc from "fast-check";
import { usernameFunctions } from "../../../../../sdk/testing/secrets/directory/template/functions";
import { renderTemplate } from "../../../../../sdk/testing/secrets/directory/template/template";
import { TemplateError } from "../../../../../sdk/testing/secrets/directory/template/template-error";
import { render } from "./render";

// What the templates' own implementation makes of them.
const rendered: Readonly<Record<string, readonly [string, string][]>> = {
  "texts and fields": [
    ["plain", "plain"],
    ["}}", "}}"],
    ["{{.Username}}", "v_ada"],
    ["{{ .Username }}", "v_ada"],
    ["{{\n.Username\n}}", "v_ada"],
    ["{{(.Username)}}", "v_ada"],
    ["{{.IssueTimeSeconds}}", "1707491045"],
    ["{{$.Username}}", "v_ada"],
    ['x{{"}}"}}y', "x}}y"],
    ["a{{/* }} {{ */}}b", "ab"],
  ],
  "white space beside an action": [
    ["a  {{- .RoleName -}}  b", "awebb"],
    ["a\n{{- .RoleName}}\nb", "aweb\nb"],
    ["a {{- /* nothing */ -}} b", "ab"],
    ["{{- 3}}", "3"],
    ["{{-3}}", "-3"],
    ["{{3 -}} x", "3x"],
  ],
  constants: [
    ['{{"a\\tb"}}', "a\tb"],
    ['{{"\\u00e9\\x41\\101"}}', "éAA"],
    ["{{`raw\\n`}}", "raw\\n"],
    ["{{'a'}} {{'\\n'}}", "97 10"],
    ["{{0x1F}} {{017}} {{0b101}} {{1_000}} {{-5}} {{+5}}", "31 15 5 1000 -5 5"],
    ["{{1.5}} {{.5}} {{5.}} {{1e3}}", "1.5 0.5 5 1000"],
    ["{{1e30}} {{1e-7}} {{3000000000.5}}", "1e+30 1e-07 3.0000000005e+09"],
    ["{{true}}", "true"],
  ],
  pipes: [
    ["{{.Username | uppercase}}", "V_ADA"],
    ["{{.Username | truncate 3 | uppercase}}", "V_A"],
    ['{{"a"|uppercase}}', "A"],
    ['{{printf "%s" .Username|uppercase}}', "V_ADA"],
    ["{{.Username |}}", "v_ada"],
    ['{{(printf "%d" 3) | printf "%s!"}}', "3!"],
    ['{{uppercase (printf "%s%s" .RoleName (lowercase "ABC"))}}', "WEBABC"],
  ],
  conditions: [
    ["{{if .Username}}y{{else}}n{{end}}", "y"],
    ['{{if eq .RoleName "x"}}a{{else if eq .RoleName "web"}}b{{else}}c{{end}}', "b"],
    ['{{if ""}}a{{end}}', ""],
    ["{{if 0}}a{{else}}b{{end}}{{if 0.0}}a{{else}}b{{end}}", "bb"],
    ["{{if gt (len .Username) 3}}long{{end}}", "long"],
    ['{{if and (eq .RoleName "web") (not (eq .DisplayName ""))}}ok{{end}}', "ok"],
    ["{{with .Username}}{{.}}{{end}}", "v_ada"],
    ['{{with ""}}a{{else}}b{{end}}', "b"],
    ['{{with ""}}{{else with "q"}}{{.}}{{end}}', "q"],
    ["{{with .}}{{.Username}}{{end}}", "v_ada"],
  ],
  ranges: [
    ["{{range 3}}{{.}}{{end}}", "012"],
    ["{{range 0}}a{{else}}b{{end}}", "b"],
    ["{{range $i := 3}}{{$i}}{{end}}", "012"],
    ["{{range 2}}{{$.RoleName}}{{.}}{{end}}", "web0web1"],
    ["{{$x := 9}}{{range $x = 3}}{{end}}{{$x}}", "2"],
  ],
  variables: [
    ["{{$x := 3}}{{$x}}", "3"],
    ["{{$x := 3}}{{$x = 4}}{{$x}}", "4"],
    ["{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}", "21"],
    ["{{$x := 1}}{{if true}}{{$x = 2}}{{end}}{{$x}}", "2"],
    ["{{with $x := .Username}}{{$x}}{{end}}", "v_ada"],
    ['{{$a := "q"}}{{printf "%s%s" $a .RoleName}}', "qweb"],
    ["{{if $x := 5}}{{$x}}{{else}}{{$x}}{{end}}", "5"],
  ],
  comparisons: [
    ['{{eq 1 2 1}} {{eq "a" "b" "c"}} {{ne 1 2}}', "true false true"],
    [
      '{{lt 1 2}} {{lt "a" "b"}} {{le 2 2}} {{gt 1.5 1.2}} {{ge 1 2}} {{le "b" "a"}}',
      "true true true true false false",
    ],
    ["{{gt .ExpirationTimeSeconds .IssueTimeSeconds}} {{lt .IssueTimeSeconds 5}}", "true false"],
    ["{{eq true true}} {{eq nil nil}} {{eq 1 nil}}", "true true false"],
  ],
  "and, or, not": [
    ['{{and 1 0}} {{and true "x"}} {{or 0 "x"}} {{or "" 0}} {{not 1}} {{not ""}}', "0 x x 0 false true"],
    ['{{and false (truncate 0 "x")}} {{or true (truncate 0 "x")}}', "false true"],
    ["{{1 | and 0}} {{and 1 2 | or 0}} {{true | not}}", "0 2 false"],
  ],
  "the other functions of the language": [
    ['{{len .Username}} {{len "é"}}', "5 2"],
    ["{{index .Username 0}} {{slice .Username 2}} {{slice .Username 1 3}}", "118 ada _a"],
    ['{{print 1 2 "a" 3}} {{print "a" "b"}} {{print 1 true}} {{print nil}}', "1 2a3 ab 1 true <nil>"],
    ['{{println "a" 1}}', "a 1\n"],
    ['{{html "<a href=\'x\'>&\\""}}', "&lt;a href=&#39;x&#39;&gt;&amp;&#34;"],
    ['{{urlquery "a b&c/é~\'()*!"}}', "a+b%26c%2F%C3%A9~%27%28%29%2A%21"],
    ['{{js "it\'s <b>&=\\"\\n"}}', "it\\'s \\u003Cb\\u003E\\u0026\\u003D\\\"\\u000A"],
  ],
};

const refused: readonly [string, RegExp][] = [
  ["{{.RoleName", /^unable to parse template: template: template:1: unclosed action$/],
  ["one\ntwo {{nope 3}}", /^unable to parse template: template: template:2: function "nope" not defined$/],
  [
    "{{.Nope}}",
    /^unable to apply template: template: template:1:2: .* at <\.Nope>: can't evaluate field Nope/,
  ],
  ["{{.Username.Nope}}", /can't evaluate field Nope in type string/],
  ["{{}}", /missing value for command/],
  ["{{if}}x{{end}}", /missing value for if/],
  ["{{if true}}x", /unexpected EOF/],
  ["{{end}}", /unexpected \{\{end\}\}/],
  ["{{else}}", /unexpected \{\{else\}\}/],
  ["{{if true}}a{{else}}b{{else}}c{{end}}", /expected end; found \{\{else\}\}/],
  ["{{if true}}{{end x}}", /unexpected "x" in end/],
  ["{{range 2}}a{{else if 1}}b{{end}}", /unexpected <if> in else/],
  ["{{$x}}", /undefined variable "\$x"/],
  ["{{$x = 3}}", /undefined variable/],
  ["{{if true}}{{$x := 1}}{{end}}{{$x}}", /undefined variable/],
  ["{{range 2}}{{$x := .}}{{end}}{{$x}}", /undefined variable/],
  ["{{$x, $y := 3}}", /undefined variable "\$x"/],
  ["{{range $i, $x := 3}}{{$i}}{{end}}", /more than one variable/],
  ["{{range .Username}}a{{end}}", /range can't iterate over v_ada/],
  ["{{range 1000000}}{{end}}", /ends a template after/],
  ["{{(}}", /missing value for parenthesized pipeline/],
  ['{{("a"}}', /unclosed left paren/],
  ['{{"a")}}', /unexpected right paren/],
  ["{{()}}", /missing value/],
  ['{{"unterminated}}', /unterminated quoted string/],
  ["{{`unterminated}}", /unterminated raw quoted string/],
  ["{{'ab'}}", /malformed character constant: 'ab'/],
  ['{{"\\q"}}', /invalid syntax/],
  ["{{12abc}}", /bad number syntax: "12abc"/],
  ["{{#}}", /unexpected "#"/],
  ["{{/* a", /unclosed comment/],
  ["{{/* a */ }}", /comment ends before closing delimiter/],
  ["{{nil}}", /nil is not a command/],
  ["{{3 | 4}}", /non executable command/],
  ['{{"a" "b"}}', /can't give argument to non-function/],
  ["{{.Username 3}}", /can't give argument to non-function/],
  ['{{"a" | .Username}}', /can't give argument to non-function/],
  ["{{.Username.}}", /unexpected <\.>/],
  ['{{printf"%s" "a"}}', /bad character U\+0022 '"'/],
  ['{{truncate "x" .Username}}', /wrong type for value; expected int; got string/],
  ["{{truncate 3.5 .Username}}", /expected int; got float64/],
  ["{{truncate 3}}", /wrong number of args for truncate: want 2 got 1/],
  ["{{truncate 3 4 5}}", /want 2 got 3/],
  ["{{uppercase 3}}", /expected string; got int/],
  ["{{and}}", /want at least 1 got 0/],
  ['{{eq 1 "a"}}', /incompatible types for comparison/],
  ["{{eq 1 1.0}}", /incompatible types/],
  ["{{lt true false}}", /invalid type for comparison/],
  ["{{len 3}}", /len of type int/],
  ["{{index .Username 99}}", /out of range/],
  ["{{slice .Username 3 1}}", /invalid slice index/],
  ["{{call 3}}", /non-function/],
  ["a\n{{if true}}\n", /template:3: unexpected EOF/],
  ["{{99999999999999999999}}", /bad number syntax/],
  ["{{if false}}{{nope}}{{end}}", /function "nope" not defined/],
  ["{{print 2i}}", /the emulator does not know the number 2i/],
  ['{{define "x"}}a{{end}}', /at <\{\{define\}\}>: the emulator does not know this action/],
  ["{{range 2}}{{break}}{{end}}", /at <\{\{break\}\}>: the emulator does not know this action/],
];

describe("a template", () => {
  for (const [what, cases] of Object.entries(rendered)) {
    describe(`renders ${what}`, () => {
      for (const [template, text] of cases) {
        it(JSON.stringify(template), () => {
          assert.equal(render(template), text);
        });
      }
    });
  }

  describe("is refused with a reason:", () => {
    for (const [template, reason] of refused) {
      it(JSON.stringify(template), () => {
        assert.throws(
          () => render(template),
          (error) => error instanceof TemplateError && reason.test(error.message),
        );
      });
    }
  });

  it("is the text itself when it has no action", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!text.includes("{{"));
        assert.equal(render(text), text);
      }),
    );
  });

  it("is rendered or refused, whatever it contains", () => {
    const words = [
      "{{",
      "}}",
      "if",
      "end",
      "else",
      "range",
      "with",
      ".Username",
      "$x",
      ":=",
      "|",
      "(",
      ")",
      " ",
      '"',
      "3",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { maxLength: 12 }), (parts) => {
        try {
          render(parts.join(""));
        } catch (error) {
          assert.ok(error instanceof TemplateError, String(error));
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("for user names knows no utf16le", () => {
    assert.throws(
      () => renderTemplate('{{utf16le "a"}}', usernameFunctions(Date.now), new Map()),
      /function "utf16le" not defined/,
    );
  });
});
