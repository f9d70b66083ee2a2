import { createHash } from "node:crypto";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

/** A Go program that `tools/` pins. */
export interface GoProgram {
  /** The directory of the `go.mod` and `go.sum` that pin it and all that it needs. */
  readonly directory: string;
  /** The package to build. */
  readonly package: string;
  /** The pinned version of its module, for example `v3.259.0`. */
  readonly version: string;
  /** The oldest Go that builds it, for example `1.26`. */
  readonly goVersion: string;
}

/** Reads the pins of a directory of `tools/`. @param packageInModule `.` is the directory's own program */
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

/** The name of a build in the cache: it changes with everything that the build is made from. */
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
  const recipe = hash.digest("hex").slice(0, 12);
  return [name, programs[0].version, recipe, process.platform, process.arch].join("-");
}

/** The person's workspace, cross-compilation and C compiler have no part in a build. */
const plainGo = { CGO_ENABLED: "0", GOWORK: "off", GOOS: "", GOARCH: "" };
const versionVariable = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version";

/** Runs `go` in a program's directory. @returns its output @throws Error if `go` is missing, or with what it printed */
export async function runGo(
  program: GoProgram,
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<string> {
  const options = { cwd: program.directory, env: { ...environment, ...plainGo } };
  return (await promisify(execFile)("go", parameters, options)).stdout;
}

/** Builds a program. @param output the executable @throws Error if a module cannot be downloaded, or the build fails */
export async function buildProgram(
  program: GoProgram,
  output: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const plain = ["-mod=readonly", "-trimpath", "-buildvcs=false"];
  const linking = ["-ldflags", `-s -w -X ${versionVariable}=${program.version}`];
  await runGo(program, ["build", ...plain, ...linking, "-o", output, program.package], environment);
}
