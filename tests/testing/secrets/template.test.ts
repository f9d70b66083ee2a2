import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { ldifFunctions, usernameFunctions } from "../../../sdk/testing/secrets/directory/template/functions";
import { renderTemplate } from "../../../sdk/testing/secrets/directory/template/template";
import { EngineFailure } from "../../../sdk/testing/secrets/refusal";

const data = new Map<string, string | bigint>([
  ["Username", "v_ada"],
  ["Password", "p-w"],
  ["DisplayName", "ada"],
  ["RoleName", "web"],
  ["IssueTimeSeconds", 1_707_491_045n],
]);

const now = () => Date.UTC(2024, 1, 9, 15, 4, 5, 120);
const render = (template: string, functions = ldifFunctions): string =>
  renderTemplate(template, functions(now), data);

// What the templates' own implementation makes of them.
const rendered: Readonly<Record<string, string>> = {
  "{{(.Username)}}{{$.RoleName}}": "v_adaweb",
  "{{.IssueTimeSeconds}}": "1707491045",
  '{{"\\u00e9\\n"}}{{`raw\\n`}}': "é\nraw\\n",
  "a  {{- .RoleName -}}  b{{- 3}}": "awebb3",
  "{{.Username | truncate 3 | uppercase}}": "V_A",
  '{{uppercase (printf "%s%s" .RoleName (lowercase "ABC"))}}': "WEBABC",
  '{{if eq .RoleName "x"}}a{{else if eq .RoleName "web"}}b{{else}}c{{end}}': "b",
  '{{if ""}}a{{end}}{{if 0}}a{{else}}b{{end}}': "b",
  '{{if and (eq .RoleName "web") (not (eq .DisplayName ""))}}ok{{end}}': "ok",
  '{{with .Username}}{{.}}{{end}}{{with ""}}a{{else}}b{{end}}': "v_adab",
  '{{with ""}}{{else with "q"}}{{.}}{{end}}{{with .}}{{.Username}}{{end}}': "qv_ada",
  "{{$x := 3}}{{$x = 4}}{{$x}}": "4",
  "{{$x := 1}}{{if true}}{{$x := 2}}{{$x}}{{end}}{{$x}}": "21",
  "{{with $x := .Username}}{{$x}}{{end}}": "v_ada",
  '{{eq 1 2 1}} {{eq "a" "b" "c"}} {{ne 1 2}}': "true false true",
  '{{lt 1 2}} {{lt "a" "b"}} {{le 2 2}} {{gt 2 1}} {{ge 1 2}}': "true true true true false",
  '{{and 1 0}} {{and true "x"}} {{or 0 "x"}} {{not 1}} {{not ""}}': "0 x x false true",
  "{{1 | and 0}} {{and 1 2 | or 0}} {{true | not}}": "0 2 false",
  '{{len .Username}} {{len "é"}}': "5 2",
};

const refused: readonly (readonly [string, RegExp])[] = [
  ["{{.RoleName", /^unable to parse template: template: template:1: unclosed action$/],
  ["one\ntwo {{nope 3}}", /^unable to parse template: template: template:2: function "nope" not defined$/],
  ["{{.Nope}}", /^unable to apply template: .*template:1:2: .* at <\.Nope>: can't evaluate field Nope/],
  ["{{.Username.Nope}}", /can't evaluate field Nope in type string/],
  ["{{if true}}{{$x := 1}}{{end}}{{$x}}", /undefined variable: \$x/],
  ["{{'a'}}", /does not know the constant 'a'/],
  ['{{"a" | .Username}}', /can't give argument to non-function/],
  ['{{truncate "x" .Username}}', /wrong type for value; expected int; got string/],
  ["{{truncate 3 4 5}}", /want 2 got 3/],
  ['{{eq 1 "a"}}', /incompatible types for comparison/],
  ["{{index .Username 0}}", /the emulator does not know the function index/],
  ['{{define "x"}}a{{end}}', /at <\{\{define\}\}>: the emulator does not know this action/],
  ['{{timestamp "Jan 2006"}}', /knows the elements .*2006, .* of layouts, not Jan/],
  ["{{truncate 0 .Username}}", /error calling truncate: max length must be > 0 but was 0/],
  ["{{truncate_sha256 8 .Username}}", /max length must be > 8 but was 8/],
  ['{{printf "%d" "x"}}', /printf does not know %d of a value of type string/],
  ['{{printf "%.2s" "abc"}}', /printf does not know %\./],
  ['{{printf "%s"}}', /printf does not know %s without a value/],
  ['{{printf "%s" "a" "b"}}', /printf has 1 values too many/],
];

describe("a template", () => {
  it("a template for user names knows no utf16le", () =>
    assert.throws(() => render('{{utf16le "a"}}', usernameFunctions), /function "utf16le" not defined/));

  for (const [template, text] of Object.entries(rendered)) {
    it(`a template is rendered: ${JSON.stringify(template)}`, () => assert.equal(render(template), text));
  }

  for (const [template, reason] of refused) {
    const isRefused = (error: unknown) => error instanceof EngineFailure && reason.test(error.message);
    it(`a template is refused with a reason: ${JSON.stringify(template)}`, () =>
      assert.throws(() => render(template), isRefused));
  }
});

describe("a function of the service", () => {
  const hash = createHash("sha256").update("cdefghijkl").digest("hex");
  for (const [action, text] of [
    ['truncate 2 "äöü"', "äö"],
    ['"abcdefghijkl" | truncate_sha256 10', `ab${hash.slice(0, 8)}`],
    ['replace "a" "$&" "banana"', "b$&n$&n$&"],
    ['replace "" "-" "abc"', "-a-b-c-"],
    ['base64 "é"', "w6k="],
    ["unix_time_millis", "1707491045120"],
    ['timestamp "2006-01-02T15:04:05Z07:00"', "2024-02-09T15:04:05Z"],
    ['timestamp "02/01/06_15:04:05.000"', "09/02/24_15:04:05.120"],
    ['printf "%q" .Password | utf16le | base64', Buffer.from('"p-w"', "utf16le").toString("base64")],
    ['printf "%5d|%-5d|%05d|%05d" 3 4 5 -42', "    3|4    |00005|-0042"],
    ['printf "%q" "a\\tbé\\""', '"a\\tbé\\""'],
    ['printf "%x %x" "é" 255', "c3a9 ff"],
    ['printf "%v %v %v" 1 "a" true', "1 a true"],
    ['printf "%4s|%-4sx|%d%%" "é" "ab" 5', "   é|ab  x|5%"],
  ] as const) {
    it(`a template function makes ${JSON.stringify(text)} of ${action}`, () =>
      assert.equal(render(`{{${action}}}`), text));
  }

  it("a template function makes random identifiers", () => {
    assert.match(render("{{uuid}}"), /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    assert.notEqual(render("{{uuid}}"), render("{{uuid}}"));
  });
});
