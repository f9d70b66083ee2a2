import { spawn } from "node:child_process";
import path from "node:path";

/** How many lines of a failed program's own words an error repeats. */
const linesOfFailure = 8;

/** Where and how a program runs. */
export interface RunOptions {
  /** The working directory. @default the directory of this process */
  readonly directory?: string;
  /** The complete environment: nothing is added to it. */
  readonly environment: NodeJS.ProcessEnv;
  /** Aborting it ends the program and everything that it started. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a program without a terminal and waits until it and all that it started have let go of its output.
 *
 * @returns what it wrote to standard output, trimmed
 * @throws Error when it cannot be started, is interrupted, or ends with another code than 0
 */
export async function run(command: string, parameters: string[], options: RunOptions): Promise<string> {
  options.signal?.throwIfAborted();
  // A group of its own lets one signal reach the compilers and downloaders that the program starts.
  const child = spawn(command, parameters, {
    cwd: options.directory,
    env: options.environment,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const interrupt = (): void => endGroup(child.pid);
  options.signal?.addEventListener("abort", interrupt, { once: true });

  const standardOutput = collect(child.stdout);
  const standardError = collect(child.stderr);
  try {
    const { code, signal } = await new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(
      (resolve, reject) => {
        child.once("error", reject);
        child.once("close", (code, signal) => resolve({ code, signal }));
      },
    );
    options.signal?.throwIfAborted();
    if (code !== 0) {
      const ending = code === null ? `was ended by ${signal ?? "a signal"}` : `ended with code ${code}`;
      const words = lastLines(standardError.join("")) || lastLines(standardOutput.join(""));
      throw new Error(`${path.basename(command)} ${ending}${words === "" ? "" : `: ${words}`}`);
    }
    return standardOutput.join("").trim();
  } finally {
    options.signal?.removeEventListener("abort", interrupt);
  }
}

function collect(stream: NodeJS.ReadableStream): string[] {
  const chunks: string[] = [];
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => chunks.push(chunk));
  return chunks;
}

function lastLines(text: string): string {
  return text.trim().split("\n").slice(-linesOfFailure).join("\n");
}

function endGroup(processId: number | undefined): void {
  if (processId === undefined) {
    return;
  }
  try {
    // Not SIGINT: a shell starts its background processes deaf to it.
    process.kill(-processId, "SIGTERM");
  } catch {
    // The group has just ended by itself.
  }
}
