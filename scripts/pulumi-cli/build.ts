import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { executables } from "./installation";
import { fingerprint, pinnedCli, pinnedLanguageHost, type PinnedProgram } from "./pins";
import { timed, type Report } from "./report";
import { run } from "./run";

/**
 * Starts the dynamic provider that comes with the `@pulumi/pulumi` of the program in the working directory.
 * Releases of the CLI carry an equivalent; a build from the Go modules does not.
 */
const launcher = `#!/bin/sh
provider=$(node -p 'require.resolve("@pulumi/pulumi/cmd/dynamic-provider")') || exit
exec node "$provider" "$@"
`;

const versionVariable = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version";

/** The person's workspace, cross-compilation, C compiler and temporary directory have no part in a build. */
const plainGo = { CGO_ENABLED: "0", GOWORK: "off", GOOS: "", GOARCH: "", GOTMPDIR: "" };

/** How a build is called in the cache, for example `built-v3.259.0-1f2e3d4c5b6a-linux-x64`. */
export function buildName(): string {
  const cli = pinnedCli();
  const recipe = fingerprint([cli, pinnedLanguageHost()], launcher);
  return `built-${cli.version}-${recipe}-${process.platform}-${process.arch}`;
}

/** What a build needs from its environment. */
export interface BuildOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly report: Report;
  readonly signal: AbortSignal;
}

/**
 * Builds the pinned CLI and language host with Go and adds the launcher.
 *
 * @throws Error when `go` is missing or too old, a module cannot be downloaded, or a build fails
 */
export async function buildWithGo(directory: string, options: BuildOptions): Promise<void> {
  const cli = pinnedCli();
  const languageHost = pinnedLanguageHost();
  await mkdir(directory, { recursive: true });
  const file = path.join(directory, executables.launcher);
  await writeFile(file, launcher);
  await chmod(file, 0o755);
  // The quick one first: a missing Go or module shows within seconds.
  await timed(options.report, `building the Node.js language host ${languageHost.version} with Go`, () =>
    buildProgram(languageHost, path.join(directory, executables.languageHost), options),
  );
  await timed(
    options.report,
    `building the Pulumi CLI ${cli.version} with Go (once; takes about four minutes on two cores)`,
    () => buildProgram(cli, path.join(directory, executables.cli), options),
  );
}

/**
 * Builds one program.
 *
 * @param output the executable
 * @throws Error when `go` is missing or too old, a module cannot be downloaded, or the build fails
 */
export async function buildProgram(
  program: PinnedProgram,
  output: string,
  options: Omit<BuildOptions, "report">,
): Promise<void> {
  const linking = `-s -w -X ${versionVariable}=${program.version}`;
  await run(
    "go",
    [
      "build",
      "-mod=readonly",
      "-trimpath",
      "-buildvcs=false",
      "-ldflags",
      linking,
      "-o",
      output,
      program.package,
    ],
    {
      directory: program.directory,
      environment: { ...options.environment, ...plainGo },
      signal: options.signal,
    },
  );
}
