import { z } from "zod";
import { nearestName } from "../base/nearest";
import { toMilliseconds } from "./duration";

export type Schema<Value> = z.ZodType<Value>;

type OptionalName<Value> = {
  [Name in keyof Value]-?: object extends Pick<Value, Name> ? Name : never;
}[keyof Value];
/** One schema per member, so that the compiler reports a missing or superfluous one. */
export type Schemas<Value> = { readonly [Name in keyof Value]-?: Schema<Exclude<Value[Name], undefined>> };
export type Required<Value> = Schemas<Omit<Value, OptionalName<Value>>>;
export type Optional<Value> = Schemas<Pick<Value, OptionalName<Value>>>;

interface Issue {
  readonly code?: string | undefined;
  readonly input?: unknown;
  readonly keys?: readonly string[];
}

const expecting = (expected: string, known: readonly string[] = []) => ({
  error: ({ input, keys = [] }: Issue): string => {
    const [unknown] = keys;
    if (unknown !== undefined) {
      const nearest = nearestName(unknown, known);
      const advice =
        nearest === undefined ? `expected one of ${known.join(", ")}` : `did you mean ${nearest}?`;
      return `is not a valid member; ${advice}`;
    }
    return input === undefined ? "is missing" : `must be ${expected}`;
  },
});

export function problemsOf(schema: Schema<unknown>, value: unknown, at: string): readonly string[] {
  return (schema.safeParse(value).error?.issues ?? []).map((issue) => {
    const path = issue.code === "unrecognized_keys" ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
    const parts = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`));
    return `${at}${parts.join("")} ${issue.message}`;
  });
}

export function schema<Value>(expected: string, conforms: (value: unknown) => boolean): Schema<Value> {
  return z.custom<Value>(conforms, expecting(expected));
}

export function oneOf<const Text extends string>(...texts: readonly Text[]): Schema<Text> {
  return z.enum(texts, expecting(texts.map((text) => JSON.stringify(text)).join(" or ")));
}

export function listOf<Item>(item: Schema<Item>): Schema<readonly Item[]> {
  return z.array(item, expecting("a list"));
}

export function recordOf<Item>(item: Schema<Item>): Schema<Readonly<Record<string, Item>>> {
  return z.record(z.string(), item, expecting("an object"));
}

export function either<One, Two>(one: Schema<One>, two: Schema<Two>, expected: string): Schema<One | Two> {
  return z.union([one, two], expecting(expected));
}

export function object<Value>(required: Required<Value>, optional: Optional<Value>): Schema<Value> {
  const others = Object.entries<Schema<unknown>>(optional).map(([name, member]) => [name, member.optional()]);
  const members = { ...required, ...Object.fromEntries(others) } as z.core.$ZodShape;
  return z.strictObject(members, expecting("an object", Object.keys(members))) as unknown as Schema<Value>;
}

function isDuration(value: unknown): boolean {
  try {
    return (typeof value === "string" || typeof value === "number") && toMilliseconds(value) >= 0;
  } catch {
    return false;
  }
}

/** Typed `never`, so that it fits a schema of any type. */
export const anything = schema<never>("anything", () => true);
export const text = schema<string>("a string", (value) => typeof value === "string");
export const name = schema<string>(
  "a string of at least one character",
  (value) => typeof value === "string" && value !== "",
);
export const flag = schema<boolean>("true or false", (value) => typeof value === "boolean");
export const count = schema<number>(
  "a whole number",
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);
export const duration = schema<string | number>(
  'milliseconds as a number, or a string such as "500ms", "30s" or "1h30m"',
  isDuration,
);
export const textOrNull = schema<string | null>(
  "a string or null",
  (value) => value === null || typeof value === "string",
);
export const names = listOf(name);
export const oneOrMore = either(name, names, "a string or a list of strings");
