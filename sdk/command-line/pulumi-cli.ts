import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const longestOutput = 64 * 1024 * 1024;

/**
 * Runs the Pulumi CLI in the working directory.
 *
 * @param what what is asked for, as the beginning of a sentence for people
 * @returns its standard output, which may hold secrets
 * @throws Error if there is no CLI, no such stack, or no project in the working directory
 */
export async function askPulumi(args: readonly string[], signal: AbortSignal, what: string): Promise<string> {
  // What the failure holds beside its reason may be secret, so it is no cause of the error that is thrown.
  const { stdout } = await run("pulumi", [...args, "--non-interactive"], {
    signal,
    maxBuffer: longestOutput,
  }).catch((failure: unknown) => {
    throw unreadable(what, reasonOf(failure));
  });
  return stdout;
}

/** The error for something that the CLI could not tell. */
export function unreadable(what: string, reason: string): Error {
  return new Error(`${what} could not be read: ${reason}`);
}

/** Never from its standard output, which holds secrets. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") {
    return "the Pulumi CLI is not on the PATH.";
  }
  const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  return said === ""
    ? "the Pulumi CLI failed without a message."
    : `the Pulumi CLI failed: ${said.replace(/\s+/g, " ").replace(/^error: /, "")}`;
}
