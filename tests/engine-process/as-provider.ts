import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { repository } from "../support/packed-library";

/** What a process that has ended has printed. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  /** Only where it is not 0. */
  readonly code?: number;
}

/**
 * Runs a script, in which `require("./sdk/...")` finds the sources, in a process that looks like the engine's for
 * dynamic providers.
 *
 * @param engineAddress the address of the engine that the process receives
 * @param sdk the directory of the SDK whose process it is
 */
export function runAsProvider(
  script: string,
  engineAddress = "127.0.0.1:1",
  sdk = "/somewhere/node_modules/@pulumi/pulumi",
): Promise<Printed> {
  const file = join(sdk, "cmd", "dynamic-provider");
  const options = ["--require", "ts-node/register", "--eval", script, file, engineAddress];
  const run = promisify(execFile)(process.execPath, options, { cwd: repository });
  return run.catch((error: unknown) => error as Printed);
}
