import { isObject } from "../../base/json";
import { badRequest } from "./refusal";

const capabilityNames = ["create", "delete", "deny", "list", "patch", "read", "sudo", "update"] as const;

export type Capability = (typeof capabilityNames)[number];

interface PathRule {
  /** `+` matches a segment, `*` at the end the rest. */
  readonly path: string;
  readonly capabilities: readonly Capability[];
}

interface StoredPolicy {
  readonly text: string;
  /** Of writes, from 1. */
  readonly version: number;
  readonly rules: readonly PathRule[];
}

/** The older form of a rule. */
const shorthands: Readonly<Record<string, readonly Capability[]>> = {
  deny: ["deny"],
  read: ["read", "list"],
  write: ["create", "read", "update", "delete", "list"],
  sudo: ["create", "read", "update", "delete", "list", "sudo"],
};

/**
 * The policies whose rules the emulator enforces. A token with other policy names has the permissions in its
 * options.
 */
export class Policies {
  private readonly stored = new Map<string, StoredPolicy>();

  /** @throws Refusal 400 if the text is not a policy that the emulator can enforce */
  set(name: string, text: string): void {
    const key = name.toLowerCase();
    const rules = readPolicy(text);
    if (key === "root") {
      throw badRequest('cannot update "root" policy');
    }
    this.stored.set(key, { text, rules, version: (this.stored.get(key)?.version ?? 0) + 1 });
  }

  delete(name: string): void {
    this.stored.delete(name.toLowerCase());
  }

  find(name: string): Pick<StoredPolicy, "text" | "version"> | undefined {
    return this.stored.get(name.toLowerCase());
  }

  get names(): string[] {
    return [...this.stored.keys()].sort();
  }

  enforces(names: readonly string[]): boolean {
    return names.some((name) => this.stored.has(name));
  }

  /** The rule with the most specific path counts; the same path in several policies adds up. */
  capabilitiesOn(path: string, names: readonly string[]): ReadonlySet<Capability> {
    const fitting = names
      .flatMap((name) => this.stored.get(name)?.rules ?? [])
      .filter((rule) => matches(rule.path, path))
      .sort((one, other) => bySpecificity(one.path, other.path));
    const [first] = fitting;
    const own = fitting
      .filter((rule) => rule.path === first?.path)
      .flatMap(({ capabilities }) => capabilities);
    return new Set(own.includes("deny") ? [] : own);
  }
}

function matches(rule: string, path: string): boolean {
  const isPrefix = rule.endsWith("*");
  const own = (isPrefix ? rule.slice(0, -1) : rule).split("/");
  const parts = path.split("/");
  if (isPrefix ? parts.length < own.length : parts.length !== own.length) {
    return false;
  }
  return own.every((segment, at) => {
    const part = parts[at] ?? "";
    const isLast = isPrefix && at === own.length - 1;
    return segment === "+" || (isLast ? part.startsWith(segment) : part === segment);
  });
}

/** As the products choose among the rules that match: https://openbao.org/docs/concepts/policies. */
function bySpecificity(one: string, other: string): number {
  const firstWildcard = (path: string): number => {
    const found = path.search(/(?:^|\/)\+(?:\/|$)|\*$/);
    return found === -1 ? Infinity : found;
  };
  const segments = (path: string): number => path.split("/").filter((part) => part === "+").length;
  return (
    firstWildcard(other) - firstWildcard(one) ||
    Number(one.endsWith("*")) - Number(other.endsWith("*")) ||
    segments(one) - segments(other) ||
    other.length - one.length ||
    (one < other ? 1 : one > other ? -1 : 0)
  );
}

function readPolicy(text: string): readonly PathRule[] {
  const blocks = text.trimStart().startsWith("{") ? blocksOfJson(text) : blocksOf(text);
  return blocks.map(([path, { capabilities, policy, ...others }]) => {
    const [unknown] = Object.keys(others);
    if (unknown !== undefined) {
      throw badRequest(`the emulator does not enforce ${JSON.stringify(unknown)} of policies`);
    }
    const names = [capabilities ?? []].flat();
    const named = names.map((name) => {
      const known = capabilityNames.find((each) => each === name);
      if (known === undefined) {
        throw badRequest(
          `failed to parse policy: path ${JSON.stringify(path)}: invalid capability ${JSON.stringify(name)}`,
        );
      }
      return known;
    });
    const shorthand = typeof policy === "string" ? shorthands[policy] : [];
    if (shorthand === undefined) {
      throw badRequest(
        `failed to parse policy: path ${JSON.stringify(path)}: invalid policy ${JSON.stringify(policy)}`,
      );
    }
    return { path: path.replace(/^\//, ""), capabilities: [...shorthand, ...named] };
  });
}

type Block = readonly [path: string, members: Readonly<Record<string, unknown>>];

function blocksOfJson(text: string): readonly Block[] {
  const parsed: unknown = JSON.parse(text);
  const { path: paths } = isObject(parsed) ? parsed : {};
  return Object.entries(isObject(paths) ? paths : {}).map(([path, members]) => [
    path,
    isObject(members) ? members : {},
  ]);
}

const token = /\s+|#[^\n]*|\/\/[^\n]*|\/\*[^]*?\*\/|"(?:[^"\\]|\\.)*"|[A-Za-z_][\w-]*|\d+|[{}[\]=,]/y;

/** The subset of HCL that policies need. */
function blocksOf(text: string): readonly Block[] {
  const tokens: string[] = [];
  for (token.lastIndex = 0; token.lastIndex < text.length;) {
    const at = token.lastIndex;
    const [found] = token.exec(text) ?? [];
    if (found === undefined) {
      throw badRequest(`failed to parse policy: illegal character at ${at}`);
    }
    if (!/^(?:\s|#|\/)/.test(found)) {
      tokens.push(found);
    }
  }
  const next = (): string => tokens.shift() ?? "";
  const expect = (expected: string): void => {
    const found = next();
    if (found !== expected) {
      throw badRequest(`failed to parse policy: expected ${expected}, not ${found || "the end"}`);
    }
  };
  const value = (): unknown => {
    const first = next();
    if (first === "[") {
      const items: unknown[] = [];
      while (tokens[0] !== "]" && tokens.length > 0) {
        items.push(value());
        if (tokens[0] === ",") {
          next();
        }
      }
      expect("]");
      return items;
    }
    if (first === "{") {
      return members();
    }
    return first.startsWith('"') ? (JSON.parse(first) as unknown) : first;
  };
  const members = (): Record<string, unknown> => {
    const found: Record<string, unknown> = {};
    while (tokens[0] !== "}" && tokens.length > 0) {
      const name = next().replaceAll('"', "");
      if (tokens[0] === "=") {
        next();
      }
      found[name] = value();
    }
    expect("}");
    return found;
  };
  const blocks: Block[] = [];
  while (tokens.length > 0) {
    expect("path");
    const path = value();
    expect("{");
    blocks.push([String(path), members()]);
  }
  return blocks;
}
