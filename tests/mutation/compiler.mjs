// @ts-check
import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** @typedef {import("@stryker-mutator/api/core").MutantResult} MutantResult */

/**
 * The mutants that the compiler refuses: `npm run check` notices them. It is asked only about those that no test has
 * noticed, since each costs a fifth of a second.
 *
 * @param {string} root
 * @param {readonly MutantResult[]} mutants
 * @returns {Set<MutantResult>}
 */
export function refusedByCompiler(root, mutants) {
  if (mutants.length === 0) {
    return new Set();
  }
  const { config } = ts.readConfigFile(path.join(root, "sdk", "tsconfig.json"), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, path.join(root, "sdk"));
  /** @type {{ file: string, text: string } | undefined} */
  let changed;
  let version = 0;
  const service = ts.createLanguageService({
    getCompilationSettings: () => ({
      ...options,
      noEmit: true,
      incremental: false,
      tsBuildInfoFile: undefined,
    }),
    getScriptFileNames: () => fileNames,
    getScriptVersion: (file) => (file === changed?.file ? String(version) : "0"),
    getScriptSnapshot: (file) => {
      const text = file === changed?.file ? changed.text : ts.sys.readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  return new Set(
    mutants.filter(({ fileName: file, location: { start, end }, replacement = "" }) => {
      const text = readFileSync(file, "utf8");
      const offset = (/** @type {import("@stryker-mutator/api/core").Position} */ { line, column }) =>
        text.split("\n", line - 1).reduce((sum, { length }) => sum + length + 1, 0) + column - 1;
      changed = { file, text: text.slice(0, offset(start)) + replacement + text.slice(offset(end)) };
      version += 1;
      return service.getSyntacticDiagnostics(file).length + service.getSemanticDiagnostics(file).length > 0;
    }),
  );
}
