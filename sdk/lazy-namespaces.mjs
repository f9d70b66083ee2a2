// @ts-check
// Makes the compiled SDK load its exports when they are first used. TypeScript's output loads all modules of an index,
// including namespaces that a program does not use.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const output = path.join(path.dirname(fileURLToPath(import.meta.url)), "dist");
/** `exports.secrets = __importStar(require("./secrets"));` */
const namespaceExport = /^exports\.(\w+) = __importStar\(require\(("[^"]+")\)\);$/gm;
/** `var project_1 = require("./project");`, which the exports that follow refer to. */
const moduleImport = /^var (\w+) = require\(("[^"]+")\);$/gm;
/** `get: function () { return project_1.Project; }` */
const memberExport = /\breturn (\w+)\.(\w+); \}/g;
const mark = "// Loaded when first used:";

const files = readdirSync(output, { recursive: true, encoding: "utf8" });
makeLazy(...files.filter((file) => path.basename(file) === "index.js"));

/** @param {string[]} indexes */
function makeLazy(...indexes) {
  for (const index of indexes) {
    const file = path.join(output, index);
    const text = readFileSync(file, "utf8");
    // The compiler does not rewrite unchanged files.
    if (!text.includes(mark)) {
      writeFileSync(file, lazy(text, file));
    }
  }
}

/**
 * Keeps the compiler's form of exports, in which Node.js finds the names that an ES module may import.
 *
 * @param {string} text
 * @param {string} file
 */
function lazy(text, file) {
  /** @type {Map<string, string[]>} */
  const loaders = new Map();
  for (const [, variable, name] of text.matchAll(memberExport)) {
    loaders.set(String(variable), [...(loaders.get(String(variable)) ?? []), String(name)]);
  }
  const namespaces = [...text.matchAll(namespaceExport)].map(([, name, module]) => getter(name, module));
  const result = text
    .replace(moduleImport, (_, variable, module) =>
      declaration(
        variable,
        (loaders.get(variable) ?? []).map((name) => getter(name, module, `.${name}`)),
      ),
    )
    .replace(
      namespaceExport,
      (_, name) =>
        `Object.defineProperty(exports, "${name}", { enumerable: true, get: function () { return namespaces.${name}; } });`,
    );
  if (result === text || /\b__exportStar\(/.test(result)) {
    throw new Error(`${file} does not export in the form that the compiler gave it so far`);
  }
  return `${result}${mark}\n${declaration("namespaces", namespaces)}\n`;
}

/** @param {string | undefined} name @param {string | undefined} module @param {string} [member] */
function getter(name, module, member = "") {
  return `    get ${name}() { return require(${module})${member}; },`;
}

/** @param {string} variable @param {string[]} getters */
function declaration(variable, getters) {
  return `var ${variable} = {\n${getters.join("\n")}\n};`;
}
