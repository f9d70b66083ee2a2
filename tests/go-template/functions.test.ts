import assert from "node:assert/strict";
import { takes, templateFunctions } from "../../sdk/go-template/functions";

const ofTheService = [
  "random N",
  "truncate N TEXT",
  "truncate_sha256 N TEXT",
  "uppercase TEXT",
  "lowercase TEXT",
  "replace FROM TO TEXT",
  "sha256 TEXT",
  "base64 TEXT",
  "unix_time",
  "unix_time_millis",
  "timestamp LAYOUT",
  "uuid",
  "utf16le TEXT",
];

const builtIn =
  "and or not len index slice print println printf html js urlquery call eq ne lt le gt ge".split(" ");

describe("templateFunctions", () => {
  it("are those of the documents and those of the template language", () => {
    const names = ofTheService.map((usage) => usage.replace(/ .*/, ""));
    assert.deepEqual([...templateFunctions.keys()].sort(), [...names, ...builtIn].sort());
  });

  it("are used as the documents say", () => {
    for (const usage of ofTheService) {
      const signature = templateFunctions.get(usage.replace(/ .*/, ""));
      assert.deepEqual([signature?.least, signature?.takesMore], [usage.split(" ").length - 1, false]);
    }
  });

  it("are LDIF's alone only where the documents say so", () => {
    const ldifOnly = [...templateFunctions].filter(([, signature]) => signature.ldifOnly);
    assert.deepEqual(
      ldifOnly.map(([name]) => name),
      ["utf16le"],
    );
  });
});

describe("takes", () => {
  it("counts arguments", () => {
    const counts = (name: string): number[] => {
      const signature = templateFunctions.get(name);
      assert.ok(signature);
      return [0, 1, 2, 3, 4].filter((count) => takes(signature, count));
    };
    assert.deepEqual(counts("uuid"), [0]);
    assert.deepEqual(counts("truncate"), [2]);
    assert.deepEqual(counts("print"), [0, 1, 2, 3, 4]);
    assert.deepEqual(counts("eq"), [2, 3, 4]);
  });
});
