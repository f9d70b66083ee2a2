// @ts-check
// Runs formatting, lint, types, layers and text checks, two at a time; the output of each is shown when it ends.

import { spawn } from "node:child_process";
import { performance } from "node:perf_hooks";

/** The longest first. */
const commands = [
  "eslint .",
  "tsc --noEmit",
  "prettier --check .",
  "depcruise --config .dependency-cruiser.mjs sdk",
  "node scripts/text-check.mjs",
];

/**
 * @param {string} command
 * @returns {Promise<boolean>} whether it succeeded
 */
function run(command) {
  const start = performance.now();
  const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => (output += text));
  }
  return new Promise((resolve) => {
    child.once("close", (code) => {
      const seconds = ((performance.now() - start) / 1000).toFixed(0);
      const outcome = code === 0 ? "passed" : "failed";
      process.stdout.write(`${output}${command}: ${outcome} after ${seconds} s\n\n`);
      resolve(code === 0);
    });
  });
}

let failed = false;

async function worker() {
  for (let step = commands.shift(); step !== undefined; step = commands.shift()) {
    failed = !(await run(step)) || failed;
  }
}

await Promise.all([worker(), worker()]);
process.exitCode = failed ? 1 : 0;
