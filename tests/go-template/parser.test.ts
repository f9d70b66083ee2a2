import assert from "node:assert/strict";
import fc from "fast-check";
import { parseTemplate } from "../../sdk/go-template/parser";
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
    ]) {
      assert.deepEqual(reasons(text), [], text);
    }
    for (const text of [
      "{{$x}}",
      "{{$x = 1}}",
      "{{if $x := uuid}}{{end}}{{$x}}",
      '{{$x := 1}}{{define "a"}}{{$x}}{{end}}',
      '{{define "a"}}{{$x := 1}}{{end}}{{$x}}',
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

  it("reads nesting up to 200 levels", () => {
    assert.deepEqual(reasons("{{if .A}}".repeat(200) + "{{end}}".repeat(200)), []);
    assert.equal(parse("{{if .A}}".repeat(100_000)).problems.length, 1);
  });
});
