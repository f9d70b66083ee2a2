import assert from "node:assert/strict";
import fc from "fast-check";
import { processRedactor } from "../../sdk/base/redactor";
import { colored, joined, showable, showableJson } from "../../sdk/base/shown-text";
import { dangersIn } from "../support/texts";

describe("showable", () => {
  const rows: readonly [what: string, text: string, shown: string][] = [
    ["a plain text", "all is  well: a#b, ::1", "all is  well: a#b, ::1"],
    ["letters of any alphabet", "é漢字🙂", "é漢字🙂"],
    ["colors", "\u001b[31mred\u001b[0m", " [31mred [0m"],
    ["a sequence that sets the window title", "a\u001b]0;title\u0007b", "a ]0;title b"],
    ["a C1 escape sequence", "a\u009b31mb", "a 31mb"],
    ["half an escape sequence", "a\u001bb", "a b"],
    ["a carriage return that would overwrite the line", "a\rb", "a b"],
    ["several lines", "a\r\n\nb\u2028c\u2029d\u0085e\u000bf", "a b c d e f"],
    ["backspaces as nothing", "a\b\bb\0c\u007f", "a b c "],
    ["characters that reorder the line", "a\u202egnp.exe\u2066b", "a gnp.exe b"],
    ["invisible characters", "a\u200bb\ufeffc\u00add\u{e0041}e", "a b c d e"],
    ["half a character", "a\ud800b", "a b"],
    ["a GitHub command", "::error::x", ": :error::x"],
    ["the same after a line break", "\n ::set-output name=a::b", "  : :set-output name=a::b"],
    ["an old GitHub command", "a ##[error]b", "a # #[error]b"],
    ["an Azure command", "a ##vso[task.setvariable variable=x]y", "a # #vso[task.setvariable variable=x]y"],
    ["a TeamCity command", "##teamcity[buildStop]", "# #teamcity[buildStop]"],
  ];
  for (const [what, text, shown] of rows) {
    it(`showable shows ${what}`, () => assert.equal(showable(text), shown));
  }

  it("a shown text is limited in length, and does not split a character", () => {
    assert.equal(showable("~".repeat(601), 600), `${"~".repeat(600)}...`);
    assert.equal(showable("~".repeat(600), 600), "~".repeat(600));
    assert.equal(showable("ab🙂c", 3), "ab...");
    assert.ok(showable("~".repeat(1_000_000)).length < 11_000);
  });

  it("showable hides secrets before it shortens the text, even one with characters that it removes", () => {
    processRedactor.register("canary-shown\u001b[31m-secret");
    assert.equal(showable("a canary-shown\u001b[31m-secret b", 20), "a [secret] b");
    assert.equal(showable(`${"~".repeat(10)}canary-shown\u001b[31m-secret`, 14), `${"~".repeat(10)}[sec...`);
  });

  it("showable does not change its own output", () =>
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const once = showable(text);
        assert.deepEqual(dangersIn(once), []);
        assert.equal(showable(once), once);
      }),
    ));
});

describe("showableJson", () => {
  it("showableJson escapes what showable removes, so that nothing is lost", () => {
    const value = { name: "a\u009b31m\u2028b\u202ec\u{e0041}", command: "##vso[x]", "##[k": ["\u001b[2J\n"] };
    const text = showableJson(value);
    assert.deepEqual(dangersIn(text), []);
    assert.deepEqual(JSON.parse(text), value);
  });

  it("showableJson returns JSON for the same value, whatever the value is", () =>
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const text = showableJson(value);
        assert.deepEqual(dangersIn(text), []);
        assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      }),
    ));
});

it("a text composed of shown texts can be colored", () =>
  assert.equal(joined(showable("a "), colored(showable("b"), 31)), "a \u001b[31mb\u001b[0m"));
