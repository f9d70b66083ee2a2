import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const longestOutput = 64 * 1024 * 1024;

/**
 * @param what the subject of an error message
 * @returns standard output, which may contain secrets
 */
export async function askPulumi(args: readonly string[], signal: AbortSignal, what: string): Promise<string> {
  // Not the cause of the thrown error: its other properties may contain secrets.
  const { stdout } = await run("pulumi", [...args, "--non-interactive"], {
    signal,
    maxBuffer: longestOutput,
  }).catch((failure: unknown) => {
    throw unreadable(what, reasonOf(failure));
  });
  return stdout;
}

export function unreadable(what: string, reason: string): Error {
  return new Error(`${what} could not be read: ${reason}`);
}

/** Ignores standard output, which contains secrets. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") {
    return "the Pulumi CLI is not on the PATH.";
  }
  const said = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  return said === ""
    ? "the Pulumi CLI failed without a message."
    : `the Pulumi CLI failed: ${said.replace(/\s+/g, " ").replace(/^error: /, "")}`;
}
