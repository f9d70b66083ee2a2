import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

export function cacheDirectory(environment: NodeJS.ProcessEnv): string {
  if (environment.TRIVIUM_PULUMI_CACHE) {
    return path.resolve(environment.TRIVIUM_PULUMI_CACHE);
  }
  const caches = environment.XDG_CACHE_HOME || path.join(environment.HOME || os.homedir(), ".cache");
  return path.join(caches, "pulumi-trivium");
}

/** Fills a temporary directory and renames it, so that an entry is complete. Replaces an existing, broken entry. */
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
    // The name covers all inputs, so an entry from another process is equivalent.
    if (!(error instanceof Error && "code" in error && /^(?:ENOTEMPTY|EEXIST)$/.test(String(error.code)))) {
      throw error;
    }
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}
