// @ts-check
// results.md is also the record: a run of some files leaves what it says of the others as it is.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { format, resolveConfig } from "prettier";
import { areas } from "./areas.mjs";

/**
 * @typedef {{
 *   line: number,
 *   code: string,
 *   replacement: string,
 *   reached: boolean,
 *   reason: string | undefined,
 * }} Survivor
 * @typedef {{
 *   mutants: number,
 *   killed: number,
 *   refused: number,
 *   survived: number,
 *   unreached: number,
 *   lines: readonly string[],
 * }} FileResult
 */

const file = path.join(import.meta.dirname, "results.md");
const longestCode = 120;
const head = `# What the mutants found

Written by \`npm run test:mutation\`. Each mutant is one small change of the code: a condition turned round, a text emptied, a call left out. A test of its area has to fail (\`tests/mutation/areas.mjs\` says which these are), or the compiler has to refuse it. _Not reached_ are those in code that no test of the area runs; they count as survivors. The score is what was noticed, of all.

A survivor without a reason is work to do. Reasons are kept in \`tests/mutation/accepted.mjs\`.
`;

/** @returns {Map<string, FileResult>} by paths below sdk/ */
export function readReport() {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const survivors = new Map(
    text.split(/^### /m).map((section) => {
      const [title = "", ...lines] = section.split("\n");
      return [title.replaceAll("`", ""), lines.filter((line) => line.startsWith("- "))];
    }),
  );
  return new Map(
    [...text.matchAll(/^\| `(?<name>[^`]+\.ts)` +\|(?<cells>.*)\|$/gm)].map(({ groups = {} }) => {
      const { name = "", cells = "" } = groups;
      const [mutants = 0, killed = 0, refused = 0, survived = 0, unreached = 0] = cells
        .split("|")
        .map(Number);
      return [name, { mutants, killed, refused, survived, unreached, lines: survivors.get(name) ?? [] }];
    }),
  );
}

/**
 * @param {Map<string, FileResult>} results
 * @param {(file: string) => string | undefined} areaOf the area that a file belongs to, while there is such a file
 */
export async function writeReport(results, areaOf) {
  const sections = areas.flatMap(({ name }) => {
    const files = [...results].filter(([file]) => areaOf(file) === name).sort(([a], [b]) => (a < b ? -1 : 1));
    if (files.length === 0) {
      return [];
    }
    const sum = (/** @type {"mutants" | "killed" | "refused" | "survived" | "unreached"} */ key) =>
      files.reduce((total, [, result]) => total + result[key], 0);
    const all = {
      mutants: sum("mutants"),
      killed: sum("killed"),
      refused: sum("refused"),
      survived: sum("survived"),
      unreached: sum("unreached"),
    };
    return [
      `## ${name}`,
      "",
      "| file | mutants | killed by tests | refused by the compiler | survived | of these not reached | score |",
      "| --- | --: | --: | --: | --: | --: | --: |",
      ...files.map(([file, result]) => row(`\`${file}\``, result)),
      row("**all**", all),
      "",
      ...files.flatMap(([file, { lines }]) =>
        lines.length === 0 ? [] : [`### \`${file}\``, "", ...lines, ""],
      ),
    ];
  });
  const text = [head, ...sections].join("\n");
  writeFileSync(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}

/** @param {Survivor} survivor */
export function survivorLine({ line, code, replacement, reached, reason }) {
  const what = `- ${line}: ${quoted(code)} → ${quoted(replacement)}${reached ? "" : ", not reached"}`;
  return reason === undefined ? what : `${what}: ${reason}`;
}

/**
 * @param {string} name
 * @param {Omit<FileResult, "lines">} result
 */
function row(name, { mutants, killed, refused, survived, unreached }) {
  const score = mutants === 0 ? "" : `${(((killed + refused) / mutants) * 100).toFixed(1)} %`;
  return `| ${[name, mutants, killed, refused, survived, unreached, score].join(" | ")} |`;
}

/** @param {string} code */
function quoted(code) {
  const shown = code.length > longestCode ? `${code.slice(0, longestCode)}…` : code;
  const fence = "`".repeat(1 + Math.max(0, ...(shown.match(/`+/g) ?? []).map(({ length }) => length)));
  const space = fence.length > 1 || shown === "" ? " " : "";
  return `${fence}${space}${shown}${space}${fence}`;
}
