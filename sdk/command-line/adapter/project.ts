import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

export interface ProjectFile {
  readonly file: string;
  readonly text: string;
}

/** Searches parent directories, as the Pulumi CLI does. */
export function findProject(directory: string): ProjectFile | undefined {
  for (let current = directory; ; current = path.dirname(current)) {
    for (const name of ["Pulumi.yaml", "Pulumi.yml"]) {
      const file = path.join(current, name);
      if (existsSync(file)) {
        return { file, text: readFileSync(file, "utf8") };
      }
    }
    if (path.dirname(current) === current) {
      return undefined;
    }
  }
}

/** Relative to the project's directory. */
export function pluginPath(directory: string): string | undefined {
  for (let current = directory; ; current = path.dirname(current)) {
    const found = path.join(current, "node_modules", "pulumi-trivium", "plugin");
    if (existsSync(found)) {
      return path.relative(directory, found).split(path.sep).join("/");
    }
    if (path.dirname(current) === current) {
      return undefined;
    }
  }
}
