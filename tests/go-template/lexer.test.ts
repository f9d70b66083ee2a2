import assert from "node:assert/strict";
import fc from "fast-check";
import { divide, type Segment } from "../../sdk/go-template/lexer";
import type { SyntaxProblem } from "../../sdk/go-template/syntax-problem";
import { templateText } from "./arbitraries";

function read(text: string): { segments: Segment[]; problems: SyntaxProblem[] } {
  const problems: SyntaxProblem[] = [];
  return { segments: [...divide(text, (problem) => problems.push(problem))], problems };
}

/** Segments in short: text as it is, comments as `#`, the words of actions between angle brackets. */
const segments = (text: string): string[] =>
  read(text).segments.map((segment) => {
    switch (segment.kind) {
      case "text":
        return segment.text;
      case "comment":
        return "#";
      case "action":
        return `<${segment.tokens.map((token) => token.text).join(" ")}${segment.broken ? " ..." : ""}>`;
    }
  });

const errors = (text: string): string[] =>
  read(text).problems.map(({ offset, message }) => `${offset} ${message}`);

/** The kinds of the words of an action; `_` when white space stands before. */
const kinds = (words: string): string[] => {
  const [action] = read(`{{${words}}}`).segments;
  assert.ok(action?.kind === "action" && !action.broken);
  return action.tokens.map((token) => `${token.spaced ? "_" : ""}${token.kind}`);
};

describe("divide", () => {
  it("tells text, actions and comments apart", () => {
    assert.deepEqual(segments("a {{.B}}{{/* c */}} d"), ["a ", "<.B>", "#", " d"]);
    assert.deepEqual(segments(""), []);
    assert.deepEqual(segments("{ } }} {"), ["{ } }} {"]);
  });

  it("removes the white space that trim markers name", () => {
    assert.deepEqual(segments("a \n{{- .B -}}\n\t c"), ["a", "<.B>", "c"]);
    assert.deepEqual(segments("a {{- /* b */ -}} c"), ["a", "#", "c"]);
    assert.deepEqual(segments("{{.A -}} \n {{- .B}}"), ["<.A>", "<.B>"]);
    assert.deepEqual(segments("a {{.B}} c"), ["a ", "<.B>", " c"]);
    assert.deepEqual(segments("a\u00a0{{- .B -}}\v"), ["a\u00a0", "<.B>", "\v"]);
  });

  it("does not treat a minus as a trim marker", () => {
    assert.deepEqual(segments("a {{-1}}"), ["a ", "<-1>"]);
  });

  it("keeps the places of what is left", () => {
    assert.deepEqual(
      read("ab {{- .C -}} de").segments.map(({ offset }) => offset),
      [0, 3, 14],
    );
  });

  it("does not end an action within a literal", () => {
    assert.deepEqual(segments('{{"}}"}}{{`}}`}}'), ['<"}}">', "<`}}`>"]);
    assert.deepEqual(segments(String.raw`{{"\"}}"}}`), [String.raw`<"\"}}">`]);
  });

  it("goes on behind what it cannot read", () => {
    assert.deepEqual(segments("{{.A é! \u0001 }} b {{.C}}"), ["<.A ...>", " b ", "<.C>"]);
    assert.deepEqual(segments("{{.A b {{.C}}"), ["<.A b ...>", "<.C>"]);
    assert.deepEqual(errors("{{.A b {{.C}}"), ["0 The action is not closed: `}}` is missing."]);
    assert.deepEqual(errors("{{.A\ndn: x {{.C}}"), ["0 The action is not closed: `}}` is missing."]);
    assert.deepEqual(errors('{{"a\n}}{{.C}}'), [
      '2 The string that begins here is not closed: `"` is missing on this line.',
    ]);
    assert.deepEqual(errors("{{/* a }}{{.A}}"), ["0 The comment is not closed: `*/}}` is missing."]);
  });

  it("says in the words of servers what is wrong, and where they notice it", () => {
    for (const [text, reason, place] of [
      ["a\n{{.B", "unclosed action", 6],
      ["{{/* a", "unclosed comment", 2],
      ["{{/* a */ }}", "comment ends before closing delimiter", 9],
      ['{{a"b"}}', "bad character U+0022 '\"'", 3],
      ["{{\u0001}}", "unrecognized character in action: U+0001", 2],
      ["{{$x:1}}", "expected :=", 4],
      ["{{'a}}", "unterminated character constant", 2],
    ] as const) {
      const [problem] = read(text).problems;
      assert.deepEqual([problem?.reason, problem?.place], [reason, place], text);
    }
  });

  const words: readonly [string, readonly string[]][] = [
    [".Username", ["field"]],
    [".A.B", ["field", "field"]],
    [".", ["dot"]],
    ["$", ["variable"]],
    ["$x.A", ["variable", "field"]],
    ["random 10", ["name", "_number"]],
    ["if true", ["keyword", "_name"]],
    [".5 1.e3 0x1p-2 1+2i - -3", ["number", "_number", "_number", "_number", "_number", "_number"]],
    ["'c' \"s\" `r`", ["character", "_string", "_string"]],
    ["(a)|b", ["sign", "name", "sign", "sign", "name"]],
    ["$i, $x := 1", ["variable", "sign", "_variable", "_sign", "_number"]],
    ["$x = 1", ["variable", "_sign", "_number"]],
    ["été_1", ["name"]],
    ["a\n\t\r b", ["name", "_name"]],
  ];
  for (const [text, expected] of words) {
    it(`reads the words ${JSON.stringify(text)}`, () => {
      assert.deepEqual(kinds(text), expected);
    });
  }

  it("puts all text outside of actions into segments, in order", () => {
    fc.assert(
      fc.property(templateText, (text) => {
        let end = 0;
        for (const segment of read(text).segments) {
          assert.ok(segment.offset >= end);
          end = segment.offset;
          if (segment.kind === "text") {
            assert.equal(text.slice(segment.offset, segment.offset + segment.text.length), segment.text);
            end += segment.text.length;
          }
        }
      }),
    );
  });

  it("reads literals of any length", () => {
    for (const quote of ['"', "'", "`"]) {
      const literal = quote + "x\\\\".repeat(1_000_000) + quote;
      assert.deepEqual(segments(`{{${literal}}}`), [`<${literal}>`]);
      assert.equal(errors(`{{${literal.slice(0, -1)}`).length, 1);
    }
  });
});
