import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { repository } from "../support/packed-library";

/** What a process that has ended has printed. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a script, in which `require("./sdk/...")` finds the sources, in a process that looks like the engine's for
 * dynamic providers.
 *
 * @param engineAddress where that process is told that the engine listens
 */
export async function runAsProvider(script: string, engineAddress = "127.0.0.1:1"): Promise<Printed> {
  const sdk = "/somewhere/node_modules/@pulumi/pulumi/cmd/dynamic-provider";
  const options = ["--require", "ts-node/register", "--eval", script, sdk, engineAddress];
  return promisify(execFile)(process.execPath, options, { cwd: repository });
}
