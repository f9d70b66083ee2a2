import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** The file of a Pulumi project. */
export interface ProjectFile {
  readonly file: string;
  readonly text: string;
}

/** The file of the project that a directory belongs to, as the Pulumi CLI finds it. */
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

/** Where the installed package has its plugin, from a project's directory. */
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
