// @ts-check
// Changes the code in small ways, one at a time, and sees whether a test fails. What it finds goes into results.md.
// usage: node tests/mutation/main.mjs [area or path of files ...]

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { Stryker } from "@stryker-mutator/core";
import { accepted } from "./accepted.mjs";
import { refusedByCompiler } from "./compiler.mjs";
import { readReport, survivorLine, writeReport } from "./report.mjs";
import { areas } from "./areas.mjs";

/** @typedef {import("./report.mjs").FileResult} FileResult */

const root = path.resolve(import.meta.dirname, "../..");
const work = path.join(".cache", "mutation");
process.chdir(root);

const wanted = process.argv.slice(2);
const sources = listed("sdk", ".ts").filter((file) => !/^(?:dist|node_modules)\//.test(file));
const chosen = areas
  .map((area) => ({ area, files: sources.filter((file) => areaOf(file) === area.name && isWanted(file)) }))
  .filter(({ files }) => files.length > 0);
if (chosen.length === 0) {
  const names = areas.map(({ name }) => name).join(" | ");
  process.stderr.write(`usage: npm run test:mutation -- [${names} | path of a file below sdk/] ...\n`);
  process.exit(2);
}

const report = readReport();
for (const { area, files } of chosen) {
  const start = performance.now();
  const results = await mutate(area, files);
  for (const [file, result] of results) {
    report.set(file, result);
    process.stdout.write(result.lines.map((line) => `sdk/${file}:${line.slice(2)}\n`).join(""));
  }
  process.stdout.write(`${area.name}: ${files.length} files in ${seconds(start)} s\n`);
  // After each area: a run that is interrupted keeps what it has found.
  await writeReport(report, areaOf);
}

/** @param {string} file */
function areaOf(file) {
  return sources.includes(file)
    ? areas.find(({ files }) => files.some((beginning) => file.startsWith(beginning)))?.name
    : undefined;
}

/** @param {string} file */
function isWanted(file) {
  return (
    wanted.length === 0 ||
    wanted.some((name) => name === areaOf(file) || `sdk/${file}`.startsWith(path.posix.normalize(name)))
  );
}

/** @param {number} start */
function seconds(start) {
  return ((performance.now() - start) / 1000).toFixed(0);
}

/**
 * @param {string} directory
 * @param {string} ending
 */
function listed(directory, ending) {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll(path.sep, "/"))
    .filter((file) => file.endsWith(ending))
    .sort();
}

/**
 * @param {import("./areas.mjs").Area} area
 * @param {readonly string[]} files
 * @returns {Promise<Map<string, FileResult>>}
 */
async function mutate(area, files) {
  // Property tests that have a file of their own draw so many values that a mutant would cost minutes.
  const tests = listed("tests", ".test.ts")
    .filter((test) => !test.endsWith(".property.test.ts"))
    .filter((test) => (area.tests ?? area.files).some((beginning) => test.startsWith(beginning)));
  const mutants = await new Stryker({
    mutate: files.map((file) => `sdk/${file}`),
    mochaFiles: tests.map((test) => `tests/${test}`),
    plugins: [path.join(import.meta.dirname, "in-process.mjs")],
    testRunner: "mocha-in-process",
    coverageAnalysis: "perTest",
    concurrency: Number(process.env.MUTATION_WORKERS ?? 1),
    checkers: [],
    disableTypeChecks: false,
    ignorePatterns: ["/*", "!/sdk", "!/tests", "!/scripts", "!/package.json", "!/tsconfig.json"],
    tempDirName: path.join(work, "sandboxes"),
    incremental: true,
    incrementalFile: path.join(work, `${area.name}.json`),
    reporters: [process.stdout.isTTY ? "progress" : "progress-append-only"],
    logLevel: /** @type {import("@stryker-mutator/api/core").LogLevel} */ ("warn"),
    // For loops that never end: tests that wait for ever have their own limit.
    timeoutMS: 20_000,
    timeoutFactor: 3,
    warnings: { unknownOptions: false, slow: false },
  }).runMutationTest();

  const unnoticed = mutants.filter(({ status }) => status === "Survived" || status === "NoCoverage");
  const refused = refusedByCompiler(root, unnoticed);
  return new Map(
    files.map((file) => {
      const own = mutants.filter(({ fileName }) => fileName === path.resolve("sdk", file));
      const survivors = own.filter((mutant) => unnoticed.includes(mutant) && !refused.has(mutant));
      return [
        file,
        {
          mutants: own.length,
          killed: own.filter((mutant) => !unnoticed.includes(mutant)).length,
          refused: own.filter((mutant) => refused.has(mutant)).length,
          survived: survivors.length,
          unreached: survivors.filter(({ status }) => status === "NoCoverage").length,
          lines: survivors
            .sort((left, right) => left.location.start.line - right.location.start.line)
            .map((mutant) => survivorLine(survivor(file, mutant))),
        },
      ];
    }),
  );
}

/**
 * @param {string} file
 * @param {import("@stryker-mutator/api/core").MutantResult} mutant
 * @returns {import("./report.mjs").Survivor}
 */
function survivor(file, { location, replacement = "", status }) {
  const code = inOneLine(textAt(path.join("sdk", file), location));
  const inserted = inOneLine(replacement);
  const reason = accepted.find(
    (each) =>
      each.file === file &&
      inOneLine(each.code) === code &&
      (each.replacement === undefined || inOneLine(each.replacement) === inserted),
  )?.reason;
  return { line: location.start.line, code, replacement: inserted, reached: status === "Survived", reason };
}

/**
 * @param {string} file
 * @param {import("@stryker-mutator/api/core").Location} location
 */
function textAt(file, { start, end }) {
  const lines = readFileSync(file, "utf8")
    .split("\n")
    .slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1)?.slice(0, end.column - 1) ?? "";
  lines[0] = lines[0]?.slice(start.column - 1) ?? "";
  return lines.join("\n");
}

/** @param {string} text */
function inOneLine(text) {
  return text.replaceAll(/\s+/g, " ").trim();
}
