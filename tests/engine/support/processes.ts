import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

const provider = /\bnode\b.*[\\/](cmd[\\/]dynamic-provider|pulumi-resource-trivium)/;

/** Kills only the CLI, which contains the engine. @returns the provider processes that it had started */
export function killEngine(): readonly number[] {
  const providers = descendantsOf(process.pid, provider);
  descendantsOf(process.pid, /^\S*[\\/]pulumi(\.exe)?\s/).forEach((id) => process.kill(id, "SIGKILL"));
  return providers;
}

/** Kills a CLI and its descendants at once, as a power failure does. Default: every descendant of this process. */
export function cutPower(cli?: number): void {
  for (const id of [cli ?? [], descendantsOf(cli ?? process.pid)].flat()) {
    try {
      process.kill(id, "SIGKILL");
    } catch (error) {
      // A listed process might have ended by now, such as `ps` itself.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
        throw error;
      }
    }
  }
}

export function isRunning(id: number): boolean {
  return listProcesses().some((process) => process.id === id && !process.command.includes("<defunct>"));
}

/** The test's own time limit ends the wait. */
export async function until(happened: () => boolean): Promise<void> {
  while (!happened()) {
    await sleep(20);
  }
}

function descendantsOf(ancestor: number, wanted = /(?:)/): readonly number[] {
  const processes = listProcesses();
  const descendants = new Set([ancestor]);
  // A parent can come after its child, because process ids are reused.
  for (let size = 0; size < descendants.size;) {
    size = descendants.size;
    processes.filter(({ parent }) => descendants.has(parent)).forEach(({ id }) => descendants.add(id));
  }
  descendants.delete(ancestor);
  return processes
    .filter(({ id, command }) => descendants.has(id) && wanted.test(command))
    .map(({ id }) => id);
}

function listProcesses() {
  const text = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  return [...text.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm)].map(([, id, parent, command = ""]) => {
    return { id: Number(id), parent: Number(parent), command };
  });
}
