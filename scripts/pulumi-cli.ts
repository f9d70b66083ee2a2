import { mkdir, rm } from "node:fs/promises";
import path from "node:path";
import { buildName, buildWithGo } from "./pulumi-cli/build";
import { cacheDirectory, fillCacheEntry } from "./pulumi-cli/cache";
import {
  inspectInstallation,
  inspectPath,
  type PulumiInstallation,
  type PulumiSource,
} from "./pulumi-cli/installation";
import { interruptible } from "./pulumi-cli/interruption";
import { pinnedCli } from "./pulumi-cli/pins";
import { installRelease, releaseName } from "./pulumi-cli/release";
import { timed, type Report } from "./pulumi-cli/report";

export type { PulumiInstallation, PulumiSource } from "./pulumi-cli/installation";

/** What a caller of {@link ensurePulumiCli} may choose. */
export interface EnsurePulumiCliOptions {
  /**
   * Where PATH, HOME and the names of directories are read, and what child processes get.
   * @default the environment of this process
   */
  readonly environment?: NodeJS.ProcessEnv;
  /** Takes the progress, a line at a time. @default standard error */
  readonly report?: Report;
  /** Installs the official release into `<directory>/bin`. @default the Automation API does */
  readonly installRelease?: typeof installRelease;
}

/** None of the ways to a Pulumi CLI works here; the message says why for each, and what to do. */
export class PulumiCliUnavailableError extends Error {
  constructor(readonly attempts: readonly string[]) {
    const list = attempts.map((attempt) => `  - ${attempt.replaceAll("\n", "\n    ")}`).join("\n");
    super(
      `No Pulumi CLI can be had. Tried:\n${list}\n` +
        `Install the Pulumi CLI so that "pulumi" is on PATH, or install Go ${pinnedCli().goVersion} or newer, ` +
        "then run this again.",
    );
    this.name = "PulumiCliUnavailableError";
  }
}

/**
 * Finds or builds a Pulumi CLI that runs Node.js programs with dynamic resources. The order is: `pulumi` on PATH, the
 * official release of the pinned version, a build with Go from the modules pinned under `tools/`. The last two are
 * cached, so only the first call takes long.
 *
 * @throws PulumiCliUnavailableError when none of them works
 */
export async function ensurePulumiCli(options: EnsurePulumiCliOptions = {}): Promise<PulumiInstallation> {
  const environment = options.environment ?? process.env;
  const report = options.report ?? reportToStandardError;
  const install = options.installRelease ?? installRelease;
  const cache = cacheDirectory(environment);
  const release = path.join(cache, releaseName());
  const build = path.join(cache, buildName());

  return interruptible(async (signal) => {
    const attempts: string[] = [];
    const attempt = async <Result>(
      what: string,
      action: () => Promise<Result>,
    ): Promise<Result | undefined> => {
      try {
        return await action();
      } catch (error) {
        signal.throwIfAborted();
        attempts.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
        return undefined;
      }
    };
    const make = async (
      entry: string,
      source: PulumiSource,
      fill: (directory: string, environment: NodeJS.ProcessEnv) => Promise<void>,
    ): Promise<PulumiInstallation> => {
      await fillCacheEntry(entry, async (directory) => {
        // Neither Go nor the installer removes its temporary files when it is interrupted; here they go with the rest.
        const temporary = path.join(directory, "temporary");
        await mkdir(temporary);
        await fill(directory, { ...environment, TMPDIR: temporary });
        await rm(temporary, { recursive: true });
        await inspectInstallation(path.join(directory, "bin"), source, environment);
      });
      return inspectInstallation(path.join(entry, "bin"), source, environment);
    };

    const { version } = pinnedCli();
    const installing = `installing the official release ${version} of the Pulumi CLI`;
    return (
      (await attempt("pulumi on PATH", () => inspectPath(environment))) ??
      (await inspectCached(release, "release", environment)) ??
      (await inspectCached(build, "built", environment)) ??
      (await attempt(`official release ${version}`, () =>
        timed(report, installing, () =>
          make(release, "release", (directory, surroundings) => install(directory, surroundings, signal)),
        ),
      )) ??
      (await attempt(`build of ${version} with Go`, () =>
        make(build, "built", (directory, surroundings) =>
          buildWithGo(path.join(directory, "bin"), { environment: surroundings, report, signal }),
        ),
      )) ??
      unavailable(attempts)
    );
  });
}

/** An entry that does not run, because of a damaged disk or another system, is replaced. */
async function inspectCached(
  entry: string,
  source: PulumiSource,
  environment: NodeJS.ProcessEnv,
): Promise<PulumiInstallation | undefined> {
  return inspectInstallation(path.join(entry, "bin"), source, environment).catch(() => undefined);
}

function unavailable(attempts: readonly string[]): never {
  throw new PulumiCliUnavailableError(attempts);
}

function reportToStandardError(line: string): void {
  process.stderr.write(`pulumi-cli: ${line}\n`);
}

async function main(): Promise<void> {
  const { command, version, source } = await ensurePulumiCli();
  process.stdout.write(`command  ${command}\nversion  ${version}\nsource   ${source}\n`);
}

if (require.main === module) {
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
