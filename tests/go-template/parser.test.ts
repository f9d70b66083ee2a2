import assert from "node:assert/strict";
import { templateFunctions } from "../../sdk/go-template/functions";
import { mostProblems, parseTemplate } from "../../sdk/go-template/parser";
import type { Node, Operand, Pipeline } from "../../sdk/go-template/syntax";

/** The structure of a template in short, expressions with all their parentheses. */
const shown = (nodes: readonly Node[]): string => nodes.map(shownNode).join("");

function shownNode(node: Node): string {
  if (node.kind === "text" || node.kind === "output") {
    return node.kind === "text" ? node.text : `<${shownPipeline(node.pipeline)}>`;
  }
  const arms = "arms" in node ? node.arms : undefined;
  const inside = arms?.map(({ pipeline, nodes }, index) => {
    const condition = pipeline === undefined ? "" : shownPipeline(pipeline);
    const isElse = index > 0 && pipeline === undefined;
    return `${isElse ? ":" : `${condition}?`}${shown(nodes)}`;
  });
  return inside === undefined ? `<${node.kind}>` : `${node.kind}(${inside.join("")})`;
}

function shownPipeline({ variables, declares, commands }: Pipeline): string {
  const sign = variables.length === 0 ? "" : declares ? ":=" : "=";
  const parts = commands.map(({ first, parameters }) => `[${[first, ...parameters].map(operand).join(" ")}]`);
  return `${variables.join(",")}${sign}${parts.join("|")}`;
}

function operand(part: Operand): string {
  switch (part.kind) {
    case "group":
      return `(${shownPipeline(part.pipeline)})`;
    case "fields":
      return `${part.of === undefined ? "" : operand(part.of)}${part.names.map((name) => `.${name}`).join("")}`;
    default:
      return part.source;
  }
}

const parse = (text: string): ReturnType<typeof parseTemplate> => parseTemplate(text, () => undefined);

const errors = (text: string): string[] =>
  parse(text).problems.map(({ offset, message }) => `${offset} ${message}`);

