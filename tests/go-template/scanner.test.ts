import assert from "node:assert/strict";
import fc from "fast-check";
import { divide } from "../../sdk/go-template/scanner";
import { templateText } from "./arbitraries";

/** Segments in short: text as it is, the words of actions between angle brackets. */
const segments = (text: string): string[] =>
  [...divide(text)].map((segment) =>
    segment.kind === "text"
      ? segment.text
      : `<${segment.tokens.map((token) => token.text).join(" ")}${segment.problem ? " ..." : ""}>`,
  );

const errors = (text: string): string[] =>
  [...divide(text)].flatMap((segment) =>
    segment.kind === "action" && segment.problem !== undefined
      ? [`${segment.problem.offset} ${segment.problem.message}`]
      : [],
  );

/** The kinds of the words of an action; `_` when white space stands before. */
const kinds = (words: string): string[] => {
  const [action] = divide(`{{${words}}}`);
  assert.ok(action?.kind === "action" && action.problem === undefined);
  return action.tokens.map((token) => `${token.spaced ? "_" : ""}${token.kind}`);
};

describe("divide", () => {
  const divided: readonly (readonly [text: string, ...expected: string[]])[] = [
    [""],
    ["{ } }} {", "{ } }} {"],
    ["a {{.B}}{{/* c */}} d", "a ", "<.B>", "</* c */>", " d"],
    ["{{/***/}}{{/* a ** / * */}}", "</***/>", "</* a ** / * */>"],
    ["a \n{{- .B -}}\n\t c", "a", "<.B>", "c"],
    ["a {{- /* b */ -}} c", "a", "</* b */>", "c"],
    ["{{.A -}} \n {{- .B}}", "<.A>", "<.B>"],
    ["a\u00a0{{- .B -}}\v", "a\u00a0", "<.B>", "\v"],
    ["a\r\t{{-\t.B\t-}}\r\n", "a", "<.B>"],
    // A minus is no trim marker.
    ["a {{-1}}", "a ", "<-1>"],
    // An action does not end within a literal.
    ['{{"}}"}}{{`}}`}}', '<"}}">', "<`}}`>"],
    [String.raw`{{"\"}}"}}`, String.raw`<"\"}}">`],
    [String.raw`{{'\'}}'}}`, String.raw`<'\'}}'>`],
    // What cannot be read does not hide the rest.
    ["{{.A é! \u0001 }} b {{.C}}", "<.A é ...>", " b ", "<.C>"],
    ["{{.A b {{.C}}", "<.A b ...>", "<.C>"],
    ["{{.A -}} b {{.C", "<.A>", "b ", "<.C ...>"],
    ["{{! -}} b", "< ...>", " b"],
  ];
  for (const [text, ...expected] of divided) {
    it(`the scanner splits this text into tokens: ${JSON.stringify(text)}`, () =>
      assert.deepEqual(segments(text), expected));
  }

  const refused: readonly (readonly [text: string, ...expected: string[]])[] = [
    ["a\n{{.B", "2 The action is not closed: `}}` is missing."],
    ["{{.A\ndn: x {{.C}}", "0 The action is not closed: `}}` is missing."],
    ['{{"a\n}}{{.C}}', '2 `"` is not closed.'],
    ["{{`a}}", "2 ``` is not closed."],
    ["{{/* a }}{{.A}}", "2 `/*` is not closed."],
    ["{{/* a */ }}", "2 `/*` is not closed."],
    ["{{.A-}}", "4 `-` is not allowed here."],
    ["{{-.A}}", "2 `-` is not allowed here."],
    ["{{f / 2}}", "4 `/` is not allowed here."],
    ["{{f 😀}}", "4 `😀` is not allowed here."],
    ["{{!}}{{~}}", "2 `!` is not allowed here.", "7 `~` is not allowed here."],
  ];
  for (const [text, ...expected] of refused) {
    it(`the scanner reports what is wrong with ${JSON.stringify(text)}`, () =>
      assert.deepEqual(errors(text), expected));
  }

  const words: readonly [string, string][] = [
    [".Username", "field"],
    [".A.B .C", "field field _field"],
    [".", "sign"],
    ["$x.A $", "variable field _variable"],
    ["random 10", "name _constant"],
    ["if true false nil", "keyword _constant _constant _constant"],
    ["block break continue define else end range template with", "keyword" + " _keyword".repeat(8)],
    [".5 1.e3 0x1p-2 1+2i -3 +3 1_0", "constant" + " _constant".repeat(6)],
    [String.raw`'c' "\"s" ${"`r\n`"}`, "constant _constant _constant"],
    ["(a)|b", "sign name sign sign name"],
    ["$i, $x := 1", "variable sign _variable _sign _constant"],
    ["$x = 1", "variable _sign _constant"],
    ["été_1", "name"],
    ["a\n\t\r b", "name _name"],
    ["/* a */", "comment"],
    [" /* a */", "_comment"],
  ];
  for (const [text, expected] of words) {
    it(`the scanner reads the words ${JSON.stringify(text)}`, () =>
      assert.deepEqual(kinds(text), expected.split(" ")));
  }

  it("the scanner puts all text outside actions into segments, in order", () =>
    fc.assert(
      fc.property(templateText, (text) => {
        let end = 0;
        for (const segment of divide(text)) {
          assert.ok(segment.offset >= end);
          end = segment.offset;
          if (segment.kind === "text") {
            assert.equal(text.slice(segment.offset, segment.offset + segment.text.length), segment.text);
            end += segment.text.length;
          }
        }
      }),
    ));

  it("the scanner reads words of any length", () => {
    for (const quote of ['"', "'", "`"]) {
      const literal = quote + "x\\\\".repeat(1_000_000) + quote;
      assert.deepEqual(segments(`{{${literal}}}`), [`<${literal}>`]);
      assert.equal(errors(`{{${literal.slice(0, -1)}`).length, 1);
    }
    const comment = `/*${" * /".repeat(1_000_000)}*/`;
    assert.deepEqual(segments(`{{${comment}}}`), [`<${comment}>`]);
  });
});
