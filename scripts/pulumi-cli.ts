import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { cacheDirectory, fillCacheEntry } from "./cache";
import { buildName, buildProgram, pinnedProgram } from "./go-program";
import { directoriesOnPath, isExecutable } from "./programs";

const run = promisify(execFile);
const pinnedCli = pinnedProgram("pulumi-cli", "github.com/pulumi/pulumi/pkg/v3", "cmd/pulumi");
const pinnedHost = pinnedProgram(
  "pulumi-language-nodejs",
  "github.com/pulumi/pulumi/sdk/v3",
  "nodejs/cmd/pulumi-language-nodejs",
);

export type PulumiSource = "path" | "release" | "built";

export interface PulumiInstallation {
  readonly command: string;
  /** The directory of `pulumi`, its language host and its launcher; put it first on PATH. */
  readonly directory: string;
  /** The output of `pulumi version`, such as `v3.259.0`. */
  readonly version: string;
  readonly source: PulumiSource;
  /** Puts the installation first on PATH and keeps the CLI offline; `undefined` in `extra` removes a variable. */
  readonly environment: (extra?: NodeJS.ProcessEnv) => Record<string, string>;
}

/** Must be in one directory: the CLI, the Node.js language host and the launcher of dynamic providers. */
const executables = ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"] as const;

/** Starts the dynamic provider of the program's `@pulumi/pulumi`: a build from the Go modules includes no launcher. */
const launcher = `#!/bin/sh
provider=$(node -p 'require.resolve("@pulumi/pulumi/cmd/dynamic-provider")') || exit
exec node "$provider" "$@"
`;

const quiet = { PULUMI_SKIP_UPDATE_CHECK: "true", PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true" };

/** Tries `pulumi` on PATH, then the official release, then a build with Go; the last two are cached. */
export async function ensurePulumiCli(
  options: { readonly environment?: NodeJS.ProcessEnv } = {},
): Promise<PulumiInstallation> {
  const { environment = process.env } = options;
  const { version, goVersion } = pinnedCli;
  const cache = cacheDirectory(environment);
  const release = path.join(cache, `release-${version}-${process.platform}-${process.arch}`);
  const build = path.join(cache, buildName("built", [pinnedCli, pinnedHost], launcher));
  const cached = (entry: string, source: PulumiSource): Promise<PulumiInstallation> =>
    inspect(path.join(entry, "bin"), source, environment);
  const create = async (
    entry: string,
    source: PulumiSource,
    fill: (directory: string, environment: NodeJS.ProcessEnv) => Promise<void>,
  ): Promise<PulumiInstallation> => {
    await fillCacheEntry(entry, async (directory) => {
      await fill(directory, environment);
      await inspect(path.join(directory, "bin"), source, environment);
    });
    return cached(entry, source);
  };
  const sources: readonly (readonly [what: string, find: () => Promise<PulumiInstallation>])[] = [
    ["pulumi on PATH", () => inspectPath(environment)],
    ["release in the cache", () => cached(release, "release")],
    ["build in the cache", () => cached(build, "built")],
    [`official release ${version}`, () => create(release, "release", installRelease)],
    [`build of ${version} with Go`, () => create(build, "built", buildWithGo)],
  ];
  const failures: string[] = [];
  for (const [what, find] of sources) {
    try {
      return await find();
    } catch (error) {
      failures.push(`  - ${what}: ${error instanceof Error ? error.message.trim() : String(error)}`);
    }
  }
  throw new Error(
    `No Pulumi CLI works here. Tried:\n${failures.join("\n")}\nInstall the Pulumi CLI so that "pulumi" is on PATH, ` +
      `or install Go ${goVersion} or newer, then run this again.`,
  );
}

async function inspect(
  directory: string,
  source: PulumiSource,
  outer: NodeJS.ProcessEnv,
): Promise<PulumiInstallation> {
  const missing = executables.filter((name) => !isExecutable(path.join(directory, name)));
  if (missing.length > 0) {
    throw new Error(`${directory} has no ${missing.join(" and no ")}`);
  }
  const environment = (extra?: NodeJS.ProcessEnv): Record<string, string> => {
    const all: NodeJS.ProcessEnv = { ...outer, ...quiet, ...extra };
    all.PATH = [directory, all.PATH].filter(Boolean).join(path.delimiter);
    return Object.fromEntries(
      Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  };
  const command = path.join(directory, executables[0]);
  const { stdout } = await run(command, ["version"], { env: environment() });
  return { command, directory, version: stdout.trim(), source, environment };
}

/** The first `pulumi` on PATH, or the target of its link. */
async function inspectPath(environment: NodeJS.ProcessEnv): Promise<PulumiInstallation> {
  const has = (directory: string, names: readonly string[]): boolean =>
    names.every((name) => isExecutable(path.join(directory, name)));
  const directory = directoriesOnPath(environment).find((each) => has(each, [executables[0]]));
  if (directory === undefined) {
    throw new Error("there is none");
  }
  const original = path.dirname(realpathSync(path.join(directory, executables[0])));
  return inspect(has(directory, executables) ? directory : original, "path", environment);
}

/** In a process of its own, because a download by the Automation API has no time limit. */
async function installRelease(directory: string, environment: NodeJS.ProcessEnv): Promise<void> {
  report("downloading the official release of the Pulumi CLI");
  const program = `require("@pulumi/pulumi/automation").PulumiCommand.install({
    root: process.argv[1], version: new (require("semver").SemVer)(process.argv[2]) })
    .catch((error) => { console.error(error.message); process.exitCode = 1; })`;
  const parameters = ["--eval", program, directory, pinnedCli.version];
  await run(process.execPath, parameters, { cwd: __dirname, env: environment, timeout: 180_000 });
}

async function buildWithGo(directory: string, environment: NodeJS.ProcessEnv): Promise<void> {
  report("building the Pulumi CLI with Go (once; about four minutes on two cores)");
  const bin = path.join(directory, "bin");
  await mkdir(bin);
  await writeFile(path.join(bin, "pulumi-resource-pulumi-nodejs"), launcher, { mode: 0o755 });
  // The quick build first: a missing Go or module shows within seconds.
  await buildProgram(pinnedHost, path.join(bin, "pulumi-language-nodejs"), environment);
  await buildProgram(pinnedCli, path.join(bin, "pulumi"), environment);
}

function report(line: string): void {
  process.stderr.write(`pulumi-cli: ${line}\n`);
}

if (require.main === module) {
  ensurePulumiCli().then(
    ({ command, version, source }) =>
      process.stdout.write(`command  ${command}\nversion  ${version}\nsource   ${source}\n`),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    },
  );
}
