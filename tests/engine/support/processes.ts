import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

interface Process {
  readonly id: number;
  readonly parent: number;
  readonly command: string;
}

/** The engine's provider processes that this process has started, through the CLI. */
export function providerProcesses(): number[] {
  return descendantsOf(process.pid)
    .filter(({ command }) => /\bnode\b.*[\\/]cmd[\\/]dynamic-provider/.test(command))
    .map(({ id }) => id);
}

/**
 * Kills the CLI, in which the engine is, and nothing else: what it has started goes on.
 *
 * @returns the provider processes that it had started, in whichever way
 */
export function killEngine(): readonly number[] {
  const started = descendantsOf(process.pid);
  started
    .filter(({ command }) => /^\S*[\\/]pulumi(\.exe)?\s/.test(command))
    .forEach(({ id }) => process.kill(id, "SIGKILL"));
  return started
    .filter(({ command }) =>
      /\bnode\b.*[\\/](cmd[\\/]dynamic-provider|pulumi-resource-trivium)/.test(command),
    )
    .map(({ id }) => id);
}

/** Whether a process runs. */
export function isRunning(id: number): boolean {
  return listProcesses().some((process) => process.id === id && !process.command.includes("<defunct>"));
}

/**
 * Ends the CLI and all that it has started, at once, as when their machine loses its power.
 *
 * @param cli Default: every process that this one has started, and what those have
 */
export function cutPower(cli?: number): void {
  const started = descendantsOf(cli ?? process.pid).map(({ id }) => id);
  for (const id of cli === undefined ? started : [cli, ...started]) {
    try {
      process.kill(id, "SIGKILL");
    } catch (error) {
      // What has listed the processes has ended by now.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
        throw error;
      }
    }
  }
}

function descendantsOf(ancestor: number): readonly Process[] {
  const processes = listProcesses();
  const descendants = new Set([ancestor]);
  // Children come after their parents only as long as no process id has been used again.
  for (let found = true; found;) {
    const size = descendants.size;
    processes.filter(({ parent }) => descendants.has(parent)).forEach(({ id }) => descendants.add(id));
    found = descendants.size > size;
  }
  return processes.filter(({ id }) => id !== ancestor && descendants.has(id));
}

/** Waits until something has happened that another process does. The test's own time limit ends a vain wait. */
export async function until(happened: () => boolean): Promise<void> {
  while (!happened()) {
    await sleep(20);
  }
}

function listProcesses(): Process[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  return lines.flatMap((line) => {
    const [, id, parent, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return id === undefined ? [] : [{ id: Number(id), parent: Number(parent), command }];
  });
}
