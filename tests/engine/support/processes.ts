import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

interface Process {
  readonly id: number;
  readonly parent: number;
  readonly command: string;
}

/** The provider processes that this process has started through the CLI. */
export function providerProcesses(): number[] {
  return descendantsOf(process.pid)
    .filter(({ command }) => /\bnode\b.*[\\/]cmd[\\/]dynamic-provider/.test(command))
    .map(({ id }) => id);
}

/** Kills only the CLI, which contains the engine. @returns the provider processes that it had started */
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

export function isRunning(id: number): boolean {
  return listProcesses().some((process) => process.id === id && !process.command.includes("<defunct>"));
}

/** Kills a CLI and its descendants at once, as a power failure does. Default: every descendant of this process. */
export function cutPower(cli?: number): void {
  const started = descendantsOf(cli ?? process.pid).map(({ id }) => id);
  for (const id of cli === undefined ? started : [cli, ...started]) {
    try {
      process.kill(id, "SIGKILL");
    } catch (error) {
      // A listed process may have ended by now, such as `ps` itself.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
        throw error;
      }
    }
  }
}

function descendantsOf(ancestor: number): readonly Process[] {
  const processes = listProcesses();
  const descendants = new Set([ancestor]);
  // A parent may come after its child, because process ids are reused.
  for (let found = true; found;) {
    const size = descendants.size;
    processes.filter(({ parent }) => descendants.has(parent)).forEach(({ id }) => descendants.add(id));
    found = descendants.size > size;
  }
  return processes.filter(({ id }) => id !== ancestor && descendants.has(id));
}

/** The test's own time limit ends the wait. */
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
