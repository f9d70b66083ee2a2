import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

/** The directory that holds what is built or downloaded once; `TRIVIUM_PULUMI_CACHE` overrides it. */
export function cacheDirectory(environment: NodeJS.ProcessEnv): string {
  if (environment.TRIVIUM_PULUMI_CACHE) {
    return path.resolve(environment.TRIVIUM_PULUMI_CACHE);
  }
  const caches = environment.XDG_CACHE_HOME || path.join(environment.HOME || os.homedir(), ".cache");
  return path.join(caches, "pulumi-trivium");
}

/**
 * Creates the directory `entry` atomically: `fill` writes to a temporary directory beside it, which is renamed when it
 * is complete. An entry that exists when this is called is treated as broken and replaced.
 */
export async function fillCacheEntry(
  entry: string,
  fill: (directory: string) => Promise<void>,
): Promise<void> {
  await mkdir(path.dirname(entry), { recursive: true });
  await rm(entry, { recursive: true, force: true });
  const partial = await mkdtemp(path.join(path.dirname(entry), ".partial-"));
  try {
    await fill(partial);
    await rename(partial, entry);
  } catch (error) {
    // The name of an entry says all that it is made from, so one made meanwhile by another process is as good.
    if (!(error instanceof Error && "code" in error && /^(?:ENOTEMPTY|EEXIST)$/.test(String(error.code)))) {
      throw error;
    }
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
