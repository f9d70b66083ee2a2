import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { repository } from "./library";
import { performanceFiles } from "./performance-page";
import { provenFiles } from "./proven-page";
import { generateReference, referenceDirectory } from "./reference";

async function main(): Promise<void> {
  const pages = await generateReference();
  rmSync(referenceDirectory, { recursive: true, force: true });
  for (const [path, text] of pages) {
    const file = join(referenceDirectory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  for (const [file, text] of [...(await performanceFiles()), ...(await provenFiles())]) {
    writeFileSync(file, text);
  }
  console.log(`Wrote ${pages.size} pages to ${relative(repository, referenceDirectory)}.`);
}

void main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
