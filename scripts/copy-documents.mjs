// @ts-check
// Puts what a user reads into the published package. What is there already is left alone: another packing of the
// package may be reading it.

import { copyFileSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

for (const name of ["README.md", "LICENSE", "CHANGELOG.md"]) {
  const original = path.join(root, name);
  const copy = path.join(root, "sdk", name);
  if (!existsSync(copy) || !readFileSync(copy).equals(readFileSync(original))) {
    copyFileSync(original, copy);
  }
}
