import assert from "node:assert/strict";
import fc from "fast-check";
import { Problems } from "../../../../sdk/secrets/directory/template/finding";
import { lex } from "../../../../sdk/secrets/directory/template/lexer";
import { templateText } from "./arbitraries";

/** Segments in short: text as it is, comments as `#`, the words of actions between angle brackets. */
function segments(text: string, problems = new Problems()): string[] {
  return lex(text, problems).map((segment) => {
    switch (segment.kind) {
      case "text":
        return segment.text;
      case "comment":
        return "#";
      case "action":
        return `<${segment.tokens.map((token) => token.text).join(" ")}${segment.broken ? " ..." : ""}>`;
    }
  });
}

const errors = (text: string): string[] => {
  const problems = new Problems();
  segments(text, problems);
  return problems.findings(text).map(({ line, column, message }) => `${line}:${column} ${message}`);
};

describe("lex", () => {
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
  });

  it("does not take a minus for a trim marker", () => {
    assert.deepEqual(segments("a {{-1}}"), ["a ", "<-1>"]);
  });

  it("keeps the places of what is left", () => {
    const [before, action, after] = lex("ab {{- .C -}} de", new Problems());
    assert.equal(before?.offset, 0);
    assert.equal(action?.offset, 3);
    assert.equal(after?.offset, 14);
  });

  it("does not end an action within a literal", () => {
    assert.deepEqual(segments('{{"}}"}}{{`}}`}}'), ['<"}}">', "<`}}`>"]);
    assert.deepEqual(segments(String.raw`{{"\"}}"}}`), [String.raw`<"\"}}">`]);
  });

  it("goes on behind what it cannot read", () => {
    assert.deepEqual(segments("{{.A é! \u0001 }} b {{.C}}"), ["<.A ...>", " b ", "<.C>"]);
    assert.deepEqual(segments("{{.A b {{.C}}"), ["<.A b ...>", "<.C>"]);
    assert.deepEqual(errors("{{.A b {{.C}}"), ["1:1 The action is not closed: `}}` is missing."]);
    assert.deepEqual(errors("{{.A\ndn: x {{.C}}"), ["1:1 The action is not closed: `}}` is missing."]);
    assert.deepEqual(errors('{{"a\n}}{{.C}}'), [
      '1:3 The string that begins here is not closed: `"` is missing on this line.',
    ]);
    assert.deepEqual(errors("{{/* a"), ["1:1 The comment is not closed: `*/}}` is missing."]);
  });

  it("puts all text outside of actions into segments, in order", () => {
    fc.assert(
      fc.property(templateText, (text) => {
        let end = 0;
        for (const segment of lex(text, new Problems())) {
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
});
