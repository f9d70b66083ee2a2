// @ts-check
// The layers of the library: a file imports only from layers below its own, type imports included.

/** From the bottom up; the directories of one layer do not import each other. */
const layers = [
  ["base"],
  ["go-template"],
  ["http"],
  ["connection"],
  ["engine"],
  ["resource"],
  ["functions"],
  ["provisioning", "secrets", "scheduler"],
  ["services.ts", "errors.ts", "testing"],
  ["index.ts", "testing.ts", "webhook.ts"],
  ["command-line", "dynamic.ts", "plugin"],
];

/** @param {readonly string[]} names */
const within = (names) =>
  `^sdk/(?:${names.map((name) => name.replace(".", "\\.") + (name.endsWith(".ts") ? "$" : "/")).join("|")})`;

/** @type {import("dependency-cruiser").IForbiddenRuleType[]} */
const upward = layers.flatMap((names, layer) =>
  names.map((name) => ({
    name: `${name}-imports-downwards-only`,
    comment: `${name} imports only from the layers below it.`,
    severity: /** @type {const} */ ("error"),
    from: { path: within([name]) },
    to: { path: within([...names, ...layers.slice(layer + 1).flat()].filter((other) => other !== name)) },
  })),
);

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    {
      name: "no-circle",
      comment: "Files do not import each other.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    ...upward,
    {
      name: "the-emulator-shares-nothing-with-the-clients",
      comment: "No test would find a mistake in shared code.",
      severity: "error",
      from: { path: "^sdk/testing/" },
      to: { path: "^sdk/(?!testing/|base/|go-template/)" },
    },
    {
      name: "the-emulator-takes-three-packages",
      comment: "Two are optional peers, installed to test programs.",
      severity: "error",
      from: { path: "^sdk/testing(?:/|\\.ts)" },
      to: { path: "node_modules/(?!find-my-way/|qrcode/|@types/qrcode/|zod/)" },
    },
    {
      name: "undici-in-http-only",
      comment: "Only the transport makes requests.",
      severity: "error",
      from: { path: "^sdk/(?!http/|testing/)" },
      to: { path: "node_modules/undici" },
    },
    {
      name: "zod-where-responses-are-read",
      comment: "It takes tens of milliseconds to load: programs load it only when a function is called.",
      severity: "error",
      from: {
        path: "^sdk/",
        pathNot:
          "^sdk/(?:base/schema|http/|resource/lifecycle/(?:lifecycle|writing)|provisioning/(?:client|pages)|secrets/client|testing/)",
      },
      to: { path: "node_modules/zod", dependencyTypesNot: ["type-only"] },
    },
  ],
  options: {
    includeOnly: "^(?:sdk/|node_modules/)",
    exclude: "^sdk/dist/|bundle",
    doNotFollow: "node_modules",
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
  },
};
