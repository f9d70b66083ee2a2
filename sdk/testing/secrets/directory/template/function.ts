import { FunctionError } from "./template-error";
import { toText, typeOf, type Value } from "./value";

/** What a parameter of a function takes. */
interface Kinds {
  text: string;
  /** A text, or octets that need not be one. */
  octets: Buffer;
  integer: number;
  any: Value;
}

/** A kind of parameter. */
export type Kind = keyof Kinds;

/** A function that templates may call. */
export interface TemplateFunction {
  readonly parameters: readonly Kind[];
  /** What it takes beyond the parameters, any number of them. Default none. */
  readonly more?: Kind;
  call(values: readonly Value[]): Value;
}

type ValuesOf<Parameters extends readonly Kind[]> = {
  -readonly [Index in keyof Parameters]: Kinds[Parameters[Index]];
};

const readers: { readonly [Name in Kind]: (value: Value) => Kinds[Name] } = {
  text: (value) =>
    typeof value === "string" || Buffer.isBuffer(value) ? toText(value) : wrong("string", value),
  octets(value) {
    if (Buffer.isBuffer(value)) {
      return value;
    }
    return typeof value === "string" ? Buffer.from(value, "utf8") : wrong("string", value);
  },
  integer: (value) =>
    typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value))
      ? Number(value)
      : wrong("int", value),
  any: (value) => value,
};

/** A function with as many parameters as are named. */
export function templateFunction<const Parameters extends readonly Kind[]>(
  parameters: Parameters,
  body: (...values: ValuesOf<Parameters>) => Value,
): TemplateFunction {
  return {
    parameters,
    call: (values) =>
      body(
        ...(parameters.map((kind, index) => readers[kind](values[index] ?? null)) as ValuesOf<Parameters>),
      ),
  };
}

/** A function that takes any number of values, at least so many. */
export function variadicFunction(least: number, body: (values: readonly Value[]) => Value): TemplateFunction {
  return { parameters: Array.from({ length: least }, () => "any"), more: "any", call: body };
}

/** @throws FunctionError when these are too few or too many */
export function requireCount(name: string, { parameters, more }: TemplateFunction, count: number): void {
  if (count < parameters.length || (more === undefined && count > parameters.length)) {
    const wanted = `${more === undefined ? "" : "at least "}${parameters.length}`;
    throw new FunctionError(`wrong number of args for ${name}: want ${wanted} got ${count}`);
  }
}

function wrong(expected: string, value: Value): never {
  throw new FunctionError(`wrong type for value; expected ${expected}; got ${typeOf(value)}`);
}
