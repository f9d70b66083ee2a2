import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { documents } from "../../scripts/docs/code-blocks";
import { drawPictures, namesInPictures, picturesDirectory } from "../../scripts/docs/pictures";

const root = join(__dirname, "..", "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

describe("the pictures of the documentation", () => {
  it("are those that scripts/docs/pictures.ts draws", () => {
    for (const [name, picture] of drawPictures()) {
      assert.equal(read(join("docs", "images", name)), picture, `${name} is stale: run \`npm run docs\`.`);
    }
  });

  it("name functions, classes and hidden outputs that their files have", () => {
    const names = namesInPictures();
    assert.ok(names.length > 15);
    const missing = names.filter(({ name, file }) => {
      const source = read(file);
      return name.startsWith("__")
        ? !source.includes(`"${name}"`)
        : !new RegExp(`\\bexport (?:async )?(?:function|class|const) ${name}\\b`).test(source);
    });
    assert.deepEqual(missing, []);
  });

  it("each are on a page, with a text for readers who do not see them", () => {
    const texts = [...documents(), "contributing/how-it-works.md"].map(read).join("\n");
    for (const name of readdirSync(picturesDirectory)) {
      assert.match(
        texts,
        new RegExp(`!\\[[^\\]]{40,}\\]\\([^)]*images/${name.replace(".", "\\.")}\\)`),
        name,
      );
    }
  });
});
