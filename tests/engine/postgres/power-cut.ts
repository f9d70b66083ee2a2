import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";

/** Ends a process and all that it has started, at once, as when their machine loses its power. */
export async function cutPower(child: ChildProcess): Promise<void> {
  const closed = once(child, "close");
  [child.pid ?? Number.NaN, ...descendantsOf(child.pid)].forEach(kill);
  await closed;
}

function descendantsOf(id: number | undefined): readonly number[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
  const processes = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const children = (parent: number | undefined): number[] =>
    processes.flatMap(([process = Number.NaN, of]) => (of === parent ? [process, ...children(process)] : []));
  return children(id);
}

function kill(id: number): void {
  try {
    process.kill(id, "SIGKILL");
  } catch (error) {
    // It may have ended by itself in this moment.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") {
      throw error;
    }
  }
}
