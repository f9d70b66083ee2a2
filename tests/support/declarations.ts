import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The type declarations that one of them leads to, itself first, each with the modules that it names. */
export function reachableDeclarations(entry: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  const visit = (file: string): void => {
    if (found.has(file)) {
      return;
    }
    const modules = modulesIn(readFileSync(file, "utf8"));
    found.set(file, modules);
    for (const module of modules.filter((name) => name.startsWith("."))) {
      const target = resolve(dirname(file), module);
      const declaration = [`${target}.d.ts`, join(target, "index.d.ts")].find(existsSync);
      visit(declaration ?? assert.fail(`${file} leads to ${module}, which is not there`));
    }
  };
  visit(entry);
  return found;
}

function modulesIn(declaration: string): string[] {
  const code = declaration.replace(/\/\*[^]*?\*\//g, "");
  const imports = code.matchAll(/\b(?:from|import|require)\s*\(?\s*["']([^"']+)["']/g);
  const references = code.matchAll(/^\/\/\/\s*<reference\s+(?:types|path)=["']([^"']+)["']/gm);
  return [...imports, ...references].map(([, name = ""]) => name);
}
