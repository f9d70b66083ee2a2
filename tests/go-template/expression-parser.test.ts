import assert from "node:assert/strict";
import { ExpressionParser } from "../../sdk/go-template/expression-parser";
import { divide } from "../../sdk/go-template/lexer";
import type { Operand, Pipeline } from "../../sdk/go-template/syntax";
import { SyntaxProblem } from "../../sdk/go-template/syntax-problem";

const fail = (problem: SyntaxProblem): never => assert.fail(problem);

function parserOf(words: string, index = 0): ExpressionParser {
  const text = `{{${words}}}`;
  const [action] = divide(text, fail);
  assert.equal(action?.kind, "action");
  return new ExpressionParser(action, index, {
    text,
    unknownFunction: () => undefined,
    hasVariable: () => true,
    declare: () => undefined,
    report: fail,
  });
}

function read(words: string, context = "command"): Pipeline {
  const parser = parserOf(words);
  const pipeline = parser.pipeline(context);
  parser.requireEnd(context);
  return pipeline;
}

/** An expression with all its parentheses. */
function shown({ variables, declares, commands }: Pipeline): string {
  const sign = variables.length === 0 ? "" : declares ? ":=" : "=";
  const parts = commands.map(({ first, parameters }) => `[${[first, ...parameters].map(operand).join(" ")}]`);
  return `${variables.join(",")}${sign}${parts.join("|")}`;
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
    ["f |", "[f]"],
    ["f (g |)", "[f ([g])]"],
  ];
  for (const [text, expected] of expressions) {
    it(`reads ${text}`, () => {
      assert.equal(shown(read(text)), expected);
    });
  }

  it("keeps what is written", () => {
    const { commands } = read("f  (g 1).A | h");
    assert.deepEqual(
      commands.map(({ source, first, parameters }) => [source, first, ...parameters].length),
      [3, 2],
    );
    assert.deepEqual(
      [commands[0].source, commands[0].parameters[0]?.source, commands[1]?.source],
      ["f  (g 1).A", "(g 1).A", "h"],
    );
  });

  it("reads two variables only for range", () => {
    assert.equal(shown(read("$i, $x := f", "range")), "$i,$x:=[f]");
    assert.throws(() => read("$i, $x := f"), /Only `range` can set two variables/);
  });

  it("makes sure of the end", () => {
    assert.throws(
      () => parserOf("else b", 1).requireEnd("else"),
      /Nothing can follow `else` here, not `b`\./,
    );
    parserOf("end", 1).requireEnd("end");
  });

  const refused: readonly [string, number, string][] = [
    ["", 0, "missing value for command"],
    ["| f", 0, 'unexpected "|" in command'],
    ["f | | g", 4, 'unexpected "|" in command'],
    ["f | .", 4, "non executable command in pipeline stage 2"],
    ["f | nil", 4, "non executable command in pipeline stage 2"],
    ["f()", 1, 'unexpected "(" in operand'],
    ["f (g", 2, "unclosed left paren"],
    ["f ()", 3, "missing value for parenthesized pipeline"],
    ["f )", 2, "unexpected right paren"],
    ["f if", 2, "unexpected <if> in operand"],
    ["f := 1", 2, 'unexpected ":=" in operand'],
    ["f , g", 2, 'unexpected "," in operand'],
    ["f '' ", 2, "malformed character constant: ''"],
    ['f "\\z"', 2, "invalid syntax"],
    ["f - g", 2, 'bad number syntax: "-"'],
    ["1.A", 0, 'bad number syntax: "1.A"'],
    ["true.A", 4, 'unexpected . after term "true"'],
    [".A.", 2, "unexpected <.> in operand"],
  ];
  for (const [text, offset, reason] of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => read(text),
        (error) => {
          assert.ok(error instanceof SyntaxProblem);
          assert.deepEqual([error.offset - 2, error.reason], [offset, reason]);
          return true;
        },
      );
    });
  }
});
