import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { repository } from "./library";
import { drawPictures, picturesDirectory } from "./pictures";
import { generateReference, referenceDirectory } from "./reference";

/** Writes the reference and the pictures. */
async function main(): Promise<void> {
  const pages = await generateReference();
  rmSync(referenceDirectory, { recursive: true, force: true });
  for (const [path, text] of pages) {
    const file = join(referenceDirectory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const pictures = drawPictures();
  for (const [name, picture] of pictures) {
    writeFileSync(join(picturesDirectory, name), picture);
  }
  console.log(
    `Wrote ${pages.size} pages to ${relative(repository, referenceDirectory)}, and ${pictures.size} pictures.`,
  );
}

void main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