describe("parseTemplate", () => {
  const read: readonly [text: string, expected: string][] = [
    ["a{{.B}}c", "a<[.B]>c"],
    ["{{if .A}}b{{end}}", "if([.A]?b)"],
    ["{{if .A}}b{{else}}c{{end}}", "if([.A]?b:c)"],
    ["{{if .A}}b{{else if .C}}d{{else if .E}}f{{else}}g{{end}}", "if([.A]?b[.C]?d[.E]?f:g)"],
    ["{{with .A}}b{{else with .C}}d{{end}}", "with([.A]?b[.C]?d)"],
    ["{{range 3}}{{if .A}}{{break}}{{end}}{{else}}b{{end}}", "range([3]?if([.A]?<break>):b)"],
    ["{{range 3}}{{continue}}{{end}}", "range([3]?<continue>)"],
    ['{{define "a"}}b{{end}}{{template "a"}}', "define(?b)<template>"],
    ['{{block "a" .}}b{{end}}', "block(?b)"],
    ["a{{/* b */}}{{- /* c */ -}}", "a<comment><comment>"],
    ["{{.A.B}}", "<[.A.B]>"],
    ["{{$x.A .B}}", "<[$x.A .B]>"],
    ["{{f 1 true nil . $}}", "<[f 1 true nil . $]>"],
    ["{{f | g 1 | h}}", "<[f]|[g 1]|[h]>"],
    ["{{f (g 1 | h).A (.B)}}", "<[f ([g 1]|[h]).A ([.B])]>"],
    ["{{$x := f}}{{$x = f}}{{$x}}", "<$x:=[f]><$x=[f]><[$x]>"],
    ["{{range $i, $x := f}}{{end}}{{range $i, $x = f}}{{end}}", "range($i,$x:=[f]?)range($i,$x=[f]?)"],
    ["{{f ($x := 1)}}", "<[f ($x:=[1])]>"],
    ["{{f 'a'|g}}", "<[f 'a']|[g]>"],
  ];
  for (const [text, expected] of read) {
    it(`the parser reads ${text}`, () => {
      const { nodes, problems } = parse(text);
      assert.deepEqual(problems, []);
      assert.equal(shown(nodes), expected);
    });
  }

  const open = (place: number, word: string) =>
    `${place} \`{{${word}}}\` is not closed: \`{{end}}\` is missing.`;
  const refused: readonly (readonly [text: string, ...expected: string[]])[] = [
    ["{{}}", "2 A value is missing here."],
    ["{{f (}}", "5 A value is missing here."],
    ["{{if}}a{{end}}", "4 A value is missing here."],
    ["{{if .A}}{{else if}}{{end}}", "18 A value is missing here."],
    ["{{f := 1}}", "4 `:=` is not allowed here."],
    ["{{$x, f := 1}}", "4 `,` is not allowed here."],
    ["{{f | | g}}", "6 `|` is not allowed here."],
    ["{{ /* a */}}", "3 `/* a */` is not allowed here."],
    ["{{/* a */}}{{f /* b */}}", "15 `/* b */` is not allowed here."],
    ["{{f()}}", "3 `(` is not allowed here."],
    ["{{.A.}}", "4 `.` is not allowed here."],
    ["{{f if}}", "4 `if` is not allowed here."],
    ["{{f (g}}", "4 `(` is not closed: `)` is missing."],
    ["{{else}}", "0 `{{else}}` is not allowed here."],
    ['{{define "a"}}{{else}}{{end}}', "14 `{{else}}` is not allowed here."],
    ['{{block "a" .}}{{else}}{{end}}', "15 `{{else}}` is not allowed here."],
    ["{{if .A}}{{else}}{{else}}{{end}}", "17 `{{else}}` is not allowed here."],
    ["{{range 3}}{{else range 3}}{{end}}", "18 `range` is not allowed here."],
    ["{{if .A}}{{else with .B}}{{end}}", "16 `with` is not allowed here."],
    ["{{if .A}}{{end .B}}", "15 `.B` is not allowed here."],
    ["{{end}}", "0 `{{end}}` has nothing to close."],
    ["{{if .A}}{{range 3}}", open(0, "if"), open(9, "range")],
    // What is not read is scanned.
    ['{{template "a}}{{break !}}', '11 `"` is not closed.', "23 `!` is not allowed here."],
    ["{{if !}}{{else !}}{{end !}}", ...[5, 15, 24].map((place) => `${place} \`!\` is not allowed here.`)],
    ["{{/* a */ b}}", "2 `/*` is not closed."],
  ];
  for (const [text, ...expected] of refused) {
    it(`the parser reports what is wrong with ${text}`, () => assert.deepEqual(errors(text), expected));
  }

  it("the parser keeps the structure around parts that it cannot read", () => {
    const { nodes } = parse('{{if "}}a{{else}}b{{end}}{{range 2}}{{)}}c{{end}}{{if .D}}e');
    assert.equal(shown(nodes), "if(?a:b)range([2]?<unreadable>c)if([.D]?e)");
  });

  it("the parser reports unknown functions and fields, and continues after them", () => {
    const text = "{{nope (.A.B | no)}}{{if .C}}{{$x.D}}{{.A}}";
    const { nodes, problems } = parseTemplate(text, (name) =>
      ["nope", ".A"].includes(name) ? undefined : `unknown ${name}`,
    );
    const found = problems.map(({ offset, message }) => [offset, message]);
    assert.deepEqual(found, [
      [10, "unknown .B"],
      [15, "unknown no"],
      [25, "unknown .C"],
      [33, "unknown .D"],
      [20, "`{{if}}` is not closed: `{{end}}` is missing."],
    ]);
    assert.equal(shown(nodes), "<[nope ([.A.B]|[no])]>if([.C]?<[$x.D]><[.A]>)");
  });

  it("the parser stops after a limited number of problems", () =>
    assert.equal(parse("{{end}}".repeat(mostProblems + 1)).problems.length, mostProblems));

  it("the parser rethrows errors that are not problems of the template", () => {
    const defect = new Error("defect");
    const whyUnknown = (): never => {
      throw defect;
    };
    assert.throws(() => parseTemplate("{{f}}", whyUnknown), defect);
  });

  it("the parser reads structures of any depth, and parentheses up to 1,000 levels", () => {
    assert.deepEqual(errors("{{if .A}}".repeat(100_000) + "{{end}}".repeat(100_000)), []);
    assert.deepEqual(errors(`{{${"(".repeat(1000)}f${")".repeat(1000)}}}`), []);
    assert.deepEqual(errors(`{{${"(f) ".repeat(1001)}}}`), []);
    assert.deepEqual(errors(`{{${"(".repeat(100_000)}f}}`), ["1002 `(` is not allowed here."]);
  });
});

describe("templateFunctions", () => {
  const ofTheService =
    "random truncate truncate_sha256 uppercase lowercase replace sha256 base64 unix_time unix_time_millis timestamp uuid utf16le";
  const builtIn = "and or not len index slice print println printf html js urlquery call eq ne lt le gt ge";

  it("the template functions are the documented ones, with those that only LDIF has, and those of the language", () => {
    assert.deepEqual([...templateFunctions.keys()].sort(), `${ofTheService} ${builtIn}`.split(" ").sort());
    const ldifOnly = [...templateFunctions].filter(([, part]) => part === "ldif");
    assert.deepEqual(ldifOnly, [["utf16le", "ldif"]]);
  });
});
