import { EngineFailure } from "../../refusal";
import type { SecretsTraits } from "../../traits";

export interface AttributeValues {
  readonly attribute: string;
  readonly values: readonly Buffer[];
}

export interface Modification extends AttributeValues {
  readonly operation: "add" | "replace" | "delete";
}

/** Values are bytes: they need not be text. */
export type Change =
  | { readonly type: "add"; readonly dn: string; readonly attributes: readonly AttributeValues[] }
  | { readonly type: "modify"; readonly dn: string; readonly modifications: readonly Modification[] }
  | { readonly type: "delete"; readonly dn: string };

/** @param line where parsing stopped, starting at 1 */
function ldifFailure(line: number, reason: string): EngineFailure {
  return new EngineFailure(`Error in line ${line}: ${reason}`);
}

/** A line with its continuations, split at the colon; `-` ends a modification. */
interface Statement {
  readonly name: string;
  readonly value: Buffer;
  readonly number: number;
}

/**
 * A block without a changetype has that of the previous block. Unlike RFC 2849, the products require lower case and
 * reject empty values.
 *
 * @throws EngineFailure for invalid LDIF
 */
export function parseLdif(text: string, { ldifHasCases }: Pick<SecretsTraits, "ldifHasCases">): Change[] {
  const normalize = (name: string): string => (ldifHasCases ? name : name.toLowerCase());
  let changeType = "add";
  return blocksOf(text).flatMap((block): Change[] => {
    const lines = block.filter(({ text: line }) => !/^(?:version|control):/i.test(line));
    if (lines[0] !== undefined && !normalize(lines[0].text).startsWith("dn:")) {
      throw ldifFailure(lines[0].number, "missing 'dn:'");
    }
    const [first, ...body] = lines.map((line) => parseStatement(line, !ldifHasCases));
    if (first === undefined) {
      return [];
    }
    const last = body.at(-1)?.number ?? first.number;
    if (body.length === 0) {
      throw ldifFailure(last, "only a dn: line");
    }
    const dn = first.value.toString("utf8");
    if (normalize(body[0]?.name ?? "") === "changetype") {
      changeType = normalize(body.shift()?.value.toString("utf8") ?? "");
    }
    switch (changeType) {
      case "add":
        if (body.length === 0) {
          throw ldifFailure(last, "an entry needs attributes");
        }
        return [{ type: "add", dn, attributes: grouped(body) }];
      case "modify":
        return [{ type: "modify", dn, modifications: readModifications(body, last, normalize) }];
      case "delete":
        if (body.length > 0) {
          throw ldifFailure(last, "no attributes allowed for changetype delete");
        }
        return [{ type: "delete", dn }];
      default:
        throw ldifFailure(last, `invalid changetype ${changeType}`);
    }
  });
}

function readModifications(
  body: readonly Statement[],
  last: number,
  normalize: (name: string) => string,
): Modification[] {
  if (body.at(-1)?.name !== "-") {
    throw ldifFailure(last, "modify request does not close with a single dash");
  }
  const modifications: Modification[] = [];
  let statements: Statement[] = [];
  for (const statement of body) {
    if (statement.name !== "-") {
      statements.push(statement);
      continue;
    }
    const [head, ...rest] = statements;
    const operation = normalize(head?.name ?? "");
    if (head === undefined || (operation !== "add" && operation !== "replace" && operation !== "delete")) {
      throw ldifFailure(statement.number, `invalid operation ${operation} in modify request`);
    }
    const attribute = head.value.toString("utf8");
    const mismatch = rest.find(({ name }) => normalize(name) !== normalize(attribute));
    if (mismatch !== undefined) {
      const reason = `invalid attribute ${mismatch.name} in ${operation} request for ${attribute}`;
      throw ldifFailure(mismatch.number, reason);
    }
    modifications.push({ operation, attribute, values: rest.map(({ value }) => value) });
    statements = [];
  }
  return modifications;
}

interface Line {
  readonly text: string;
  readonly number: number;
}

function blocksOf(text: string): Line[][] {
  const blocks: Line[][] = [[]];
  let number = 1;
  for (const folded of text.replace(/\r+$/gm, "").split(/\n(?! )/)) {
    const line = { text: folded.replaceAll("\n ", ""), number };
    number += folded.split("\n").length;
    if (line.text === "") {
      blocks.push([]);
    } else if (!line.text.startsWith("#")) {
      blocks.at(-1)?.push(line);
    }
  }
  return blocks;
}

function parseStatement({ text, number }: Line, allowsEmptyValues: boolean): Statement {
  if (text === "-") {
    return { name: "-", value: Buffer.alloc(0), number };
  }
  const [, name = "", sign, rest = ""] = /^([^:]*):([:<]?) *([^]*)$/.exec(text) ?? [];
  if (sign === undefined) {
    throw ldifFailure(number, `Missing : in the line \`${text}\``);
  }
  if (!/^(?:[A-Za-z][A-Za-z0-9;-]*|\d+(?:\.\d+)*)$/.test(name)) {
    throw ldifFailure(number, "invalid character in attribute name");
  }
  const value = sign === ":" ? decodeBase64(rest) : Buffer.from(rest, "utf8");
  if (value === undefined || sign === "<" || (text.endsWith(":") && !allowsEmptyValues)) {
    throw ldifFailure(
      number,
      sign === "<"
        ? "values from files are not available"
        : value
          ? "empty value"
          : `the value of ${name} is not base64`,
    );
  }
  return { name, value, number };
}

/** In the order in which the attributes first occur. */
function grouped(statements: readonly Statement[]): AttributeValues[] {
  const groups = new Map<string, Buffer[]>();
  for (const { name, value } of statements) {
    groups.set(name, [...(groups.get(name) ?? []), value]);
  }
  return Array.from(groups, ([attribute, values]) => ({ attribute, values }));
}

/** @returns `undefined` for anything but padded base64; line breaks are ignored */
export function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/[\r\n]/g, "");
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(compact)
    ? Buffer.from(compact, "base64")
    : undefined;
}
