import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import {
  findAbove,
  isAmongPackages,
  isPlugin,
  pluginEntry as plugin,
  programDirectory,
  type ProjectFile,
  projectInJson,
  startsAsJson,
} from "../../base/project-file";
import { isObject } from "../../base/json";
import { adapterKey } from "../../base/settings";

/** Where the program loads the library from, relative to the project file, as the Pulumi CLI reads the path. */
export function pluginPath(project: ProjectFile): string | undefined {
  const found = findAbove(programDirectory(project), (directory) => {
    const path = join(directory, "node_modules", "pulumi-trivium", "plugin");
    return existsSync(path) ? path : undefined;
  });
  return found && relative(dirname(project.file), found).split(sep).join("/");
}

/** A line with what is below it, such as `plugins:`. */
interface Block {
  readonly at: number;
  /** The index of the line after the last one below it. */
  readonly end: number;
}

/** The members of a project file that are changed, for files in JSON. */
interface Project {
  plugins?: { providers?: unknown[] };
  packages?: Record<string, unknown>;
  config?: Record<string, unknown>;
}

const providers = ["plugins", "providers"];
const packages = ["packages"];
const setting = new RegExp(`^\\s+["']?${adapterKey}["']?:`);
const ownPackage = /^\s*["']?trivium["']?\s*:/;

/**
 * Adds the provider plugin to a project file, unless `packages` contains it. In YAML, comments and layout are
 * preserved.
 *
 * @param path of the plugin, relative to the file
 * @throws Error for a change that requires a person, such as to `plugins: {}`
 */
export function withPlugin(text: string, path: string): string {
  const isPackage = isAmongPackages(text);
  const before = isPackage ? withoutAdapter(text) : withoutPlugin(withoutAdapter(text));
  const json = inJson(before, (project) => {
    if (!isPackage) {
      project.plugins ??= {};
      project.plugins.providers = [{ name: "trivium", path }, ...(project.plugins.providers ?? [])];
    }
    project.config = { [adapterKey]: "plugin", ...project.config };
  });
  if (json !== undefined) {
    return json;
  }
  const lines = linesOf(before);
  const written = /^[\w./@-]+$/.test(path) ? path : JSON.stringify(path);
  if (!isPackage) {
    add(lines, providers, ["- name: trivium", `  path: ${written}`]);
  }
  add(lines, ["config"], [`${adapterKey}: plugin`]);
  return lines.join(endOfLine(text));
}

export function withoutPlugin(text: string): string {
  const json = inJson(text, (project) => {
    const { plugins } = project;
    if (plugins?.providers?.some(isPlugin)) {
      plugins.providers = plugins.providers.filter((entry) => !isPlugin(entry));
      dropIfEmpty(plugins, "providers");
      dropIfEmpty(project, "plugins");
    }
    if (project.packages && "trivium" in project.packages) {
      Reflect.deleteProperty(project.packages, "trivium");
      dropIfEmpty(project, "packages");
    }
  });
  if (json !== undefined) {
    return json;
  }
  const unlisted = without(text, providers, plugin);
  return isAmongPackages(text) ? without(unlisted, packages, ownPackage) : unlisted;
}

/** The programs no longer use the plugin; the file might still name it. */
export function withoutAdapter(text: string): string {
  const json = inJson(text, (project) => {
    if (project.config && adapterKey in project.config) {
      project.config = Object.fromEntries(
        Object.entries(project.config).filter(([key]) => key !== adapterKey),
      );
      dropIfEmpty(project, "config");
    }
  });
  return json ?? without(text, ["config"], setting);
}

export function usesPlugin(text: string): boolean {
  const { config } = projectInJson(text) ?? {};
  if (isObject(config)) {
    const { [adapterKey]: value } = config;
    return (isObject(value) ? value.value : value) === "plugin";
  }
  return new RegExp(`${setting.source}\\s*(?:["']?value["']?:\\s*)?["']?plugin\\b`, "m").test(text);
}

/** @returns `undefined` for YAML */
function inJson(text: string, change: (project: Project) => void): string | undefined {
  if (!startsAsJson(text)) {
    return undefined;
  }
  const project = projectInJson(text);
  if (project === undefined) {
    throw new Error("The project file was not changed: it begins like JSON, but is not valid JSON.");
  }
  const [, begin = "", indentation, end = ""] = /^(\s*)\{(?:\s*?\n([ \t]+))?.*?(\s*)$/s.exec(text) ?? [];
  change(project);
  const changed = JSON.stringify(project, undefined, indentation);
  return begin + changed.replaceAll("\n", endOfLine(text)) + end;
}

function dropIfEmpty<Name extends string>(holder: { [name in Name]?: object }, name: Name): void {
  if (Object.keys(holder[name] ?? {}).length === 0) {
    Reflect.deleteProperty(holder, name);
  }
}

/** Adds lines as the first children of a block, and the block itself if it is missing. */
function add(lines: string[], names: readonly string[], children: readonly string[]): void {
  const name = names.at(-1);
  const block = find(lines, names);
  if (name === undefined) {
    lines.splice(lines.at(-1) === "" ? -1 : lines.length, 0, ...children);
  } else if (block === undefined) {
    add(lines, names.slice(0, -1), [`${name}:`, ...children.map((line) => `  ${line}`)]);
  } else {
    const [child] = contentOf(lines, block);
    const indentation = child === undefined ? indentationOf(lines[block.at]) + 2 : indentationOf(child);
    lines.splice(block.at + 1, 0, ...children.map((line) => " ".repeat(indentation) + line));
  }
}

/** Removes a block, and the headings that are empty then. */
function without(text: string, names: readonly string[], last: RegExp): string {
  const lines = linesOf(text);
  const block = find(lines, names, last);
  if (block !== undefined) {
    lines.splice(block.at, block.end - block.at);
    for (let depth = names.length; depth > 0; depth--) {
      const above = find(lines, names.slice(0, depth));
      if (above !== undefined && contentOf(lines, above).length === 0) {
        lines.splice(above.at, 1);
      }
    }
  }
  return lines.join(endOfLine(text));
}

/** @param last the line of a block below the named ones */
function find(lines: readonly string[], names: readonly string[], last?: RegExp): Block | undefined {
  let block: Block | undefined = { at: -1, end: lines.length };
  for (const name of names) {
    block = childOf(lines, block, new RegExp(`^\\s*["']?${name}["']?\\s*:`));
    if (block === undefined) {
      return undefined;
    }
    if (!/:\s*(?:#.*)?$/.test(lines[block.at] ?? "")) {
      const problem = `\`${name}\` in line ${block.at + 1} has its value on the same line`;
      throw new Error(`Pulumi.yaml was not changed: ${problem}. Write it on separate lines and try again.`);
    }
  }
  return last === undefined ? block : childOf(lines, block, last);
}

function childOf(lines: readonly string[], above: Block, pattern: RegExp): Block | undefined {
  const indentation = indentationOf(contentOf(lines, above)[0]);
  for (let at = above.at + 1; at < above.end; at++) {
    if (indentationOf(lines[at]) === indentation && isContent(lines[at])) {
      const end = endOfBlock(lines, at, indentation);
      if (pattern.test(lines.slice(at, end).join("\n"))) {
        return { at, end };
      }
    }
  }
  return undefined;
}

function endOfBlock(lines: readonly string[], at: number, indentation: number): number {
  // A list can have the same indentation as its heading.
  const isBelow = (line: string): boolean =>
    indentationOf(line) > indentation ||
    (indentationOf(line) === indentation && isItem(line) && !isItem(lines[at]));
  const next = lines.findIndex((line, index) => index > at && isContent(line) && !isBelow(line));
  const whole = lines.slice(at, next === -1 ? lines.length : next);
  return at + 1 + whole.findLastIndex(isContent);
}

function contentOf(lines: readonly string[], { at, end }: Block): readonly string[] {
  return lines.slice(at + 1, end).filter(isContent);
}

function isContent(line = ""): boolean {
  return !/^\s*(?:#|$)/.test(line);
}

function isItem(line = ""): boolean {
  return /^\s*- /.test(line);
}

function indentationOf(line = ""): number {
  return line.length - line.trimStart().length;
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/);
}

function endOfLine(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
