import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

export interface ProjectFile {
  readonly file: string;
  readonly text: string;
}

/** Searches parent directories, as the Pulumi CLI does. */
export function findProject(directory: string): ProjectFile | undefined {
  const file = findAbove(directory, ["Pulumi.yaml", "Pulumi.yml"]);
  return file === undefined ? undefined : { file, text: readFileSync(file, "utf8") };
}

/** Relative to the project's directory. */
export function pluginPath(directory: string): string | undefined {
  const found = findAbove(directory, [path.join("node_modules", "pulumi-trivium", "plugin")]);
  return found && path.relative(directory, found).split(path.sep).join("/");
}

function findAbove(directory: string, names: readonly string[]): string | undefined {
  const parent = path.dirname(directory);
  const found = names.map((name) => path.join(directory, name)).find((file) => existsSync(file));
  return found ?? (parent === directory ? undefined : findAbove(parent, names));
}
