// @ts-check
// Prints how long it takes to import a module in a program that has imported @pulumi/pulumi, and then to reach
// members of it, in milliseconds of work (CPU) and of waiting (wall), as JSON:
//
//     node import-probe.mjs <module> [<member>.<member> ...]
//
// Plain JavaScript: whatever would translate TypeScript while it is loaded would be measured too.

import { createRequire } from "node:module";

const load = createRequire(import.meta.url);
const [module = "", ...members] = process.argv.slice(2);

load("@pulumi/pulumi");
const beginning = now();
const imported = load(module);
const loaded = now();
for (const member of members) {
  /** @type {unknown} */
  let value = imported;
  for (const name of member.split(".")) {
    value = /** @type {Record<string, unknown>} */ (value)[name];
  }
  if (value === undefined) {
    throw new Error(`${module} has no ${member}`);
  }
}
const used = now();
console.log(JSON.stringify({ imported: since(beginning, loaded), used: since(beginning, used) }));

function now() {
  const { user, system } = process.cpuUsage();
  return { cpu: (user + system) / 1000, wall: Number(process.hrtime.bigint()) / 1e6 };
}

/**
 * @param {{ cpu: number, wall: number }} start
 * @param {{ cpu: number, wall: number }} end
 */
function since(start, end) {
  return { cpu: end.cpu - start.cpu, wall: end.wall - start.wall };
}
