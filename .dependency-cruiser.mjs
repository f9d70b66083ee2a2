// @ts-check
// The arrows of the house: a room imports only what stands below it, also for types alone.

/** From the ground up; the rooms of one floor do not know each other. */
const floors = [
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

/** @param {readonly string[]} rooms */
const within = (rooms) =>
  `^sdk/(?:${rooms.map((room) => room.replace(".", "\\.") + (room.endsWith(".ts") ? "$" : "/")).join("|")})`;

/** @type {import("dependency-cruiser").IForbiddenRuleType[]} */
const upward = floors.flatMap((rooms, floor) =>
  rooms.map((room) => ({
    name: `${room}-looks-down-only`,
    comment: `${room} imports only what stands below it.`,
    severity: /** @type {const} */ ("error"),
    from: { path: within([room]) },
    to: { path: within([...rooms, ...floors.slice(floor + 1).flat()].filter((other) => other !== room)) },
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
      comment: "What client and emulator both get wrong, no test would find.",
      severity: "error",
      from: { path: "^sdk/testing/" },
      to: { path: "^sdk/(?!testing/|base/|go-template/)" },
    },
    {
      name: "the-emulator-takes-two-packages",
      comment: "Both are optional peers: who tests programs installs them.",
      severity: "error",
      from: { path: "^sdk/testing(?:/|\\.ts)" },
      to: { path: "node_modules/(?!find-my-way/|qrcode/|@types/qrcode/)" },
    },
    {
      name: "undici-in-http-only",
      comment: "Only the transport makes requests.",
      severity: "error",
      from: { path: "^sdk/(?!http/|testing/)" },
      to: { path: "node_modules/undici" },
    },
    {
      name: "zod-where-answers-are-read",
      comment: "It takes tens of milliseconds to load: programs load it only when a function is called.",
      severity: "error",
      from: {
        path: "^sdk/",
        pathNot:
          "^sdk/(?:base/validation|http/|resource/(?:lifecycle|creation|update)|provisioning/client|secrets/client|testing/)",
      },
      to: { path: "node_modules/zod", dependencyTypesNot: ["type-only"] },
    },
  ],
  options: {
    includeOnly: "^(?:sdk/|node_modules/)",
    exclude: "^sdk/dist/|lazy-namespaces|bundle",
    doNotFollow: "node_modules",
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
  },
};
