import fc from "fast-check";
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { ldifFunctions, usernameFunctions } from "../../../sdk/testing/secrets/directory/template/functions";
import { renderTemplate } from "../../../sdk/testing/secrets/directory/template/template";
import { EngineFailure } from "../../../sdk/testing/secrets/refusal";

const moment = Date.UTC(2024, 1, 9, 15, 4, 5, 120);

/** Fills in a template with the data of an account named `v_ada`, as of February 9th 2024, 15:04:05.12. */
export function render(template: string): string {
  return renderTemplate(
    template,
    ldifFunctions(() => moment),
    new Map<string, string | bigint>([
      ["Username", "v_ada"],
      ["Password", "p-w"],
      ["DisplayName", "ada"],
      ["RoleName", "web"],
      ["IssueTimeSeconds", 1_707_491_045n],
      ["ExpirationTimeSeconds", 1_707_494_645n],
    ]),
  );
}

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
    ['{{"\\u00e9\\n"}}', "é\n"],
    ["{{`raw\\n`}}", "raw\\n"],
    ["{{10}} {{-5}} {{+5}}", "10 -5 5"],
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
    ["{{if 0}}a{{else}}b{{end}}", "b"],
    ["{{if gt (len .Username) 3}}long{{end}}", "long"],
    ['{{if and (eq .RoleName "web") (not (eq .DisplayName ""))}}ok{{end}}', "ok"],
    ["{{with .Username}}{{.}}{{end}}", "v_ada"],
    ['{{with ""}}a{{else}}b{{end}}', "b"],
    ['{{with ""}}{{else with "q"}}{{.}}{{end}}', "q"],
    ["{{with .}}{{.Username}}{{end}}", "v_ada"],
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
      '{{lt 1 2}} {{lt "a" "b"}} {{le 2 2}} {{gt 2 1}} {{ge 1 2}} {{le "b" "a"}}',
      "true true true true false false",
    ],
    ["{{gt .ExpirationTimeSeconds .IssueTimeSeconds}} {{lt .IssueTimeSeconds 5}}", "true false"],
  ],
  "and, or, not": [
    ['{{and 1 0}} {{and true "x"}} {{or 0 "x"}} {{or "" 0}} {{not 1}} {{not ""}}', "0 x x 0 false true"],
    ["{{1 | and 0}} {{and 1 2 | or 0}} {{true | not}}", "0 2 false"],
  ],
  "lengths in octets": [['{{len .Username}} {{len "é"}}', "5 2"]],
};

