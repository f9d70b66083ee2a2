import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface ProjectFile {
  readonly file: string;
  readonly text: string;
}

/** Searches parent directories, as the Pulumi CLI does. */
export function findProject(directory: string): ProjectFile | undefined {
  const file = findAbove(directory, ["Pulumi.yaml", "Pulumi.yml"]);
  return file === undefined ? undefined : { file, text: readFileSync(file, "utf8") };
}

export function findAbove(directory: string, names: readonly string[]): string | undefined {
  const parent = dirname(directory);
  const found = names.map((name) => join(directory, name)).find((file) => existsSync(file));
  return found ?? (parent === directory ? undefined : findAbove(parent, names));
}

/** The entry of the provider plugin in Pulumi.yaml. */
export const pluginEntry = /^\s*- name: ["']?trivium["']?\s*$/m;

export function namesPlugin(text: string): boolean {
  return pluginEntry.test(text);
}
