import path from "node:path";
import { pinnedCli, repository } from "./pins";
import { run } from "./run";

/** Long enough for the download over a slow line, and less than building takes. */
const timeLimitMilliseconds = 3 * 60 * 1000;

const installer = path.join(__dirname, "install-release.ts");

/** How a release is called in the cache, for example `release-v3.259.0-linux-x64`. */
export function releaseName(): string {
  return `release-${pinnedCli().version}-${process.platform}-${process.arch}`;
}

/**
 * Installs the official release of the pinned version into `<directory>/bin`.
 *
 * @throws Error when releases cannot be downloaded here, or not within the time limit of three minutes
 */
export async function installRelease(
  directory: string,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
  timeLimit = AbortSignal.timeout(timeLimitMilliseconds),
): Promise<void> {
  try {
    const parameters = ["--require", "ts-node/register", installer, directory, pinnedCli().version];
    const either = AbortSignal.any([signal, timeLimit]);
    await run(process.execPath, parameters, { directory: repository, environment, signal: either });
  } catch (error) {
    if (timeLimit.aborted && !signal.aborted) {
      throw new Error("the download took too long", { cause: error });
    }
    throw error;
  }
}
