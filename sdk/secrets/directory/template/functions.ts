import type { ValueType } from "./value";

/** What a function asks for. */
export interface Parameter {
  /** As messages name it. */
  readonly name: string;
  readonly type: "text" | "integer" | "any";
  /** The smallest number that the function takes. */
  readonly minimum?: number;
}

/** A function that templates can call. */
export interface TemplateFunction {
  /** The last one is what is usually piped into the function. */
  readonly parameters: readonly Parameter[];
  /** Any number of these can follow. */
  readonly rest?: Parameter;
  readonly result: ValueType;
  /** It exists in LDIF templates only. */
  readonly ldifOnly?: boolean;
}

const text: Parameter = { name: "TEXT", type: "text" };
const any: Parameter = { name: "VALUE", type: "any" };
const count = (minimum: number): Parameter => ({ name: "N", type: "integer", minimum });

const fromText: TemplateFunction = { parameters: [text], result: "text" };
const withoutArguments: TemplateFunction = { parameters: [], result: "text" };
const printed: TemplateFunction = { parameters: [], rest: any, result: "text" };
const compared: TemplateFunction = {
  parameters: [
    { name: "LEFT", type: "any" },
    { name: "RIGHT", type: "any" },
  ],
  result: "boolean",
};

/** All functions: those of the service first, then those that the template language brings. */
export const templateFunctions: ReadonlyMap<string, TemplateFunction> = new Map<string, TemplateFunction>([
  ["random", { parameters: [count(0)], result: "text" }],
  ["truncate", { parameters: [count(1), text], result: "text" }],
  // Eight characters are the hash; without at least one before it the function fails.
  ["truncate_sha256", { parameters: [count(9), text], result: "text" }],
  ["uppercase", fromText],
  ["lowercase", fromText],
  [
    "replace",
    { parameters: [{ name: "FROM", type: "text" }, { name: "TO", type: "text" }, text], result: "text" },
  ],
  ["sha256", fromText],
  ["base64", fromText],
  ["unix_time", withoutArguments],
  ["unix_time_millis", withoutArguments],
  ["timestamp", { parameters: [{ name: "LAYOUT", type: "text" }], result: "text" }],
  ["uuid", withoutArguments],
  ["utf16le", { ...fromText, ldifOnly: true }],
  ["and", { parameters: [any], rest: any, result: "unknown" }],
  ["or", { parameters: [any], rest: any, result: "unknown" }],
  ["not", { parameters: [any], result: "boolean" }],
  ["len", { parameters: [any], result: "integer" }],
  ["index", { parameters: [any], rest: { name: "POSITION", type: "any" }, result: "unknown" }],
  ["slice", { parameters: [any], rest: { name: "POSITION", type: "any" }, result: "text" }],
  ["print", printed],
  ["println", printed],
  ["printf", { parameters: [{ name: "FORMAT", type: "text" }], rest: any, result: "text" }],
  ["html", printed],
  ["js", printed],
  ["urlquery", printed],
  ["call", { parameters: [{ name: "FUNCTION", type: "any" }], rest: any, result: "unknown" }],
  ["eq", { ...compared, rest: { name: "RIGHT", type: "any" } }],
  ["ne", compared],
  ["lt", compared],
  ["le", compared],
  ["gt", compared],
  ["ge", compared],
]);

/** How a function is written, as messages show it: directly, and with its last argument piped into it. */
export function usageOf(name: string, { parameters, rest }: TemplateFunction): string {
  const names = parameters.map((parameter) => parameter.name);
  const more = rest === undefined ? [] : [`${rest.name}...`];
  const direct = `\`${[name, ...names, ...more].join(" ")}\``;
  return parameters.at(-1) === text
    ? `${direct} or \`${["TEXT |", name, ...names.slice(0, -1)].join(" ")}\``
    : direct;
}
