// @ts-check
// Which tests each command runs: this table and nothing else says so. A file belongs to the first row one of whose
// beginnings of paths (below tests/) it has; so a new directory is tested by `npm run test:unit`, and a new file of
// tests/engine by `npm run test:all`, unless they are named here. Within a row, what takes longest comes first:
// workers take the files in this order.

/** @typedef {{ name: string, title: string, paths: readonly string[] }} Row */

/** @type {readonly Row[]} */
export const rows = [
  {
    name: "change",
    title:
      "the provider process over gRPC, packaging, docs, the real CLI on one class and on what all have in common",
    paths: [
      "engine/shared-stack.test.ts",
      // The code of its page uses the library, the emulator and the cases.
      "docs/add-a-resource.test.ts",
      // What is the same for all classes.
      "engine/connection/provider.test.ts",
      "engine/connection/functions.test.ts",
      "packaging/api.test.ts",
      "packaging/contents.test.ts",
      "contract/",
      "engine-process/",
      "secrecy/provider-process.test.ts",
      "secrecy/functions.test.ts",
      "command-line/",
      "resource/program/resolves.test.ts",
      "support/open-handles.test.ts",
      "docs/reference.test.ts",
      "docs/command-line.test.ts",
      "docs/permissions.test.ts",
      "docs/documents.test.ts",
      "plugin/",
      "provisioning/receiver-example.test.ts",
      "provisioning/consumers.test.ts",
      // Reads the doc comments with the compiler.
      "errors.test.ts",
    ],
  },
  {
    // In `npm run test:plugin` only.
    name: "plugin",
    title: "what only the plugin does, every class moved to it, a program in Python (npm run test:plugin)",
    paths: ["every-class", "moves", "operations", "python"].map((name) => `engine/plugin/${name}.test.ts`),
  },
  {
    // In `npm run test:live` only.
    name: "live",
    title: "what only real servers do (npm run test:live)",
    paths: ["logins", "gates", "endings", "products"].map((name) => `live/${name}.test.ts`),
  },
  {
    name: "rest",
    title:
      "one class a trait through the real CLI, PostgreSQL, browsers, the guides' commands, all package layouts, memory",
    paths: [
      "engine/lifecycles.test.ts",
      "docs/guides.test.ts",
      "docs/site.test.ts",
      "packaging/fake-timers.test.ts",
      // Each test starts a process and stops it for seconds.
      "http/frozen.test.ts",
      "engine/",
      "testing/clients/",
      "packaging/",
      "examples/",
      "faults/",
      "hostile/",
      "live/",
      "secrecy/",
      "upgrade/",
      "concurrency/",
      "scheduler/resources.test.ts",
    ],
  },
  { name: "unit", title: "pure functions, and clients against the emulator", paths: ["lifecycles", ""] },
];

/** What each command runs, by the names of rows. */
export const tiers = {
  unit: { command: "npm run test:unit", rows: ["unit"] },
  change: { command: "npm test", rows: ["change", "unit"] },
  rest: { command: "npm run test:rest", rows: ["rest"] },
  all: { command: "npm run test:all", rows: ["rest", "change", "unit"] },
};

/** What no run of these has. */
export const nightly = [
  "npm run test:faults",
  "npm run test:hostile",
  "npm run test:live",
  "npm run test:plugin",
  "npm run test:mutation",
  "TRIVIUM_CLASSES=all npx mocha tests/engine/lifecycles.test.ts",
];

/**
 * The files of each row, in the order in which to run them.
 * @param {readonly string[]} files paths below tests/
 * @returns {Map<string, string[]>}
 */
export function byRow(files) {
  const sorted = [...files].sort();
  const taken = new Set();
  return new Map(
    rows.map(({ name, paths }) => [
      name,
      paths.flatMap((path) =>
        sorted.filter((file) => file.startsWith(path) && !taken.has(file) && taken.add(file)),
      ),
    ]),
  );
}
