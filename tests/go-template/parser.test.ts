import assert from "node:assert/strict";
import fc from "fast-check";
import { parseTemplate } from "../../sdk/go-template/parser";
import { mostProblems } from "../../sdk/go-template/syntax-problem";
import type { Node } from "../../sdk/go-template/syntax";
import { templateText } from "./arbitraries";

/** The structure of a template in short. */
function shown(nodes: readonly Node[]): string {
  return nodes
    .map((node) => {
      if (node.kind === "text") {
        return node.text;
      }
      return "arms" in node
        ? `${node.kind}(${node.arms.map((arm) => (arm.isElse ? ":" : "?") + shown(arm.nodes)).join("")})`
        : `<${node.kind}>`;
    })
    .join("");
}

const parse = (text: string): ReturnType<typeof parseTemplate> => parseTemplate(text, () => undefined);

const reasons = (text: string): string[] => parse(text).problems.map(({ reason }) => reason);

describe("parseTemplate", () => {
  const read: readonly [string, string][] = [
    ["a{{.B}}c", "a<output>c"],
    ["{{if .A}}b{{end}}", "if(?b)"],
    ["{{if .A}}b{{else}}c{{end}}", "if(?b:c)"],
    ["{{if .A}}b{{else if .C}}d{{else if .E}}f{{else}}g{{end}}", "if(?b?d?f:g)"],
    ["{{with .A}}b{{else with .C}}d{{end}}", "with(?b?d)"],
    ["{{range 3}}{{if .A}}{{break}}{{end}}{{continue}}{{else}}b{{end}}", "range(?if(?<break>)<continue>:b)"],
    ["{{if .A}}{{if .B}}c{{end}}{{else}}{{if .D}}e{{end}}{{end}}", "if(?if(?c):if(?e))"],
    ['{{define "a"}}b{{end}}{{template "a"}}', "define(?b)<template>"],
    ['{{block "a" .}}b{{end}}', "block(?b)"],
    ["a{{/* b */}}", "a<comment>"],
  ];
  for (const [text, expected] of read) {
    it(`reads ${text}`, () => {
      const { nodes, problems, isComplete } = parse(text);
      assert.deepEqual(problems, []);
      assert.equal(isComplete, true);
      assert.equal(shown(nodes), expected);
    });
  }

  it("keeps the structure around what it cannot read", () => {
    const { nodes, isComplete } = parse('{{if "}}a{{else}}b{{end}}{{range 2}}{{)}}c{{end}}{{.D');
    assert.equal(isComplete, false);
    assert.equal(shown(nodes), "if(?a:b)range(?c)");
  });

  it("is complete exactly when it finds nothing wrong but unknown names", () => {
    fc.assert(
      fc.property(templateText, (text) => {
        const { isComplete, problems } = parse(text);
        const others = problems.filter(({ reason }) => !reason.startsWith("undefined variable"));
        assert.equal(isComplete, others.length === 0);
      }),
    );
    const template = parseTemplate("{{nope}}", (name) => `no ${name}`);
    assert.equal(template.isComplete, true);
    assert.deepEqual(
      template.problems.map(({ offset, message, reason }) => [offset, message, reason]),
      [[2, "no nope", 'function "nope" not defined']],
    );
  });

  it("knows where variables can be seen", () => {
    for (const text of [
      "{{$}}{{$x := 1}}{{$x}}{{$x = 2}}",
      "{{if $x := uuid}}{{$x}}{{else if $y := $x}}{{$y}}{{else}}{{$y}}{{end}}",
      "{{$x := 1}}{{if $x}}{{$x = 2}}{{$y := $x}}{{$y}}{{end}}{{$x}}",
      "{{range $i, $x := 3}}{{$i}}{{$x}}{{end}}",
      "{{f ($x := 1)}}{{$x}}",
      '{{define "a"}}{{$}}{{end}}{{block "b" .}}{{$}}{{end}}',
    ]) {
      assert.deepEqual(reasons(text), [], text);
    }
    for (const text of [
      "{{$x}}",
      "{{$x = 1}}",
      "{{if $x := uuid}}{{end}}{{$x}}",
      '{{$x := 1}}{{define "a"}}{{$x}}{{end}}',
      '{{define "a"}}{{$x := 1}}{{end}}{{$x}}',
      '{{$x := 1}}{{block "a" .}}{{$x}}{{end}}',
    ]) {
      assert.deepEqual(reasons(text), ['undefined variable "$x"'], text);
    }
  });

  it("tells servers' first problem first", () => {
    assert.deepEqual(reasons('{{end}}{{"a}}{{if .A}}'), [
      "unexpected {{end}}",
      "unterminated quoted string",
      "unexpected EOF",
    ]);
    assert.equal(parse("{{if .A}}\n\n").problems[0]?.place, 11);
  });

  const refused: readonly (readonly [text: string, offset: number, message: string, reason: string])[] = [
    ["{{}}", 2, "The action is empty.", "missing value for command"],
    ["{{f ()}}", 5, "The parentheses are empty.", "missing value for parenthesized pipeline"],
    ["{{if}}a{{end}}", 4, "`if` needs a value.", "missing value for if"],
    ["{{f = 1}}", 4, "Only a variable can stand before `=`.", 'unexpected "=" in operand'],
    ["{{f := 1}}", 4, "Only a variable can stand before `:=`.", 'unexpected ":=" in operand'],
    ["{{f )}}", 4, "`)` has no opening parenthesis.", "unexpected right paren"],
    ["{{f |)}}", 5, "`)` has no opening parenthesis.", "unexpected right paren"],
    ["{{| f}}", 2, "`|` requires a value before it.", 'unexpected "|" in command'],
    [
      "{{ /* a */}}",
      3,
      "A comment must start directly after the braces: `{{/*` or `{{- /*`.",
      'unexpected "/" in command',
    ],
    ["{{$x}}", 2, "There is no variable `$x`; `:=` declares one.", 'undefined variable "$x"'],
    ["{{f()}}", 3, "A space is missing before `(`.", 'unexpected "(" in operand'],
    ["{{f 'a'|g 'b'','}}", 13, "A space is missing before `','`.", `unexpected "','" in operand`],
    [
      '{{f | "a"}}',
      6,
      '`"a"` is not a function: nothing can be piped into it.',
      "non executable command in pipeline stage 2",
    ],
    ["{{nil.A}}", 5, "`nil` has no fields.", 'unexpected . after term "nil"'],
    ["{{f if}}", 4, "`if` is only allowed at the beginning of an action.", "unexpected <if> in operand"],
    ["{{f !}}", 4, "`!` is not allowed here.", 'unexpected "!" in operand'],
    ["{{f (g}}", 4, "`(` is not closed: `)` is missing.", "unclosed left paren"],
    ["{{f +}}", 4, "`+` is not a number; strings need quotes.", 'bad number syntax: "+"'],
    ["{{f -x}}", 4, "`-x` is not a number.", 'bad number syntax: "-x"'],
    ['{{"a\\q"}}', 2, '`"a\\q"` contains an invalid escape sequence.', "invalid syntax"],
    [
      "{{'ab'}}",
      2,
      "`'ab'` is not a single character; strings need double quotes.",
      "malformed character constant: 'ab'",
    ],
    [
      "{{'\\q'}}",
      2,
      "`'\\q'` is not a single character; strings need double quotes.",
      "malformed character constant: '\\q'",
    ],
    ["{{else}}", 0, "`{{else}}` is not allowed here.", "unexpected {{else}}"],
    [
      '{{define "a"}}{{else}}{{end}}',
      14,
      "`{{else}}` is not allowed here in `{{define}}`.",
      "unexpected {{else}}",
    ],
    [
      '{{block "a" .}}{{else}}{{end}}',
      15,
      "`{{else}}` is not allowed here in `{{block}}`.",
      "unexpected {{else}}",
    ],
    [
      "{{if .A}}{{else}}{{else}}{{end}}",
      17,
      "Only `{{end}}` can follow `{{else}}`.",
      "expected end; found {{else}}",
    ],
    [
      "{{range 3}}{{else range 3}}{{end}}",
      18,
      "Nothing can follow `else` here, not `range`.",
      "unexpected <range> in else",
    ],
    ["{{if .A}}{{end .B}}", 15, "Nothing can follow `end` here, not `.B`.", 'unexpected ".B" in end'],
    [
      '{{if .A}}{{end "01234567"}}',
      15,
      'Nothing can follow `end` here, not `"01234567"`.',
      String.raw`unexpected "\"01234567\"" in end`,
    ],
    [
      '{{if .A}}{{end "012345678"}}',
      15,
      'Nothing can follow `end` here, not `"012345678"`.',
      String.raw`unexpected "\"012345678"... in end`,
    ],
    ["{{end}}", 0, "`{{end}}` has nothing to close.", "unexpected {{end}}"],
    ["{{if .A}}", 0, "`{{if}}` is not closed: `{{end}}` is missing.", "unexpected EOF"],
    ["{{.A-}}", 4, "`-}}` needs a space before it.", "bad character U+002D '-'"],
    ["{{-.A}}", 2, "`{{-` needs a space after it.", 'bad number syntax: "-.A"'],
    [
      "{{/* a */ }}",
      9,
      "`}}` must directly follow the end of a comment.",
      "comment ends before closing delimiter",
    ],
    ["{{`a}}", 2, "The raw string that begins here is not closed.", "unterminated raw quoted string"],
    [
      "{{'a}}",
      2,
      "The character that begins here is not closed: `'` is missing on this line.",
      "unterminated character constant",
    ],
    ["{{$x:1}}", 4, "`:` is not allowed here; `:=` declares a variable.", "expected :="],
    ["{{é!}}", 3, "`!` cannot follow `é` without a space.", "bad character U+0021 '!'"],
    ["{{f ª«}}", 5, "`«` cannot follow `ª` without a space.", "bad character U+00AB '«'"],
    ["{{f 😀}}", 4, "`😀` is not allowed in an action.", "unrecognized character in action: U+1F600 '😀'"],
    ["{{.A {{.B}}", 0, "The action is not closed: `}}` is missing.", 'unexpected "{" in command'],
    [
      `{{${"(".repeat(201)}f${")".repeat(201)}}}`,
      202,
      "Parentheses are nested deeper than 200 levels.",
      "max expression depth exceeded",
    ],
    [
      "{{if .A}}".repeat(202),
      201 * 9,
      "Structures are nested deeper than 200 levels.",
      "structures are nested too deep",
    ],
  ];
  for (const [text, ...expected] of refused) {
    it(`says what is wrong with ${text.slice(0, 40)}`, () => {
      assert.deepEqual(
        parse(text).problems.map(({ offset, message, reason }) => [offset, message, reason]),
        [expected],
      );
    });
  }

  it("reports each structure that is not closed, the innermost first", () => {
    assert.deepEqual(
      parse("{{if .A}}{{range 3}}").problems.map(({ offset }) => offset),
      [9, 0],
    );
  });

  it("stops after the tenth problem", () => {
    const { problems, isComplete } = parse("{{end}}".repeat(mostProblems + 1));
    assert.equal(problems.length, mostProblems);
    assert.equal(isComplete, false);
    assert.equal(parse("{{$x}}".repeat(mostProblems + 1)).isComplete, false);
    assert.equal(parse("{{$x}}".repeat(mostProblems)).isComplete, true);
  });

  it("throws what is no mistake in the template", () => {
    const defect = new Error("defect");
    assert.throws(
      () =>
        parseTemplate("{{f}}", () => {
          throw defect;
        }),
      defect,
    );
  });

  it("reads nesting up to 200 levels", () => {
    assert.deepEqual(reasons("{{if .A}}".repeat(200) + "{{end}}".repeat(200)), []);
    assert.deepEqual(reasons(`{{${"(".repeat(200)}f${")".repeat(200)}}}`), []);
    assert.deepEqual(reasons(`{{${"(f) ".repeat(201)}}}`), []);
    assert.equal(parse("{{if .A}}".repeat(100_000)).problems.length, 1);
  });
});
