import assert from "node:assert/strict";
import fc from "fast-check";
import { Problems } from "../../../../sdk/secrets/directory/template/finding";
import { parseTemplate } from "../../../../sdk/secrets/directory/template/parser";
import type { Node } from "../../../../sdk/secrets/directory/template/syntax";
import { templateText } from "./arbitraries";

/** The structure of a template in short. */
function shown(nodes: readonly Node[]): string {
  return nodes
    .map((node) => {
      switch (node.kind) {
        case "text":
          return node.text;
        case "if":
        case "with":
        case "range":
          return `${node.kind}(${node.arms.map((arm) => (arm.isElse ? ":" : "?") + shown(arm.nodes)).join("")})`;
        case "template":
        case "block":
          return `${node.kind} ${node.name}(${shown(node.nodes)})`;
        default:
          return `<${node.kind}>`;
      }
    })
    .join("");
}

const structure = (text: string): string => {
  const problems = new Problems();
  const tree = parseTemplate(text, problems);
  assert.deepEqual(problems.findings(text), []);
  assert.equal(tree.complete, true);
  return shown(tree.nodes);
};

describe("parseTemplate", () => {
  const read: readonly [string, string][] = [
    ["a{{.B}}c", "a<action>c"],
    ["{{if .A}}b{{end}}", "if(?b)"],
    ["{{if .A}}b{{else}}c{{end}}", "if(?b:c)"],
    ["{{if .A}}b{{else if .C}}d{{else if .E}}f{{else}}g{{end}}", "if(?b?d?f:g)"],
    ["{{with .A}}b{{else with .C}}d{{end}}", "with(?b?d)"],
    ["{{range 3}}{{if .A}}{{break}}{{end}}{{continue}}{{else}}b{{end}}", "range(?if(?<break>)<continue>:b)"],
    ["{{if .A}}{{if .B}}c{{end}}{{else}}{{if .D}}e{{end}}{{end}}", "if(?if(?c):if(?e))"],
    ['{{define "a"}}b{{end}}{{template "a"}}', "<silent>template a()"],
    ['{{block "a" .}}b{{end}}', "block a(b)"],
    ["a{{/* b */}}", "a<silent>"],
  ];
  for (const [text, expected] of read) {
    it(`reads ${text}`, () => {
      assert.equal(structure(text), expected);
    });
  }

  it("collects definitions; an empty one gives way", () => {
    const text =
      '{{define "a"}} {{end}}{{define "a"}}b{{end}}{{define "a"}}{{/**/}}{{end}}{{block "c" .}}d{{end}}';
    const { definitions } = parseTemplate(text, new Problems());
    assert.deepEqual(
      [...definitions].map(([name, nodes]) => [name, shown(nodes)]),
      [
        ["a", "b"],
        ["c", "d"],
      ],
    );
  });

  it("keeps the structure around what it cannot read", () => {
    const tree = parseTemplate('{{if "}}a{{else}}b{{end}}{{range 2}}{{)}}c{{end}}{{.D', new Problems());
    assert.equal(tree.complete, false);
    assert.equal(shown(tree.nodes), "if(?a:b)range(?c)");
  });

  it("is complete exactly when it finds nothing wrong", () => {
    fc.assert(
      fc.property(templateText, (text) => {
        const problems = new Problems();
        assert.equal(parseTemplate(text, problems).complete, !problems.hasErrors);
      }),
    );
  });
});
