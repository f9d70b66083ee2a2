import type { Token } from "./lexer";
import { quoted } from "./quoted";
import type { Constant } from "./syntax";
import { SyntaxProblem } from "./syntax-problem";

const names: ReadonlyMap<string, Constant> = new Map([
  ["true", true],
  ["false", false],
  ["nil", null],
]);

/**
 * The value of a constant; `undefined` for other words.
 *
 * @throws SyntaxProblem when it begins like one
 */
export function constantOf({ kind, text, offset }: Token): Constant | undefined {
  switch (kind) {
    case "name":
      return names.get(text);
    case "number": {
      const hint = /^[+-]$/.test(text) ? "; strings need quotes" : "";
      const problem = `${quoted(text)} is not a number${hint}.`;
      return literalNumber(text) ?? fail(offset, problem, `bad number syntax: ${JSON.stringify(text)}`);
    }
    case "string": {
      const problem = `${quoted(text)} contains an invalid escape sequence.`;
      return literalText(text) ?? fail(offset, problem, "invalid syntax");
    }
    case "character": {
      const [character, ...more] = literalText(text) ?? "";
      const problem = `${quoted(text)} is not a single character; strings need double quotes.`;
      return character === undefined || more.length > 0
        ? fail(offset, problem, `malformed character constant: ${text}`)
        : BigInt(character.codePointAt(0) ?? 0);
    }
    default:
      return undefined;
  }
}

function fail(offset: number, message: string, reason: string): never {
  throw new SyntaxProblem(offset, message, reason);
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};

const escape = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|([^]))/g;

/**
 * The value of a string literal.
 *
 * @param source with its quotes: `"interpreted"`, `` `raw` `` or `'c'`
 * @returns `undefined` when it holds an escape sequence which the language does not have
 */
export function literalText(source: string): string | undefined {
  const inner = source.slice(1, -1);
  if (source.startsWith("`")) {
    return inner.replaceAll("\r", "");
  }
  let valid = true as boolean;
  const text = inner.replace(
    escape,
    (_, hexByte?: string, short?: string, long?: string, octalByte?: string, letter?: string) => {
      if (letter !== undefined) {
        const character = letter === source[0] ? letter : simpleEscapes[letter];
        valid &&= character !== undefined;
        return character ?? "";
      }
      const code =
        octalByte === undefined
          ? Number.parseInt(hexByte ?? short ?? long ?? "", 16)
          : Number.parseInt(octalByte, 8);
      const most = octalByte === undefined ? 0x10ffff : 0xff;
      const isCharacter = code <= most && !(code >= 0xd800 && code <= 0xdfff);
      valid &&= isCharacter;
      return isCharacter ? String.fromCodePoint(code) : "";
    },
  );
  return valid ? text : undefined;
}

const integer = /^[+-]?(?:0|[1-9]\d*)$/;
/** Floating-point and complex numbers, other bases, and underscores between digits. */
const other =
  /^[+-]?(?:0[xX](?:_?[\da-fA-F])+|0[oO]?(?:_?[0-7])+|0[bB](?:_?[01])+|\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?(?:[eE][+-]?\d+(?:_\d+)*)?|\.\d+(?:_\d+)*(?:[eE][+-]?\d+(?:_\d+)*)?|[\d.].*i|0[xX].*[pP].*)$/;

/** Longer ones are no numbers that anybody meant, and take long to read. */
const longestNumber = 1000;

/**
 * The value of an integer such as `10` or `-1`; NaN for any other number.
 *
 * @returns `undefined` when it is none, or an integer that 64 bits cannot hold
 */
export function literalNumber(source: string): bigint | number | undefined {
  if (source.length > longestNumber) {
    return undefined;
  }
  if (integer.test(source)) {
    const value = BigInt(source.replace("+", ""));
    return BigInt.asIntN(64, value) === value ? value : undefined;
  }
  return other.test(source) ? Number.NaN : undefined;
}
