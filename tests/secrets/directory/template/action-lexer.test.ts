import assert from "node:assert/strict";
import { ActionLexer, closingLength, isSpace } from "../../../../sdk/secrets/directory/template/action-lexer";
import { SyntaxProblem } from "../../../../sdk/secrets/directory/template/token";

const kinds = (text: string): string[] => {
  const lexer = new ActionLexer(`${text}}}`, 0);
  lexer.read();
  return lexer.tokens.map((token) => `${token.spaced ? "_" : ""}${token.kind}`);
};

describe("ActionLexer", () => {
  const words: readonly [string, readonly string[]][] = [
    [".Username", ["field"]],
    [".A.B", ["field", "field"]],
    [".", ["dot"]],
    ["$", ["variable"]],
    ["$x.A", ["variable", "field"]],
    ["random 10", ["identifier", "_number"]],
    ["if true", ["keyword", "_boolean"]],
    ["nil", ["keyword"]],
    [".5 1.e3 0x1p-2 1+2i -3", ["number", "_number", "_number", "_number", "_number"]],
    ["'c' \"s\" `r`", ["character", "_string", "_string"]],
    ["(a)|b", ["open", "identifier", "close", "pipe", "identifier"]],
    ["$i, $x := 1", ["variable", "symbol", "_variable", "_declare", "_number"]],
    ["$x = 1", ["variable", "_assign", "_number"]],
    ["été_1", ["identifier"]],
    ["a\n\t\r b", ["identifier", "_identifier"]],
    ["~", ["symbol"]],
  ];
  for (const [text, expected] of words) {
    it(`reads ${JSON.stringify(text)}`, () => {
      assert.deepEqual(kinds(text), expected);
    });
  }

  const refused: readonly [string, number][] = [
    ["a$", 1],
    [".A-}", 2],
    ["1x", 0],
    ["$x:1", 2],
    ["a \u00a0", 2],
    ["'a", 0],
    ["`a", 0],
    ['"a\n"', 0],
    ['"a\\', 0],
    ["a {{b", 2],
  ];
  for (const [text, offset] of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => kinds(text),
        (error) => error instanceof SyntaxProblem && error.offset === offset,
      );
    });
  }

  it("refuses to read over the end of the text", () => {
    assert.throws(() => new ActionLexer("a b", 0).read(), SyntaxProblem);
  });
});

describe("closingLength", () => {
  it("knows both ends of an action", () => {
    assert.equal(closingLength("a}}", 1), 2);
    assert.equal(closingLength("a -}}", 1), 4);
    assert.equal(closingLength("a-}}", 1), 0);
    assert.equal(closingLength("a }}", 1), 0);
  });
});

describe("isSpace", () => {
  it("knows the four kinds of white space of the language", () => {
    assert.deepEqual([" ", "\t", "\r", "\n", "\v", "\u00a0", "a", undefined].map(isSpace), [
      true,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
