import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { render } from "./render";

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const cases: readonly [string, string][] = [
  ["truncate 3 .Username", "v_a"],
  ["truncate 9 .Username", "v_ada"],
  ['truncate 2 "äöü"', "äö"],
  ["truncate_sha256 20 .Username", "v_ada"],
  ['"abcdefghijkl" | truncate_sha256 10', `ab${sha256("cdefghijkl").slice(0, 8)}`],
  ["uppercase .Username", "V_ADA"],
  ['lowercase "ABC"', "abc"],
  ['.Username | replace "_" "-" | uppercase', "V-ADA"],
  ['replace "a" "$&" "banana"', "b$&n$&n$&"],
  ['replace "" "-" "abc"', "-a-b-c-"],
  ["sha256 .Username", sha256("v_ada")],
  ["base64 .Password", "cC13"],
  ['base64 "é"', "w6k="],
  ["unix_time", "1707491045"],
  ["unix_time_millis", "1707491045120"],
  ['timestamp "2006-01-02T15:04:05Z07:00"', "2024-02-09T15:04:05Z"],
  ['timestamp "20060102150405"', "20240209150405"],
  ['timestamp "02/01/06_15:04:05.000"', "09/02/24_15:04:05.120"],
  [".Password | utf16le | base64", Buffer.from("p-w", "utf16le").toString("base64")],
  ['printf "%q" .Password | utf16le | base64', Buffer.from('"p-w"', "utf16le").toString("base64")],
  ['"é" | utf16le | base64', "6QA="],
  ['len (utf16le "abc")', "6"],
];

describe("a function of the service", () => {
  for (const [action, text] of cases) {
    it(`makes ${JSON.stringify(text)} of ${action}`, () => {
      assert.equal(render(`{{${action}}}`), text);
    });
  }

  it("makes random identifiers", () => {
    assert.match(render("{{uuid}}"), /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    assert.notEqual(render("{{uuid}}"), render("{{uuid}}"));
  });

  it("refuses layouts that the emulator does not know", () => {
    assert.throws(
      () => render('{{timestamp "Jan 2006"}}'),
      /knows the elements .*2006, .* of layouts, not Jan/,
    );
    assert.throws(() => render('{{timestamp "3:04"}}'), /of layouts, not 3/);
  });

  it("refuses lengths that make no sense", () => {
    assert.throws(
      () => render("{{truncate 0 .Username}}"),
      /error calling truncate: max length must be > 0 but was 0/,
    );
    assert.throws(() => render("{{truncate_sha256 8 .Username}}"), /max length must be > 8 but was 8/);
    assert.throws(() => render("{{random -1}}"), /error calling random/);
  });
});
