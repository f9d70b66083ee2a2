import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

/** In search order, without entries that depend on the working directory. */
export function directoriesOnPath(environment: NodeJS.ProcessEnv): readonly string[] {
  return (environment.PATH ?? "").split(path.delimiter).filter((entry) => path.isAbsolute(entry));
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
