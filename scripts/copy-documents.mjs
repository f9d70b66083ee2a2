// @ts-check
// Copies the documents for users into the published package. Leaves a copy that is up to date alone, because another
// `npm pack` might be reading it.

import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const target = path.join(root, "sdk");

/** @param {string} directory below the root */
function filesIn(directory) {
  return readdirSync(path.join(root, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}

// Only the site needs the start page, the settings and the icon.
const siteFiles = /^docs[\\/](?:index\.md$|\.vitepress[\\/]|public[\\/])/;

const documents = [
  "README.md",
  "LICENSE",
  "CHANGELOG.md",
  "SECURITY.md",
  ...filesIn("docs").filter((name) => !siteFiles.test(name)),
];

for (const name of documents) {
  const original = path.join(root, name);
  const copy = path.join(target, name);
  if (!existsSync(copy) || !readFileSync(copy).equals(readFileSync(original))) {
    mkdirSync(path.dirname(copy), { recursive: true });
    copyFileSync(original, copy);
  }
}

for (const name of existsSync(path.join(target, "docs")) ? filesIn(path.join("sdk", "docs")) : []) {
  if (!documents.includes(path.relative("sdk", name))) {
    rmSync(path.join(root, name));
  }
}
