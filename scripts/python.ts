/** Builds the tools for Pulumi programs in Python from pinned Go modules, without Python's package registry. */
import { existsSync, readFileSync } from "node:fs";
import { copyFile, cp, mkdir } from "node:fs/promises";
import path from "node:path";
import { cacheDirectory, fillCacheEntry } from "./cache";
import { buildName, buildProgram, pinnedProgram, runGo } from "./go-program";

export interface PythonInstallation {
  /** The directory of the language host, for PATH. */
  readonly programs: string;
  /** The directory of the Python package `pulumi`, for PYTHONPATH. */
  readonly library: string;
  /** The program that generates an SDK from a schema file, a language and a directory. */
  readonly generator: string;
}

/** Cached; the first call takes about half a minute. @throws Error without Go, or if a download or a build fails */
export async function ensurePython(): Promise<PythonInstallation> {
  const module = "github.com/pulumi/pulumi/sdk/v3";
  const host = pinnedProgram("pulumi-language-nodejs", module, "python/cmd/pulumi-language-python");
  // Its module requires the module that contains Python's `pulumi`.
  const generator = pinnedProgram("generate-sdk", "github.com/pulumi/pulumi/pkg/v3", ".");
  const source = readFileSync(path.join(generator.directory, "main.go"), "utf8");
  const entry = path.join(cacheDirectory(process.env), buildName("python", [generator, host], source));
  const programs = path.join(entry, "bin");
  const installation = {
    programs,
    library: path.join(entry, "lib"),
    generator: path.join(programs, "generate-sdk"),
  };
  if (!existsSync(entry)) {
    await fillCacheEntry(entry, async (directory) => {
      const bin = path.join(directory, "bin");
      await mkdir(bin, { recursive: true });
      await buildProgram(host, path.join(bin, "pulumi-language-python"));
      await buildProgram(generator, path.join(bin, "generate-sdk"));
      const downloaded = await runGo(generator, ["mod", "download", "-json", module], process.env);
      const { Dir: moduleDirectory } = JSON.parse(downloaded) as { readonly Dir: string };
      const launcher = "pulumi-language-python-exec";
      await copyFile(path.join(moduleDirectory, "python", "cmd", launcher), path.join(bin, launcher));
      await cp(path.join(moduleDirectory, "python", "lib"), path.join(directory, "lib"), { recursive: true });
    });
  }
  return installation;
}
