// @ts-check
// Prints as JSON the milliseconds of CPU time that a program with @pulumi/pulumi loaded needs to import a module,
// and then to reach members of it:
//
//     node import-probe.mjs <module> [<member>.<member> ...]
//
// Plain JavaScript: what translates TypeScript while it is loaded would be measured too.

import { createRequire } from "node:module";

const load = createRequire(import.meta.url);
const [module = "", ...members] = process.argv.slice(2);

load("@pulumi/pulumi");
const start = process.cpuUsage();
const imported = load(module);
const loaded = since(start);
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
console.log(JSON.stringify({ imported: loaded, used: since(start) }));

/** @param {NodeJS.CpuUsage} start */
function since(start) {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}
