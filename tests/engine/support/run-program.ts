import { spawn } from "node:child_process";
import { once } from "node:events";

/** What a program has printed to both streams, as it came, and whether it went well. */
export interface Finished {
  readonly succeeded: boolean;
  readonly text: string;
}

/** What `npm run` and mocha hand down that would change what other projects install or resolve. */
const ours =
  /^(?:NODE_PATH|INIT_CWD|npm_(?:package|lifecycle)_.*|npm_config_(?:workspaces?|include_workspace_root|local_prefix|prefix|omit|dry_run|global|location|package_lock_only))$/i;

/** Runs a program without a terminal until it ends. @param interrupted sends SIGINT to its process group */
export async function runProgram(
  command: readonly string[],
  directory: string,
  environment = process.env,
  interrupted?: AbortSignal,
): Promise<Finished> {
  const [program = "", ...parameters] = command;
  const child = spawn(program, parameters, {
    cwd: directory,
    env: Object.fromEntries(Object.entries(environment).filter(([name]) => !ours.test(name))),
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, because Ctrl-C reaches the whole group.
    detached: interrupted !== undefined,
  });
  interrupted?.addEventListener("abort", () => process.kill(-(child.pid ?? Number.NaN), "SIGINT"));
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  }
  const [code] = (await once(child, "close")) as [number | null];
  return { succeeded: code === 0, text };
}
