// @ts-check
// Prints the milliseconds of CPU time that a program with @pulumi/pulumi loaded needs to import a module:
//
//     node import-probe.mjs <module>
//
// Plain JavaScript: what translates TypeScript while it is loaded would be measured too.

import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

load("@pulumi/pulumi");
const start = process.cpuUsage();
load(process.argv[2] ?? "");
const { user, system } = process.cpuUsage(start);
console.log((user + system) / 1000);
