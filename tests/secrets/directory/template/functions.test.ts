import assert from "node:assert/strict";
import { templateFunctions, usageOf } from "../../../../sdk/secrets/directory/template/functions";

const usages: Readonly<Record<string, string>> = {
  random: "`random N`",
  truncate: "`truncate N TEXT` or `TEXT | truncate N`",
  truncate_sha256: "`truncate_sha256 N TEXT` or `TEXT | truncate_sha256 N`",
  uppercase: "`uppercase TEXT` or `TEXT | uppercase`",
  lowercase: "`lowercase TEXT` or `TEXT | lowercase`",
  replace: "`replace FROM TO TEXT` or `TEXT | replace FROM TO`",
  sha256: "`sha256 TEXT` or `TEXT | sha256`",
  base64: "`base64 TEXT` or `TEXT | base64`",
  unix_time: "`unix_time`",
  unix_time_millis: "`unix_time_millis`",
  timestamp: "`timestamp LAYOUT`",
  uuid: "`uuid`",
  utf16le: "`utf16le TEXT` or `TEXT | utf16le`",
};

const builtIn =
  "and or not len index slice print println printf html js urlquery call eq ne lt le gt ge".split(" ");

describe("templateFunctions", () => {
  it("are those of the documents and those of the template language", () => {
    assert.deepEqual([...templateFunctions.keys()].sort(), [...Object.keys(usages), ...builtIn].sort());
  });

  it("are LDIF's alone only where the documents say so", () => {
    const ldifOnly = [...templateFunctions]
      .filter(([, { ldifOnly }]) => ldifOnly === true)
      .map(([name]) => name);
    assert.deepEqual(ldifOnly, ["utf16le"]);
  });

  for (const [name, usage] of Object.entries(usages)) {
    it(`shows how ${name} is used`, () => {
      const definition = templateFunctions.get(name);
      assert.ok(definition);
      assert.equal(usageOf(name, definition), usage);
    });
  }
});
