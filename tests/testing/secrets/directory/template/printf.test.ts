import assert from "node:assert/strict";
import { render } from "./render";

const formats: readonly [string, string][] = [
  ['printf "%s-%d" .Username 3', "v_ada-3"],
  ['printf "%5d|%-5d|%05d" 3 4 5', "    3|4    |00005"],
  ['printf "%05d" -42', "-0042"],
  ['printf "%q" "a\\tb\\x01é\\""', '"a\\tb\\x01é\\""'],
  ['printf "%x %x" "é" 255', "c3a9 ff"],
  ['printf "%v %v %v" 1 "a" true', "1 a true"],
  ['printf "%4s|%-4sx" "é" "ab"', "   é|ab  x"],
  ['printf "%d%%" 5', "5%"],
  ['printf "%s" (utf16le "a")', "a\0"],
];

const refused: readonly [string, RegExp][] = [
  ['printf "%d" "x"', /printf does not know %d of a value of type string/],
  ['printf "%s" 3', /printf does not know %s of a value of type int/],
  ['printf "%z" 1', /printf does not know %z/],
  ['printf "%.2s" "abc"', /printf does not know %\./],
  ['printf "%[2]s %[1]s" "a" "b"', /printf does not know %\[/],
  ['printf "%*d" 5 3', /printf does not know %\*/],
  ['printf "%" 3', /printf does not know % /],
  ['printf "%s"', /printf does not know %s without a value/],
  ['printf "%s" "a" "b"', /printf has 1 values too many/],
  ["printf 3", /expected string; got int/],
];

describe("printf", () => {
  for (const [action, text] of formats) {
    it(`makes ${JSON.stringify(text)} of ${action}`, () => {
      assert.equal(render(`{{${action}}}`), text);
    });
  }

  for (const [action, reason] of refused) {
    it(`is refused: ${action}`, () => {
      assert.throws(() => render(`{{${action}}}`), reason);
    });
  }
});
