import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { codeOf, isError } from "../base/errors";

const run = promisify(execFile);
const longestOutput = 64 * 1024 * 1024;

/**
 * Parses the JSON output of a CLI command, which can contain secrets.
 *
 * @param what the subject of an error message
 */
export async function askPulumi(
  args: readonly string[],
  signal: AbortSignal,
  what: string,
): Promise<unknown> {
  const unreadable = (reason: string): Error => new Error(`${what} could not be read: ${reason}`);
  // Not the cause of the thrown error: its other properties can contain secrets.
  const { stdout } = await run("pulumi", [...args, "--non-interactive"], {
    signal,
    maxBuffer: longestOutput,
  }).catch((failure: unknown) => {
    throw unreadable(reasonOf(failure));
  });
  try {
    return JSON.parse(stdout);
  } catch {
    throw unreadable("the output of the Pulumi CLI is not JSON.");
  }
}

/** Ignores standard output, which contains secrets. */
function reasonOf(error: unknown): string {
  if (codeOf(error) === "ENOENT") {
    return "the Pulumi CLI is not on the PATH.";
  }
  const text = isError(error) && "stderr" in error ? String(error.stderr).trim() : "";
  if (text === "") {
    return "the Pulumi CLI failed without a message.";
  }
  const reason = text.replace(/\s+/g, " ").replace(/^error: /, "");
  const sentence = `the Pulumi CLI failed: ${reason}${/[.!?]$/.test(reason) ? "" : "."}`;
  return /\blog(?:ged)? ?in\b/i.test(reason)
    ? `${sentence} Run \`pulumi login\`, or set PULUMI_BACKEND_URL.`
    : sentence;
}
