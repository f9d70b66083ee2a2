import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";

const sources = resolve(__dirname, "../../sdk");
const files = [
  join(sources, "testing.ts"),
  ...readdirSync(join(sources, "testing"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(sources, "testing", name)),
];
const optionalPackages = ["find-my-way", "qrcode"];

describe("the emulator's sources", () => {
  for (const file of files) {
    it(`${relative(sources, file)} imports nothing but its own, sdk/base, sdk/go-template, node and the two optional packages`, () => {
      for (const { fileName } of ts.preProcessFile(readFileSync(file, "utf8")).importedFiles) {
        if (fileName.startsWith(".")) {
          const target = relative(sources, resolve(dirname(file), fileName));
          assert.match(target, /^(?:testing|base|go-template)\//, `${fileName} leads out of the emulator`);
        } else {
          const isAllowed = fileName.startsWith("node:") || optionalPackages.includes(fileName);
          assert.ok(isAllowed, `${fileName} is not allowed`);
        }
      }
    });
  }

  it("are found", () => assert.ok(files.length > 20));
});