const refused: readonly [string, RegExp][] = [
  ["{{.RoleName", /^unable to parse template: template: template:1: The action is not closed/],
  ["one\ntwo {{nope 3}}", /^unable to parse template: template: template:2: function "nope" not defined$/],
  [
    "{{.Nope}}",
    /^unable to apply template: template: template:1:2: .* at <\.Nope>: can't evaluate field Nope/,
  ],
  ["{{.Username.Nope}}", /can't evaluate field Nope in type string/],
  ["{{if true}}{{end x}}", /`x` is not allowed here/],
  ["{{$x}}", /undefined variable: \$x/],
  ["{{$x = 3}}", /undefined variable/],
  ["{{if true}}{{$x := 1}}{{end}}{{$x}}", /undefined variable/],
  ["{{'a'}}", /does not know the constant 'a'/],
  ['{{"\\q"}}', /does not know the constant/],
  ["{{12abc}}", /does not know the constant 12abc/],
  ["{{nil}}", /nil is not a command/],
  ["{{3 | 4}}", /can't give argument to non-function/],
  ['{{"a" "b"}}', /can't give argument to non-function/],
  ["{{.Username 3}}", /can't give argument to non-function/],
  ['{{"a" | .Username}}', /can't give argument to non-function/],
  ['{{truncate "x" .Username}}', /wrong type for value; expected int; got string/],
  ["{{truncate 3.5 .Username}}", /does not know the constant 3\.5/],
  ["{{truncate 3}}", /wrong number of args for truncate: want 2 got 1/],
  ["{{truncate 3 4 5}}", /want 2 got 3/],
  ["{{uppercase 3}}", /expected string; got int/],
  ["{{and}}", /want at least 1 got 0/],
  ['{{eq 1 "a"}}', /incompatible types for comparison/],
  ["{{len 3}}", /expected string; got int/],
  ["{{index .Username 0}}", /the emulator does not know the function index/],
  ["{{if false}}{{end}}{{print 3}}", /the emulator does not know the function print/],
  ["{{1.5}}", /the emulator does not know the constant 1\.5/],
  ["{{if false}}{{nope}}{{end}}", /function "nope" not defined/],
  ["{{print 2i}}", /the emulator does not know the constant 2i/],
  ['{{define "x"}}a{{end}}', /at <\{\{define\}\}>: the emulator does not know this action/],
  ["{{range 2}}{{end}}", /at <\{\{range\}\}>: the emulator does not know this action/],
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
          (error) => error instanceof EngineFailure && reason.test(error.message),
        );
      });
    }
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
          assert.ok(error instanceof EngineFailure, String(error));
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

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const cases: readonly [string, string][] = [
  ["truncate 3 .Username", "v_a"],
  ["truncate 9 .Username", "v_ada"],
  ['truncate 2 "äöü"', "äö"],
  ["truncate_sha256 20 .Username", "v_ada"],
  ['"abcdefghijkl" | truncate_sha256 10', `ab${sha256("cdefghijkl").slice(0, 8)}`],
  ["uppercase .Username", "V_ADA"],
  ['lowercase "ABC"', "abc"],
  ['.Username | replace "_" "-" | uppercase', "V-ADA"],
  ['replace "a" "$&" "banana"', "b$&n$&n$&"],
  ['replace "" "-" "abc"', "-a-b-c-"],
  ["sha256 .Username", sha256("v_ada")],
  ["base64 .Password", "cC13"],
  ['base64 "é"', "w6k="],
  ["unix_time", "1707491045"],
  ["unix_time_millis", "1707491045120"],
  ['timestamp "2006-01-02T15:04:05Z07:00"', "2024-02-09T15:04:05Z"],
  ['timestamp "20060102150405"', "20240209150405"],
  ['timestamp "02/01/06_15:04:05.000"', "09/02/24_15:04:05.120"],
  [".Password | utf16le | base64", Buffer.from("p-w", "utf16le").toString("base64")],
  ['printf "%q" .Password | utf16le | base64', Buffer.from('"p-w"', "utf16le").toString("base64")],
  ['"é" | utf16le | base64', "6QA="],
  ['len (utf16le "abc")', "6"],
];

describe("a function of the service", () => {
  for (const [action, text] of cases) {
    it(`makes ${JSON.stringify(text)} of ${action}`, () => {
      assert.equal(render(`{{${action}}}`), text);
    });
  }

  it("makes random identifiers", () => {
    assert.match(render("{{uuid}}"), /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    assert.notEqual(render("{{uuid}}"), render("{{uuid}}"));
  });

  it("refuses layouts that the emulator does not know", () => {
    assert.throws(
      () => render('{{timestamp "Jan 2006"}}'),
      /knows the elements .*2006, .* of layouts, not Jan/,
    );
    assert.throws(() => render('{{timestamp "3:04"}}'), /of layouts, not 3/);
  });

  it("refuses lengths that make no sense", () => {
    assert.throws(
      () => render("{{truncate 0 .Username}}"),
      /error calling truncate: max length must be > 0 but was 0/,
    );
    assert.throws(() => render("{{truncate_sha256 8 .Username}}"), /max length must be > 8 but was 8/);
    assert.throws(() => render("{{random -1}}"), /error calling random/);
  });
});

const formats: readonly [string, string][] = [
  ['printf "%s-%d" .Username 3', "v_ada-3"],
  ['printf "%5d|%-5d|%05d" 3 4 5', "    3|4    |00005"],
  ['printf "%05d" -42', "-0042"],
  ['printf "%q" "a\\tb\\u0001é\\""', '"a\\tb\\x01é\\""'],
  ['printf "%x %x" "é" 255', "c3a9 ff"],
  ['printf "%v %v %v" 1 "a" true', "1 a true"],
  ['printf "%4s|%-4sx" "é" "ab"', "   é|ab  x"],
  ['printf "%d%%" 5', "5%"],
  ['printf "%s" (utf16le "a")', "a\0"],
];

const refusedByPrintf: readonly [string, RegExp][] = [
  ['printf "%d" "x"', /printf does not know %d of a value of type string/],
  ['printf "%s" 3', /printf does not know %s of a value of type int/],
  ['printf "%z" 1', /printf does not know %z/],
  ['printf "%.2s" "abc"', /printf does not know %\./],
  ['printf "%[2]s %[1]s" "a" "b"', /printf does not know %\[/],
  ['printf "%*d" 5 3', /printf does not know %\*/],
  ['printf "%" 3', /printf does not know % /],
  ['printf "%s"', /printf does not know %s without a value/],
  ['printf "%s" "a" "b"', /printf has 1 values too many/],
  ["printf 3", /expected string; got int/],
];

describe("printf", () => {
  for (const [action, text] of formats) {
    it(`makes ${JSON.stringify(text)} of ${action}`, () => {
      assert.equal(render(`{{${action}}}`), text);
    });
  }

  for (const [action, reason] of refusedByPrintf) {
    it(`is refused: ${action}`, () => {
      assert.throws(() => render(`{{${action}}}`), reason);
    });
  }
});
