import assert from "node:assert/strict";
import { templateFunctions } from "../../sdk/go-template/functions";

const ofTheService = [
  "random",
  "truncate",
  "truncate_sha256",
  "uppercase",
  "lowercase",
  "replace",
  "sha256",
  "base64",
  "unix_time",
  "unix_time_millis",
  "timestamp",
  "uuid",
  "utf16le",
];

const builtIn =
  "and or not len index slice print println printf html js urlquery call eq ne lt le gt ge".split(" ");

describe("templateFunctions", () => {
  it("are those of the documents and those of the template language", () => {
    assert.deepEqual([...templateFunctions.keys()].sort(), [...ofTheService, ...builtIn].sort());
  });

  it("are LDIF's alone only where the documents say so", () => {
    const ldifOnly = [...templateFunctions].filter(([, part]) => part === "ldif");
    assert.deepEqual(ldifOnly, [["utf16le", "ldif"]]);
  });
});
