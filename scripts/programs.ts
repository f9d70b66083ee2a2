import { accessSync, constants, statSync } from "node:fs";
import path from "node:path";

/** Where programs are looked for, in order. Places that depend on the working directory do not count. */
export function directoriesOnPath(environment: NodeJS.ProcessEnv): readonly string[] {
  return (environment.PATH ?? "").split(path.delimiter).filter((entry) => path.isAbsolute(entry));
}

/** Whether this is a program that may be run. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
