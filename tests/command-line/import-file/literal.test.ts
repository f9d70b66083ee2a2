import assert from "node:assert/strict";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { format } from "prettier";
import { literal, textLiteral } from "../../../sdk/command-line/import-file/literal";
import type { JsonValue } from "../../../sdk/base/json";

const evaluated = (text: string): unknown =>
  JSON.parse(JSON.stringify(runInNewContext(`(${text})`))) as unknown;

describe("values in program text", () => {
  it("are read back as what they were", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as JsonValue;
        assert.deepEqual(evaluated(literal(plain, "", 0)), plain);
      }),
      { examples: [[{ ["__proto__"]: "" }], [{ "\n": 0 }]] },
    );
  });

  it("are texts that can do nothing else, whatever is in them", () => {
    const part = fc.constantFrom(
      "`",
      "${",
      "}",
      "\\",
      '"',
      "'",
      "\n",
      "\r",
      "\u2028",
      "\u202e",
      "\0",
      "*/",
      "x",
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = parts.join("");
        const written = textLiteral(text);
        assert.equal(runInNewContext(written), text);
        assert.doesNotMatch(written, /[^\P{C}\n]|\u2028/u);
      }),
    );
  });

  it("keep the lines of a text", () => {
    assert.equal(textLiteral("dn: {{.Username}}\nx: ${y}`\\"), "`dn: {{.Username}}\nx: \\${y}\\`\\\\`");
  });

  it("are laid out as a formatter would", async () => {
    const value = {
      list: ["run:needs_attention", "run:completed", "run:errored", "assessment:drifted"],
      short: ["a", "b"],
      nested: { "with space": 'say "x"', both: `"'`, empty: [], none: {} },
      number: 1.5,
      nothing: null,
    };
    const text = `x(${literal(value, "", 2)});\n`;
    assert.equal(await format(text, { parser: "typescript" }), text);
  });
});
