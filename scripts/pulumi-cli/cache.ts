import { mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

const partialPrefix = ".partial-";
const abandonedAfterMilliseconds = 24 * 60 * 60 * 1000;

/** The directory that holds installations between runs; `TRIVIUM_PULUMI_CACHE` overrides it. */
export function cacheDirectory(environment: NodeJS.ProcessEnv): string {
  if (environment.TRIVIUM_PULUMI_CACHE) {
    return path.resolve(environment.TRIVIUM_PULUMI_CACHE);
  }
  const caches = environment.XDG_CACHE_HOME || path.join(environment.HOME || os.homedir(), ".cache");
  return path.join(caches, "pulumi-trivium");
}

/**
 * Creates the directory `entry` atomically: `fill` writes to a temporary directory beside it, which is renamed when it
 * is complete. A failure, an interruption or a concurrent process leaves no incomplete entry. An entry that exists
 * when this is called is treated as broken and replaced.
 */
export async function fillCacheEntry(
  entry: string,
  fill: (directory: string) => Promise<void>,
): Promise<void> {
  const cache = path.dirname(entry);
  await mkdir(cache, { recursive: true });
  await removeAbandoned(cache);
  await rm(entry, { recursive: true, force: true });
  const partial = await mkdtemp(path.join(cache, partialPrefix));
  try {
    await fill(partial);
    await rename(partial, entry);
  } catch (error) {
    // The name of an entry says all that it is made from, so one made meanwhile by another process is as good.
    if (!isTaken(error)) {
      throw error;
    }
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** A killed process cannot clean up, so the next one does. */
async function removeAbandoned(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const directory = path.join(cache, name);
    const { mtimeMs } = await stat(directory);
    if (name.startsWith(partialPrefix) && Date.now() - mtimeMs > abandonedAfterMilliseconds) {
      await rm(directory, { recursive: true, force: true });
    }
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOTEMPTY" || error.code === "EEXIST");
}
