import { realpathSync } from "node:fs";
import path from "node:path";
import { directoriesOnPath, isExecutable } from "../programs";
import { run } from "./run";

/** Where an installation comes from: the person's own, Pulumi's official release, or a build with Go. */
export type PulumiSource = "path" | "release" | "built";

/** A Pulumi CLI that runs Node.js programs with dynamic resources. */
export interface PulumiInstallation {
  /** The path of `pulumi`. */
  readonly command: string;
  /** The directory of `pulumi`, its language host and its launcher; it belongs first on PATH. */
  readonly directory: string;
  /** What `pulumi version` says, for example `v3.259.0`. */
  readonly version: string;
  readonly source: PulumiSource;
  /**
   * The environment for `pulumi` and for what starts it: the environment of this process, the installation
   * first on PATH, and no connection to the Internet of the CLI's own accord. `extra` is applied last, so that
   * `PULUMI_HOME`, `PULUMI_BACKEND_URL` and `PULUMI_CONFIG_PASSPHRASE` are the caller's; `undefined` removes a
   * variable.
   */
  readonly environment: (extra?: NodeJS.ProcessEnv) => Record<string, string>;
}

/** What has to lie in one directory: the CLI, the Node.js language host and the dynamic providers' launcher. */
export const executables = {
  cli: "pulumi",
  languageHost: "pulumi-language-nodejs",
  launcher: "pulumi-resource-pulumi-nodejs",
} as const;

const quiet = {
  PULUMI_SKIP_UPDATE_CHECK: "true",
  PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
};

/** The executables that an installation in this directory would lack. */
function missingExecutables(directory: string): string[] {
  return Object.values(executables).filter((name) => !isExecutable(path.join(directory, name)));
}

/**
 * Describes the installation in a directory, after making sure that it is complete and runs.
 *
 * @throws Error saying what is missing, or why `pulumi version` failed
 */
export async function inspectInstallation(
  directory: string,
  source: PulumiSource,
  environment: NodeJS.ProcessEnv,
): Promise<PulumiInstallation> {
  const missing = missingExecutables(directory);
  if (missing.length > 0) {
    throw new Error(`${directory} lacks ${missing.join(" and ")}`);
  }
  const command = path.join(directory, executables.cli);
  const environmentWith = (extra?: NodeJS.ProcessEnv): Record<string, string> =>
    environmentFor(directory, { ...environment, ...quiet, ...extra });
  const version = await run(command, ["version"], { environment: environmentWith() });
  return { command, directory, version, source, environment: environmentWith };
}

/**
 * The installation that the person made: the first `pulumi` on PATH.
 *
 * @throws Error when there is none, when it cannot run Node.js dynamic providers, or when it does not run
 */
export async function inspectPath(environment: NodeJS.ProcessEnv): Promise<PulumiInstallation> {
  const directory = directoriesOnPath(environment).find((candidate) =>
    isExecutable(path.join(candidate, executables.cli)),
  );
  if (directory === undefined) {
    throw new Error("there is none");
  }
  // Package managers link `pulumi` alone into a common directory and keep its companions beside the original.
  const original = path.dirname(realpathSync(path.join(directory, executables.cli)));
  const complete = [directory, original].find((candidate) => missingExecutables(candidate).length === 0);
  return inspectInstallation(complete ?? directory, "path", environment);
}

function environmentFor(directory: string, environment: NodeJS.ProcessEnv): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined) {
      defined[name] = value;
    }
  }
  defined.PATH = [directory, environment.PATH].filter(Boolean).join(path.delimiter);
  return defined;
}
