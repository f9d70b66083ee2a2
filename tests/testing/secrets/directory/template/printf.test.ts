import assert from "node:assert/strict";
import { render } from "./render";

const formats: readonly [string, string][] = [
  ['printf "%s-%d" .Username 3', "v_ada-3"],
  ['printf "%5d|%-5d|%05d|%+d|% d" 3 4 5 6 7', "    3|4    |00005|+6| 7"],
  ['printf "%05d" -42', "-0042"],
  ['printf "%q" "a\\tb\\x01é\\""', '"a\\tb\\x01é\\""'],
  ['printf "%x %X %x" "abc" "abc" "é"', "616263 616263 c3a9"],
  ['printf "%x %#x %o %b" 255 255 8 5', "ff 0xff 10 101"],
  ['printf "%v %v %v %v %v" 1 "a" true 1.5 nil', "1 a true 1.5 <nil>"],
  ['printf "%.2s %10.2s|%-8sx" "abc" "abc" "ab"', "ab         ab|ab      x"],
  ['printf "%.2f %e %g %08.3f" 1.5 1500.0 1e21 3.14159', "1.50 1.500000e+03 1e+21 0003.142"],
  ['printf "%c%3c|%-3c|%q" 65 66 67 68', "A  B|C  |'D'"],
  ['printf "%t %T %T" true 1 "a"', "true int string"],
  ['printf "%d%%" 5', "5%"],
  ['printf "%d" "x"', "%!d(string=x)"],
  ['printf "%s %s" 3 true', "%!s(int=3) %!s(bool=true)"],
  ['printf "%d" 1.5', "%!d(float64=1.5)"],
  ['printf "%z" 1', "%!z(int=1)"],
  ['printf "%s"', "%!s(MISSING)"],
  ['printf "%s" "a" "b"', "a%!(EXTRA string=b)"],
  ['printf "%"', "%!(NOVERB)"],
];

describe("printf", () => {
  for (const [action, text] of formats) {
    it(`makes ${JSON.stringify(text)} of ${action}`, () => {
      assert.equal(render(`{{${action}}}`), text);
    });
  }

  it("says so when it is asked for more than it can", () => {
    assert.throws(() => render('{{printf "%[2]s %[1]s" "a" "b"}}'), /no width and no position/);
    assert.throws(() => render('{{printf "%*d" 5 3}}'), /no width and no position/);
  });

  it("wants a format", () => {
    assert.throws(() => render("{{printf 3}}"), /expected string; got int/);
  });
});
