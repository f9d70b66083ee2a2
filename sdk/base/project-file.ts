import { readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { isObject, type JsonObject } from "./json";

export interface ProjectFile {
  readonly file: string;
  readonly text: string;
}

/** Searches parent directories, and prefers names, as the Pulumi CLI does. */
export function findProject(directory: string): ProjectFile | undefined {
  const names = ["Pulumi.json", "Pulumi.yaml", "Pulumi.yml"];
  const file = findAbove(directory, (each) => names.map((name) => join(each, name)).find(isFile));
  return file === undefined ? undefined : { file, text: readFileSync(file, "utf8") };
}

/** The first that is found in a directory or its parents. */
export function findAbove(
  directory: string,
  findIn: (directory: string) => string | undefined,
): string | undefined {
  const parent = dirname(directory);
  return findIn(directory) ?? (parent === directory ? undefined : findAbove(parent, findIn));
}

/** Where the program runs, and is installed. */
export function programDirectory({ file, text }: ProjectFile): string {
  const root = dirname(file);
  const [, ...forms] = /^["']?main["']?:[ \t]*(?:"(.*?)"|'(.*?)'|([^\s#].*?))\s*(?:#.*)?$/m.exec(text) ?? [];
  const main = projectInJson(text)?.main ?? forms.find(Boolean);
  if (typeof main !== "string" || main === "") {
    return root;
  }
  const target = isAbsolute(main) ? main : join(root, main);
  return isFile(target) ? dirname(target) : target;
}

/** The entry of the provider plugin in YAML. */
export const pluginEntry =
  /^(?:\s*- (?:\{(?:.*,)?\s*)?|\s+)["']?name["']?:\s*["']?trivium["']?\s*(?:[,}#].*)?$/m;

/** Where the Pulumi CLI finds the plugin: under `plugins`, or under `packages`, where `pulumi package add` puts it. */
export function namesPlugin(text: string): boolean {
  const project = projectInJson(text);
  if (project === undefined) {
    return pluginEntry.test(text) || isAmongPackages(text);
  }
  const providers = isObject(project.plugins) ? project.plugins.providers : undefined;
  return (Array.isArray(providers) && providers.some(isPlugin)) || isAmongPackages(text);
}

const packageInYaml =
  /^packages:[^\S\n]*(?:\{[^}]*?|(?:#.*)?\n(?:(?:[^\S\n].*)?\n)*?[^\S\n]+)["']?\btrivium["']?\s*:/m;

export function isAmongPackages(text: string): boolean {
  const { packages } = projectInJson(text) ?? {};
  return isObject(packages) ? "trivium" in packages : packageInYaml.test(text);
}

export function isPlugin(entry: unknown): boolean {
  return isObject(entry) && entry.name === "trivium";
}

/** `undefined` if the text is not JSON. */
export function projectInJson(text: string): JsonObject | undefined {
  if (!startsAsJson(text)) {
    return undefined;
  }
  try {
    return JSON.parse(text.trim()) as JsonObject;
  } catch {
    return undefined;
  }
}

export function startsAsJson(text: string): boolean {
  return /^\s*\{/.test(text);
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}
