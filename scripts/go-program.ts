import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

export interface GoProgram {
  /** The directory of its `go.mod` and `go.sum`. */
  readonly directory: string;
  readonly package: string;
  /** The pinned version of its module, such as `v3.259.0`. */
  readonly version: string;
  /** The oldest Go that builds it, such as `1.26`. */
  readonly goVersion: string;
}

/** @param packageInModule `.` for the directory's own program */
export function pinnedProgram(tool: string, module: string, packageInModule: string): GoProgram {
  const directory = path.join(__dirname, "..", "tools", tool);
  const text = readFileSync(path.join(directory, "go.mod"), "utf8");
  const versionOf = (name: string): string => {
    const found = text.split("\n").map((line) => line.replace("require ", "").trim().split(/\s+/));
    const version = found.find(([first]) => first === name)?.[1];
    if (version === undefined) {
      throw new Error(`${directory}/go.mod has no version of ${name}`);
    }
    return version;
  };
  return {
    directory,
    package: packageInModule === "." ? "." : `${module}/${packageInModule}`,
    version: versionOf(module),
    goVersion: versionOf("go"),
  };
}

/** The name in the cache changes with every input of the build. */
export function buildName(
  name: string,
  programs: readonly [GoProgram, ...GoProgram[]],
  ...texts: string[]
): string {
  const hash = createHash("sha256");
  for (const { directory } of programs) {
    ["go.mod", "go.sum"].forEach((file) => hash.update(readFileSync(path.join(directory, file))));
  }
  texts.forEach((text) => hash.update(text));
  const fingerprint = hash.digest("hex").slice(0, 12);
  return [name, programs[0].version, fingerprint, process.platform, process.arch].join("-");
}

/** Excludes the user's workspace, cross-compilation and C compiler from the build. */
const plainGo = { CGO_ENABLED: "0", GOWORK: "off", GOOS: "", GOARCH: "" };
/** The compiler's own garbage collection would take a sixth of the build of the CLI. */
const quickCompiler = { GOGC: "400" };
const versionVariable = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version";

/** @returns the output of `go` @throws Error if `go` is missing, or with its output */
export async function runGo(
  program: GoProgram,
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const options = { cwd: program.directory, env: { ...quickCompiler, ...environment, ...plainGo } };
  return (await promisify(execFile)("go", parameters, options)).stdout;
}

/** @param output the executable @throws Error if a module cannot be downloaded, or the build fails */
export async function buildProgram(
  program: GoProgram,
  output: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const flags = ["-mod=readonly", "-trimpath", "-buildvcs=false"];
  const linking = ["-ldflags", `-s -w -X ${versionVariable}=${program.version}`];
  await runGo(program, ["build", ...flags, ...linking, "-o", output, program.package], environment);
}
