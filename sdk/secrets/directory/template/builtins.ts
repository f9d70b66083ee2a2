import { formatProblem } from "./printf";
import { comparedAs, eitherType, isWhole, typeNames, type Value, type ValueType } from "./value";

/** An argument of a call; the piped value is the last. */
export interface Argument extends Value {
  readonly offset: number;
  /** As messages show it. */
  readonly source: string;
  /** A number in the template that can count, though it may be written as a decimal one. */
  readonly wholeLiteral?: boolean;
}

/** A call whose arguments are right in number and type. */
export interface Call {
  readonly name: string;
  readonly offset: number;
  readonly given: readonly Argument[];
  readonly error: (offset: number, message: string) => void;
  readonly warning: (offset: number, message: string) => void;
}

/**
 * What certain functions ask for beyond number and type of their arguments, and what they result in where that
 * depends on the arguments (else `undefined`).
 */
export const callChecks: ReadonlyMap<string, (call: Call) => ValueType | undefined> = new Map([
  ["and", either],
  ["or", either],
  ["len", length],
  ["index", index],
  ["slice", slice],
  ["call", callNothing],
  ["eq", equal],
  ["ne", equal],
  ["lt", ordered],
  ["le", ordered],
  ["gt", ordered],
  ["ge", ordered],
  ["printf", format],
  ["timestamp", layout],
]);

function either({ given }: Call): ValueType {
  return given.map(({ type }) => type).reduce(eitherType);
}

function length({ given: [item], error }: Call): undefined {
  if (item !== undefined && item.type !== "text" && item.type !== "unknown") {
    error(item.offset, `\`len\` counts the characters of a text; ${item.source} is ${typeNames[item.type]}.`);
  }
}

function index({ given: [item, ...positions], error }: Call): ValueType {
  let type = item?.type ?? "unknown";
  for (const position of positions) {
    if (type !== "text" && type !== "unknown") {
      error(position.offset, `\`index\` takes a character out of a text, not out of ${typeNames[type]}.`);
      return "unknown";
    }
    checkPosition("index", position, error);
    type = type === "text" ? "byte" : "unknown";
  }
  if (type === "nothing") {
    error(item?.offset ?? 0, "`index` cannot take anything out of nil.");
  }
  return type;
}

function slice({ given: [item, ...positions], error }: Call): ValueType | undefined {
  if (item !== undefined && item.type !== "text" && item.type !== "unknown") {
    error(item.offset, `\`slice\` cuts a text; ${item.source} is ${typeNames[item.type]}.`);
    return undefined;
  }
  const tooMany = positions[2];
  if (tooMany !== undefined) {
    error(tooMany.offset, "`slice` of a text takes at most two positions.");
  }
  const [from, to] = positions;
  for (const position of positions) {
    checkPosition("slice", position, error);
  }
  if (typeof from?.literal === "number" && typeof to?.literal === "number" && from.literal > to.literal) {
    error(from.offset, `\`slice\` cannot cut from ${from.literal} to ${to.literal}.`);
  }
  return item?.type;
}

function checkPosition(
  name: string,
  { type, literal, offset, source }: Argument,
  error: Call["error"],
): void {
  if (!isWhole(type)) {
    error(offset, `\`${name}\` needs an integer as position; ${source} is ${typeNames[type]}.`);
  } else if (typeof literal === "number" && literal < 0) {
    error(offset, `\`${name}\` counts positions from 0; ${literal} is none.`);
  }
}

function callNothing({ offset, error }: Call): undefined {
  error(offset, "`call` has no use here: no value of these templates is a function.");
}

function equal({ name, given: [left, ...others], error }: Call): undefined {
  for (const right of left === undefined ? [] : others) {
    const comparable =
      comparedAs(left?.type ?? "unknown") === comparedAs(right.type) ||
      [left?.type, right.type].some((type) => type === "unknown" || type === "nothing");
    if (left !== undefined && !comparable) {
      error(right.offset, incomparable(name, left, right));
    }
  }
}

function ordered({ name, given, error }: Call): undefined {
  const [left, right] = given;
  for (const { type, offset, source } of given) {
    const kind = comparedAs(type);
    if (type !== "unknown" && (kind === undefined || kind === "boolean" || kind === "complex")) {
      error(offset, `\`${name}\` compares sizes; ${source} is ${typeNames[type]}, which has none.`);
      return;
    }
  }
  const kinds = new Set(given.map(({ type }) => comparedAs(type) ?? "unknown"));
  if (left !== undefined && right !== undefined && kinds.size > 1 && !kinds.has("unknown")) {
    error(right.offset, incomparable(name, left, right));
  }
}

function incomparable(name: string, left: Argument, right: Argument): string {
  const [is, other] = [typeNames[left.type], typeNames[right.type]];
  return `\`${name}\` cannot compare ${left.source}, which is ${is}, with ${right.source}, which is ${other}.`;
}

function format({ given: [first, ...values], warning }: Call): undefined {
  const problem =
    typeof first?.literal === "string" ? formatProblem(first.literal, values.length) : undefined;
  if (first !== undefined && problem !== undefined) {
    warning(first.offset, problem);
  }
}

/** Years, months, days and so on are written as they are on one certain day, none of them with other signs. */
const layoutElement = /[1-6]|Jan|Mon|MST|PM|pm/;

function layout({ given: [first], warning }: Call): undefined {
  if (first !== undefined && typeof first.literal === "string" && !layoutElement.test(first.literal)) {
    const example = "a layout shows how 2006-01-02 15:04:05 is to be written";
    warning(first.offset, `${first.source} holds no part of a time: ${example}.`);
  }
}
