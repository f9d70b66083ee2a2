// @ts-check
// Makes the namespaces of the compiled SDK load when they are first used. TypeScript loads every module that an index
// names at once, which would cost each program the resources and functions that it does not use.

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const output = path.join(path.dirname(fileURLToPath(import.meta.url)), "dist");
const eager = /^exports\.(\w+) = __importStar\(require\(("[^"]+")\)\);$/gm;

for (const index of ["index.js", "secrets/index.js"]) {
  const file = path.join(output, index);
  const text = readFileSync(file, "utf8");
  const namespaces = [...text.matchAll(eager)].map(([, name, module]) => ({ name, module }));
  if (namespaces.length > 0) {
    writeFileSync(file, `${text.replace(eager, lazyExport)}${loaders(namespaces)}`);
  } else if (!text.includes("const namespaces = {")) {
    // The compiler leaves a file alone that is as it was.
    throw new Error(`${file} has no namespaces in the form that the compiler gave them so far`);
  }
}

/**
 * The form in which Node finds the names that an ES module may import.
 *
 * @param {string} _
 * @param {string} name
 */
function lazyExport(_, name) {
  return `Object.defineProperty(exports, "${name}", { enumerable: true, get: function () { return namespaces.${name}; } });`;
}

/** @param {{ name: string | undefined, module: string | undefined }[]} namespaces */
function loaders(namespaces) {
  const getters = namespaces.map(({ name, module }) => `    get ${name}() { return require(${module}); },`);
  return `const namespaces = {\n${getters.join("\n")}\n};\n`;
}
