import assert from "node:assert/strict";
import { ActionLexer } from "../../../../sdk/secrets/directory/template/action-lexer";
import {
  ExpressionParser,
  type PipelinePlace,
} from "../../../../sdk/secrets/directory/template/expression-parser";
import type { Operand, Pipeline } from "../../../../sdk/secrets/directory/template/syntax";
import { SyntaxProblem } from "../../../../sdk/secrets/directory/template/token";

function parserOf(text: string): ExpressionParser {
  const lexer = new ActionLexer(`${text}}}`, 0);
  return new ExpressionParser(lexer.tokens, lexer.read());
}

const read = (text: string, place: PipelinePlace = "action"): Pipeline => parserOf(text).pipeline(place);

/** An expression with all its parentheses. */
function shown({ variables, assigns, commands, unusedPipe }: Pipeline): string {
  const names = variables.map(({ name }) => name).join(",");
  const sign = variables.length === 0 ? "" : assigns ? "=" : ":=";
  const parts = commands.map(({ first, parameters }) => `[${[first, ...parameters].map(operand).join(" ")}]`);
  return `${names}${sign}${parts.join("|")}${unusedPipe === undefined ? "" : "|"}`;
}

function operand(part: Operand): string {
  switch (part.kind) {
    case "group":
      return `(${shown(part.pipeline)})`;
    case "fields":
      return `${part.of === undefined ? "" : operand(part.of)}${part.names.map(({ name }) => `.${name}`).join("")}`;
    default:
      return part.source;
  }
}

describe("ExpressionParser", () => {
  const expressions: readonly [string, string][] = [
    [".A", "[.A]"],
    [".A.B", "[.A.B]"],
    ["$x.A .B", "[$x.A .B]"],
    ["f 1 true nil . $", "[f 1 true nil . $]"],
    ["f | g 1 | h", "[f]|[g 1]|[h]"],
    ["f (g 1 | h).A (.B)", "[f ([g 1]|[h]).A ([.B])]"],
    ["$x := f", "$x:=[f]"],
    ["$x = f", "$x=[f]"],
    ["f ($x := 1)", "[f ($x:=[1])]"],
    ["f |", "[f]|"],
  ];
  for (const [text, expected] of expressions) {
    it(`reads ${text}`, () => {
      assert.equal(shown(read(text)), expected);
    });
  }

  it("reads two variables only for range", () => {
    assert.equal(shown(read("$i, $x := f", "range")), "$i,$x:=[f]");
    assert.throws(() => read("$i, $x := f"), SyntaxProblem);
  });

  it("reads names of templates", () => {
    assert.deepEqual(parserOf('"a\\n"').templateName("template"), { name: "a\n", offset: 0 });
    assert.throws(
      () => parserOf("a").templateName("template"),
      /`template` needs a name in quotes, not `a`\./,
    );
  });

  it("makes sure of the end", () => {
    const parser = parserOf('"a" b');
    assert.throws(() => parser.expectEnd("end"), SyntaxProblem);
    assert.equal(parser.atEnd, false);
    parser.templateName("define");
    assert.throws(() => parser.expectEnd("define"), /Nothing can follow `define` here, not `b`\./);
    parserOf("").expectEnd("end");
    assert.equal(parserOf("").atEnd, true);
  });

  const refused: readonly [string, number][] = [
    ["", 0],
    ["| f", 0],
    ["f | | g", 4],
    ["f | .", 4],
    ["f | nil", 4],
    ["f()", 1],
    ["f (g", 2],
    ["f ()", 3],
    ["f )", 2],
    ["f if", 2],
    ["f := 1", 2],
    ["f , g", 2],
    ["f '' ", 2],
    ['f "\\z"', 2],
    ["f - g", 2],
    ["1.A", 0],
    ["true.A", 4],
    ["..A", 1],
  ];
  for (const [text, offset] of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => read(text),
        (error) => error instanceof SyntaxProblem && error.offset === offset,
      );
    });
  }
});
