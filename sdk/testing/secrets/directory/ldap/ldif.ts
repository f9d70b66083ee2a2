/** Sets, adds or takes away values of one attribute. */
export interface Modification {
  readonly operation: "add" | "replace" | "delete";
  readonly attribute: string;
  readonly values: readonly Buffer[];
}

/** The values of one attribute. */
export interface AttributeValues {
  readonly attribute: string;
  readonly values: readonly Buffer[];
}

/** One change of a directory. Values are octets: they need not be text. */
export type Change =
  | { readonly type: "add"; readonly dn: string; readonly attributes: readonly AttributeValues[] }
  | { readonly type: "modify"; readonly dn: string; readonly modifications: readonly Modification[] }
  | { readonly type: "delete"; readonly dn: string };

/** A text that is no LDIF. */
export class LdifError extends Error {
  constructor(
    /** Of the line where the reading stopped, from 1. */
    readonly line: number,
    readonly reason: string,
  ) {
    super(`Error in line ${line}: ${reason}`);
  }
}

interface Line {
  readonly text: string;
  readonly number: number;
}

/** A line without its continuations, divided at the colon. */
interface Statement {
  readonly name: string;
  readonly value: Buffer;
  readonly number: number;
}

/** How words that mean something are compared, and whether a value may be empty. */
interface Rules {
  readonly word: (text: string) => string;
  readonly takesEmptyValues: boolean;
}

/** As RFC 2849 has it: in any case, and values may be empty. */
const ofTheStandard: Rules = { word: (text) => text.toLowerCase(), takesEmptyValues: true };
/** The products want lower case, and a value. */
const ofTheProducts: Rules = { word: (text) => text, takesEmptyValues: false };

/**
 * Reads changes: blocks of lines with an empty line between them, each a `dn`, a `changetype` (`add` when it
 * does not exist, or the one of the block before) and what goes with it.
 *
 * @throws LdifError when the text is something else
 */
export function parseLdif(text: string, isHashicorp: boolean): Change[] {
  const rules = isHashicorp ? ofTheProducts : ofTheStandard;
  const changes: Change[] = [];
  let changeType = "add";
  const isNamed = (line: Line | undefined, name: string): boolean =>
    line !== undefined && rules.word(line.text.slice(0, name.length + 1)) === `${name}:`;
  for (const block of blocksOf(text)) {
    const lines = changes.length === 0 && isNamed(block[0], "version") ? withoutVersion(block) : block;
    const [first, ...rest] = lines;
    if (first === undefined) {
      continue;
    }
    const last = lines.at(-1)?.number ?? first.number;
    if (!isNamed(first, "dn")) {
      throw new LdifError(first.number, "missing 'dn:'");
    }
    const dn = parseStatement(first, rules).value.toString("utf8");
    const body = rest.filter((line) => !isNamed(line, "control"));
    if (body.length === 0) {
      throw new LdifError(last, rest.length === 0 ? "only a dn: line" : "only controls found");
    }
    const typed = isNamed(body[0], "changetype") ? body.shift() : undefined;
    changeType =
      typed === undefined ? changeType : rules.word(parseStatement(typed, rules).value.toString("utf8"));
    changes.push(readChange(changeType, dn, body, last, rules));
  }
  return changes;
}

function readChange(type: string, dn: string, body: readonly Line[], last: number, rules: Rules): Change {
  switch (type) {
    case "add":
      return { type, dn, attributes: readAttributes(body, last, rules) };
    case "modify":
      return { type, dn, modifications: readModifications(body, last, rules) };
    case "delete":
      if (body.length > 0) {
        throw new LdifError(last, "no attributes allowed for changetype delete");
      }
      return { type, dn };
    case "moddn":
    case "modrdn":
      throw new LdifError(last, `unsupported changetype ${type}`);
    default:
      throw new LdifError(last, `invalid changetype ${type}`);
  }
}

function readAttributes(body: readonly Line[], last: number, rules: Rules): AttributeValues[] {
  if (body.length === 0) {
    throw new LdifError(last, "an entry needs attributes");
  }
  return grouped(body.map((line) => parseStatement(line, rules)));
}

