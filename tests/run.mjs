// @ts-check
// Runs a tier of the table in tiers.mjs with mocha, and says in the end what it has left out. The tests of the row "rest"
// mostly wait for processes, so there is a worker more than the cores that pipelines have.
// usage: node tests/run.mjs <tier> [options of mocha]

import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { byRow, nightly, rows, tiers } from "./tiers.mjs";

const tests = path.dirname(fileURLToPath(import.meta.url));
const [name = "", ...options] = process.argv.slice(2);
const tier = new Map(Object.entries(tiers)).get(name);
if (tier === undefined) {
  process.stderr.write(`usage: node tests/run.mjs ${Object.keys(tiers).join("|")} [options of mocha]\n`);
  process.exit(2);
}

const files = readdirSync(tests, { recursive: true, encoding: "utf8" })
  .map((file) => file.replaceAll(path.sep, "/"))
  .filter((file) => file.endsWith(".test.ts"));
const found = byRow(files);
const chosen = tier.rows.flatMap((row) => found.get(row) ?? []);

const mocha = createRequire(import.meta.url).resolve("mocha/bin/mocha.js");
const { status } = spawnSync(
  process.execPath,
  [mocha, "--parallel", ...options, ...chosen.map((file) => path.join("tests", file))],
  { cwd: path.dirname(tests), stdio: "inherit" },
);

const left = rows.filter((row) => !tier.rows.includes(row.name));
const lines = left.map((row) => `  ${row.title} (${found.get(row.name)?.length ?? 0} files)`);
if (lines.length > 0) {
  lines.push("  run everything: npm run test:all");
}
process.stdout.write(
  [`Left out by ${tier.command}:`, ...lines, `  at night: ${nightly.join(", ")}`, ""].join("\n"),
);
process.exitCode = status ?? 1;
