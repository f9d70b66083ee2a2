import { createHash } from "node:crypto";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Caller } from "../base/caller";
import { succeeds } from "../base/errors";
import { KeyedMutex, systemRuntime } from "../base/timing";
import { isAlive, privateDirectory } from "./shared-notes";

const turns = new KeyedMutex();
const betweenAttempts = 20;

/** A killed process's ID might since belong to another process. */
const longestMilliseconds = 300_000;

/**
 * Per-key mutex for all processes of this user on this machine, because each resource can have its own
 * process.
 */
export function aloneOnMachine<Result>(
  { signal }: Pick<Caller, "signal">,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return turns.run(key, async () => {
    const release = await lock(signal, createHash("sha256").update(key).digest("hex").slice(0, 32));
    try {
      return await work();
    } finally {
      release();
    }
  });
}

/** Never fails: without a directory, only the work within each process takes turns. */
async function lock(signal: AbortSignal, name: string): Promise<() => boolean> {
  let file = "";
  let isOwn = false;
  const isTaken = (): boolean => {
    try {
      file = path.join(privateDirectory("pulumi-trivium-locks"), name);
      writeFileSync(file, String(process.pid), { flag: "wx", mode: 0o600 });
      isOwn = true;
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "EEXIST";
    }
  };
  // The requests of a canceled caller fail on their own.
  while (!signal.aborted && isTaken()) {
    if (isAbandoned(file)) {
      succeeds(() => rmSync(file, { force: true }));
    } else {
      await systemRuntime.sleep(betweenAttempts, signal).catch(() => undefined);
    }
  }
  return () => isOwn && succeeds(() => rmSync(file, { force: true }));
}

function isAbandoned(file: string): boolean {
  try {
    const owner = readFileSync(file, "utf8");
    // Its owner creates the file before it writes its id.
    const isDead = owner !== "" && !isAlive(Number(owner));
    return isDead || Date.now() - statSync(file).mtimeMs > longestMilliseconds;
  } catch {
    return false;
  }
}
