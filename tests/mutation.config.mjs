// @ts-check
// StrykerJS changes the code in small ways, one at a time, and the tests that reach the change have to notice it.
// usage: npm run test:mutation -- --mutate sdk/http/retry.ts   (paths or patterns below sdk/, with commas)
//
// Mutants that make no difference:
// - http/http-transport.ts, `exhausted: false` to `true`: a stream is never repeated, so its failures do not say that every attempt was used
// - http/failures.ts, `true` to `false`: a success that cannot be understood has an error that says so itself
// - http/limiter.ts, `<` to `<=` at the shortest spacing: no number of successes brings the spacing to exactly this
// - http/retry.ts, `<` to `<=` at half of the time: this is neither a wait nor a time that a service means
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";

// The runner for this version of Node.js looks for files of mocha that are called .cjs since mocha 12.
const findCommonJs = (/** @type {NodeJS.Require} */ { extensions }) => {
  extensions[".cjs"] ??= extensions[".js"];
};
findCommonJs(createRequire(import.meta.url));

/** Directories of sdk/ to mutate without `--mutate`, and the tests that must notice, below tests/. */
const areas = {
  // The emulator computes what the parser has read.
  "go-template": ["go-template/", "testing/secrets/template"],
  http: ["http/"],
  // The doctor shows what the probe finds.
  connection: ["connection/", "command-line/doctor/"],
  // What lifecycles do shows in the classes that have their traits.
  resource: ["resource/", "functions/", "lifecycles", "plugin/", "provisioning/", "secrets/"],
};

const option = process.argv.indexOf("--mutate");
const mutate =
  option < 0 ? Object.keys(areas).map((area) => `sdk/${area}/**/*.ts`) : process.argv[option + 1]?.split(",");
const chosen = (mutate ?? []).flatMap((file) => {
  const [, area = ""] = /^sdk\/([^/]+)/.exec(file) ?? [];
  return Reflect.get(areas, area) ?? [`${area}/`];
});

// Property tests in files of their own draw so many values that a mutant would cost minutes, as the Pulumi CLI does. The
// steps of a story need each other, and the runner picks single tests. The schema has the doc comments, which the runner
// takes out of the sources.
const tests = readdirSync("tests", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts") && !file.endsWith(".property.test.ts"))
  .filter((file) => chosen.some((beginning) => file.startsWith(beginning)))
  .map((file) => `tests/${file}`)
  .filter((file) => !/resets: false|testCli|generateSchema/.test(readFileSync(file, "utf8")));

/** @type {import("@stryker-mutator/api/core").PartialStrykerOptions} */
const options = {
  mutate,
  testRunner: "mocha",
  testRunnerNodeArgs: ["--import", import.meta.url],
  mochaOptions: {
    spec: tests,
    require: ["ts-node/register/transpile-only", "tests/support/property-tests.ts"],
  },
  coverageAnalysis: "perTest",
  concurrency: Number(process.env.MUTATION_WORKERS ?? 1),
  // The compiler refuses some of the mutants that remain: `npm run check` notices these.
  checkers: [],
  disableTypeChecks: false,
  ignorePatterns: ["/*", "!/sdk", "!/tests", "!/scripts", "!/package.json", "!/tsconfig.json"],
  tempDirName: ".cache/mutation",
  reporters: ["clear-text", "progress-append-only"],
  timeoutMS: 10_000,
  timeoutFactor: 2,
};
export default options;
