import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { cacheDirectory, fillCacheEntry } from "./cache";
import { buildName, buildProgram, type GoProgram, pinnedProgram } from "./go-program";

/** Built with Go and cached; the first call takes about half a minute. @throws Error if the build fails */
export async function ensureActionlint(): Promise<string> {
  return ensureTool(
    "actionlint",
    pinnedProgram("actionlint", "github.com/rhysd/actionlint", "cmd/actionlint"),
  );
}

/** The products' own clients, and the calls that they make. Like {@link ensureActionlint}. */
export function ensureClients(): Promise<string> {
  return ensureProgram("clients", "github.com/hashicorp/vault/api");
}

/** Writes the program of an import, as the CLI of this version does. Like {@link ensureActionlint}. */
export function ensureProgramGenerator(): Promise<string> {
  return ensureProgram("generate-program", "github.com/pulumi/pulumi/pkg/v3");
}

/** @param module whose version is the program's */
async function ensureProgram(tool: string, module: string): Promise<string> {
  const program = pinnedProgram(tool, module, ".");
  const sources = readdirSync(program.directory).filter((file) => file.endsWith(".go"));
  const texts = sources.map((file) => readFileSync(path.join(program.directory, file), "utf8"));
  return ensureTool(tool, program, ...texts);
}

async function ensureTool(name: string, program: GoProgram, ...texts: string[]): Promise<string> {
  const entry = path.join(cacheDirectory(process.env), buildName(name, [program], ...texts));
  const executable = process.platform === "win32" ? `${name}.exe` : name;
  if (!existsSync(path.join(entry, executable))) {
    await fillCacheEntry(entry, (directory) => buildProgram(program, path.join(directory, executable)));
  }
  return path.join(entry, executable);
}