function readModifications(body: readonly Line[], last: number, rules: Rules): Modification[] {
  if (body.at(-1)?.text !== "-") {
    throw new LdifError(last, "modify request does not close with a single dash");
  }
  const modifications: Modification[] = [];
  let statements: Statement[] = [];
  for (const line of body) {
    if (line.text !== "-") {
      statements.push(parseStatement(line, rules));
      continue;
    }
    modifications.push(readModification(statements, line.number, rules));
    statements = [];
  }
  return modifications;
}

function readModification(
  [head, ...rest]: readonly Statement[],
  line: number,
  { word }: Rules,
): Modification {
  if (head === undefined) {
    throw new LdifError(line, "empty operation");
  }
  const operation = word(head.name);
  const attribute = head.value.toString("utf8");
  if (operation !== "add" && operation !== "replace" && operation !== "delete") {
    throw new LdifError(head.number, `invalid operation ${operation} in modify request`);
  }
  const stray = rest.find(({ name }) => word(name) !== word(attribute));
  if (stray !== undefined) {
    throw new LdifError(
      stray.number,
      `invalid attribute ${stray.name} in ${operation} request for ${attribute}`,
    );
  }
  return { operation, attribute, values: rest.map(({ value }) => value) };
}

/** Joins continued lines, leaves out comments, and divides at empty lines. */
function blocksOf(text: string): Line[][] {
  const blocks: Line[][] = [[]];
  let inComment = false;
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.replace(/\r+$/, "");
    const block = blocks.at(-1) ?? [];
    if (line === "") {
      blocks.push([]);
    } else if (line.startsWith("#")) {
      inComment = true;
    } else if (!line.startsWith(" ")) {
      inComment = false;
      block.push({ text: line, number: index + 1 });
    } else if (!inComment) {
      const continued = block.pop() ?? { text: "", number: index + 1 };
      block.push({ ...continued, text: continued.text + line.slice(1) });
    }
  }
  return blocks.filter(({ length }) => length > 0);
}

function withoutVersion([first, ...rest]: readonly Line[]): readonly Line[] {
  const version = first?.text.slice("version:".length).trim();
  if (version !== "1") {
    throw new LdifError(first?.number ?? 1, `Invalid version spec ${version}`);
  }
  return rest;
}

function parseStatement({ text, number }: Line, { takesEmptyValues }: Rules): Statement {
  const colon = text.indexOf(":");
  if (colon === -1) {
    throw new LdifError(number, `Missing : in the line \`${text}\``);
  }
  const name = text.slice(0, colon);
  if (!/^(?:[A-Za-z][A-Za-z0-9;-]*|\d+(?:\.\d+)*)$/.test(name)) {
    throw new LdifError(number, name === "" ? "empty attribute name" : "invalid character in attribute name");
  }
  const sign = text.charAt(colon + 1);
  if (sign === "" && !takesEmptyValues) {
    throw new LdifError(number, "empty value");
  }
  if (sign === "<") {
    throw new LdifError(number, "values from files are not available");
  }
  if (sign !== ":") {
    return { name, value: Buffer.from(text.slice(colon + 1).replace(/^ +/, ""), "utf8"), number };
  }
  const value = decodeBase64(text.slice(colon + 2).replace(/^ +/, ""));
  if (value === undefined) {
    throw new LdifError(number, `the value of ${name} is not base64`);
  }
  return { name, value, number };
}

/** Values of the same attribute together, in the order in which the attributes come first. */
function grouped(statements: readonly Statement[]): AttributeValues[] {
  const groups = new Map<string, Buffer[]>();
  for (const { name, value } of statements) {
    groups.set(name, [...(groups.get(name) ?? []), value]);
  }
  return Array.from(groups, ([attribute, values]) => ({ attribute, values }));
}

/** @returns `undefined` when the text is anything but base64 with its padding; line ends in it do not count */
export function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/[\r\n]/g, "");
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(compact)
    ? Buffer.from(compact, "base64")
    : undefined;
}
