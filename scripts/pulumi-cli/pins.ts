import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";

/** The root of this repository. */
export const repository = path.resolve(__dirname, "..", "..");

/** A Go program that this repository pins and can build. */
export interface PinnedProgram {
  /** The directory of the `go.mod` and `go.sum` that pin it and all that it needs. */
  readonly directory: string;
  /** The package to build. */
  readonly package: string;
  /** The pinned version of its module, for example `v3.259.0`. */
  readonly version: string;
  /** The oldest Go that builds it, for example `1.26`. */
  readonly goVersion: string;
}

/** The Pulumi CLI itself. */
export function pinnedCli(): PinnedProgram {
  return readPin("pulumi-cli", "github.com/pulumi/pulumi/pkg/v3", "cmd/pulumi");
}

/** The language host, which starts Node.js for the CLI: a module of its own, released with the CLI. */
export function pinnedLanguageHost(): PinnedProgram {
  return readPin(
    "pulumi-language-nodejs",
    "github.com/pulumi/pulumi/sdk/v3",
    "nodejs/cmd/pulumi-language-nodejs",
  );
}

/** The language host that starts Python, in the module of the Node.js one. */
export function pinnedPythonHost(): PinnedProgram {
  return readPin(
    "pulumi-language-nodejs",
    "github.com/pulumi/pulumi/sdk/v3",
    "python/cmd/pulumi-language-python",
  );
}

/** What generates SDKs in other languages from a schema; its module needs the one that holds Python's `pulumi`. */
export function pinnedSdkGenerator(): PinnedProgram {
  return { ...readPin("generate-sdk", "github.com/pulumi/pulumi/pkg/v3", "codegen"), package: "." };
}

/** The linter of GitHub workflows. */
export function pinnedActionlint(): PinnedProgram {
  return readPin("actionlint", "github.com/rhysd/actionlint", "cmd/actionlint");
}

/** A short text that changes with everything that a build is made from. */
export function fingerprint(programs: readonly PinnedProgram[], ...texts: string[]): string {
  const hash = createHash("sha256");
  for (const program of programs) {
    for (const name of ["go.mod", "go.sum"]) {
      hash.update(readFileSync(path.join(program.directory, name)));
    }
  }
  for (const text of texts) {
    hash.update(text);
  }
  return hash.digest("hex").slice(0, 12);
}

function readPin(tool: string, module: string, packageInModule: string): PinnedProgram {
  const directory = path.join(repository, "tools", tool);
  const file = path.join(directory, "go.mod");
  const words = readFileSync(file, "utf8")
    .split("\n")
    .map((line) =>
      line
        .trim()
        .replace(/^require\s+/, "")
        .split(/\s+/),
    );
  const version = words.find(([name]) => name === module)?.[1];
  const goVersion = words.find(([name]) => name === "go")?.[1];
  if (version === undefined || goVersion === undefined) {
    throw new Error(`${file} does not say which version of ${module} and of Go it needs`);
  }
  return { directory, package: `${module}/${packageInModule}`, version, goVersion };
}
