import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { repository } from "../../support/packed-library";

/** A script of this directory, run in a process of its own from the sources. */
export interface Child {
  readonly process: ChildProcess;
  /** Everything on standard output and standard error so far. */
  output(): string;
  /** The exit code; -1 when a signal has ended it. */
  readonly ended: Promise<number>;
}

/** @param options of Node.js itself */
export function runChild(
  script: string,
  environment: Readonly<Record<string, string>>,
  options: readonly string[] = [],
): Child {
  let output = "";
  const child = spawn(
    process.execPath,
    [...options, "--require", "ts-node/register", join(__dirname, script)],
    { cwd: repository, env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "pipe"] },
  );
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text: Buffer) => (output += text.toString()));
  }
  const ended = once(child, "close").then(([code]) => (code as number | null) ?? -1);
  return { process: child, output: () => output, ended };
}
