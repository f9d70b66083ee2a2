import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { documents } from "../../scripts/docs/code-blocks";

const root = join(__dirname, "..", "..");
const directory = join(root, "docs", "images");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

describe("the pictures of the documentation", () => {
  const pictures = readdirSync(directory);

  it("name functions, classes and hidden outputs that the library has", () => {
    const names = pictures.flatMap((name) =>
      [...read(`docs/images/${name}`).matchAll(/monospace">(\w+)</g)].map(([, code = ""]) => code),
    );
    assert.ok(names.length > 15);
    const library = readdirSync(join(root, "sdk"), { recursive: true, encoding: "utf8" })
      .filter((path) => /^(?!node_modules|dist).*\.ts$/.test(path))
      .map((path) => read(join("sdk", path)))
      .join("\n");
    const missing = names.filter((name) =>
      name.startsWith("__")
        ? !library.includes(`"${name}"`)
        : !new RegExp(`\\bexport (?:async )?(?:function|class|const) ${name}\\b`).test(library),
    );
    assert.deepEqual(missing, []);
  });

  it("each are on a page, with a text for readers who do not see them", () => {
    const texts = [...documents(), "contributing/how-it-works.md"].map(read).join("\n");
    for (const name of pictures) {
      assert.match(
        texts,
        new RegExp(`!\\[[^\\]]{40,}\\]\\([^)]*images/${name.replace(".", "\\.")}\\)`),
        name,
      );
    }
  });
});
