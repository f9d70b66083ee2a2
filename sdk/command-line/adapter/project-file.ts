import { adapterKey } from "../../base/settings";

/** A line with children below it, such as `plugins:`. */
interface Block {
  readonly at: number;
  readonly indentation: number;
  /** The index of the line after the last child. */
  readonly end: number;
}

const pluginName = "trivium";

/** A change that requires a person, such as to `plugins: {}`. */
export class UnclearProjectFile extends Error {}

/**
 * Adds the provider plugin to a Pulumi.yaml and preserves its comments and layout.
 *
 * @param path of the plugin, relative to the file
 */
export function withPlugin(text: string, path: string): string {
  const plain = withoutPlugin(withoutAdapter(text));
  const lines = linesOf(plain);
  add(lines, ["plugins", "providers"], (indentation) => [
    `${indentation}- name: ${pluginName}`,
    `${indentation}  path: ${/^[\w./@-]+$/.test(path) ? path : JSON.stringify(path)}`,
  ]);
  add(lines, ["config"], (indentation) => [`${indentation}${adapterKey}: plugin`]);
  return lines.join(endOfLine(text));
}

export function withoutPlugin(text: string): string {
  const lines = linesOf(text);
  const plugin = findPlugin(lines);
  if (plugin !== undefined) {
    lines.splice(plugin.at, plugin.end - plugin.at);
    dropEmpty(lines, ["plugins", "providers"]);
    dropEmpty(lines, ["plugins"]);
  }
  return lines.join(endOfLine(text));
}

/** The programs no longer use the plugin; the file may still name it. */
export function withoutAdapter(text: string): string {
  const lines = linesOf(text);
  const config = find(lines, ["config"]);
  const setting = lines.findIndex(
    (line, index) =>
      config !== undefined &&
      index > config.at &&
      index < config.end &&
      new RegExp(`^\\s+["']?${adapterKey}["']?:`).test(line),
  );
  if (setting !== -1) {
    lines.splice(setting, blockAt(lines, setting).end - setting);
    dropEmpty(lines, ["config"]);
  }
  return lines.join(endOfLine(text));
}

export function usesPlugin(text: string): boolean {
  return new RegExp(`^\\s+["']?${adapterKey}["']?:\\s*(?:["']?plugin\\b|$)`, "m").test(text);
}

export function namesPlugin(text: string): boolean {
  return findPlugin(linesOf(text)) !== undefined;
}

function findPlugin(lines: readonly string[]): Block | undefined {
  const providers = find(lines, ["plugins", "providers"]);
  const at = lines.findIndex(
    (line, index) =>
      providers !== undefined &&
      index > providers.at &&
      index < providers.end &&
      new RegExp(`^\\s*- name: ["']?${pluginName}["']?\\s*$`).test(line),
  );
  if (providers === undefined || at === -1) {
    return undefined;
  }
  const { indentation } = blockAt(lines, at);
  const after = lines.findIndex(
    (line, index) => index > at && isContent(line) && indentationOf(line) <= indentation,
  );
  return { at, indentation, end: after === -1 || after > providers.end ? providers.end : after };
}

/** Adds lines as the first children of a block, and the block itself if it is missing. */
function add(lines: string[], names: readonly string[], childrenAt: (indentation: string) => string[]): void {
  const known = names.findLastIndex((_, index) => find(lines, names.slice(0, index + 1)) !== undefined) + 1;
  const block = find(lines, names.slice(0, known));
  const missing = names.slice(known);
  const child = block === undefined ? undefined : childIndentation(lines, block);
  const outer = block === undefined ? 0 : (child ?? block.indentation + 2);
  const headings = missing.map((name, index) => `${" ".repeat(outer + 2 * index)}${name}:`);
  const added = [...headings, ...childrenAt(" ".repeat(outer + 2 * missing.length))];
  if (block !== undefined) {
    lines.splice(block.at + 1, 0, ...added);
    return;
  }
  const isEnded = lines.at(-1) === "";
  lines.splice(isEnded ? -1 : lines.length, 0, ...added);
}

function find(lines: readonly string[], names: readonly string[]): Block | undefined {
  let block: Block | undefined;
  for (const [depth, name] of names.entries()) {
    const [from, to] = block === undefined ? [0, lines.length] : [block.at + 1, block.end];
    const at = lines.findIndex(
      (line, index) =>
        index >= from &&
        index < to &&
        new RegExp(`^\\s*["']?${name}["']?\\s*:`).test(line) &&
        (depth > 0 || indentationOf(line) === 0),
    );
    if (at === -1) {
      return undefined;
    }
    if (!/:\s*(?:#.*)?$/.test(lines[at] ?? "")) {
      throw new UnclearProjectFile(`\`${name}\` in line ${at + 1} has its value on the same line.`);
    }
    block = blockAt(lines, at);
  }
  return block;
}

function blockAt(lines: readonly string[], at: number): Block {
  const indentation = indentationOf(lines[at] ?? "");
  const next = lines.findIndex(
    (line, index) =>
      index > at &&
      isContent(line) &&
      // A list may have the same indentation as its heading.
      (indentationOf(line) < indentation || (indentationOf(line) === indentation && !/^\s*- /.test(line))),
  );
  let end = next === -1 ? lines.length : next;
  while (end > at + 1 && !isContent(lines[end - 1] ?? "")) {
    end -= 1;
  }
  return { at, indentation, end };
}

function childIndentation(lines: readonly string[], { at, end }: Block): number | undefined {
  const child = lines.slice(at + 1, end).find(isContent);
  return child === undefined ? undefined : indentationOf(child);
}

function dropEmpty(lines: string[], names: readonly string[]): void {
  const block = find(lines, names);
  if (block !== undefined && !lines.slice(block.at + 1, block.end).some(isContent)) {
    lines.splice(block.at, 1);
  }
}

function isContent(line: string): boolean {
  return !/^\s*(?:#|$)/.test(line);
}

function indentationOf(line: string): number {
  return line.length - line.trimStart().length;
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/);
}

function endOfLine(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
