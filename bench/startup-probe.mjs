// @ts-check
// Imported before a provider process begins: has it print, as JSON, how many files of a directory it has loaded when
// the engine asks it to end, and end then.
//
// Plain JavaScript: a compiler would be loaded into the process that is measured.

import { createRequire } from "node:module";

const directory = process.env.BENCH_COMPILED ?? "";
const { cache } = createRequire(import.meta.url);

process.on("SIGINT", () => {
  const loaded = Object.keys(cache).filter((file) => file.startsWith(directory));
  process.stdout.write(JSON.stringify(loaded.length), () => process.exit());
});
