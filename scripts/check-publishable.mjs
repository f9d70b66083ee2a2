// @ts-check
// Runs before `npm publish`, in the directory of the package, and fails while the package has no repository.

import { readFileSync } from "node:fs";

/** @type {Record<string, unknown>} */
const manifest = JSON.parse(readFileSync("package.json", "utf8"));

/** @param {unknown} value a string, or an object with a `url` */
function hasAddress(value) {
  const address = typeof value === "object" && value !== null && "url" in value ? value.url : value;
  return typeof address === "string" && /^(?:git\+)?https:\/\/[^/]+\/./.test(address);
}

const missing = ["homepage", "repository", "bugs"].filter((name) => !hasAddress(manifest[name]));

/** @type {Record<string, unknown>} */
const schema = JSON.parse(readFileSync("plugin/schema.json", "utf8"));

if (schema.version !== manifest.version || schema.repository === undefined) {
  console.error("The plugin's schema does not match package.json: run `npm run schema`.");
  process.exitCode = 1;
}

if (missing.length > 0) {
  console.error(
    `The package cannot be published: package.json has no https address in ${missing.join(", ")}. ` +
      'Set it as "Before the first release" in contributing/releasing.md describes.',
  );
  process.exitCode = 1;
}
