import { z } from "zod";
import { nearestName } from "../base/nearest";
import { type Duration, toMilliseconds } from "./duration";

/** The public types follow from schemas, so this names no type of zod. */
export interface Schema<Value> {
  /** Only for the compiler. */
  readonly type: Value;
}

export interface Optional<Value> extends Schema<Value> {
  readonly isOptional: true;
}

type Table = Readonly<Record<string, Schema<unknown>>>;

type OptionalNames<Rows extends Table> = {
  [Name in keyof Rows]: Rows[Name] extends Optional<unknown> ? Name : never;
}[keyof Rows];

type RequiredMembers<
  Rows extends Table,
  Names extends keyof Rows = Exclude<keyof Rows, OptionalNames<Rows>>,
> = {
  readonly [Name in Names]: Rows[Name]["type"];
};

type OptionalMembers<Rows extends Table, Names extends keyof Rows = OptionalNames<Rows>> = {
  readonly [Name in Names]?: Rows[Name]["type"];
};

/** The members of an object, whose comments are those of the table. */
export type Members<Rows extends Table> = RequiredMembers<Rows> & OptionalMembers<Rows>;

/** One schema per member, so that the compiler reports a missing one. */
export type Schemas<Value> = { readonly [Name in keyof Value]-?: Schema<Exclude<Value[Name], undefined>> };

const zodOf = (known: Schema<unknown>) => known as unknown as z.ZodType;
const schemaOf = <Value>(type: z.ZodType) => type as unknown as Schema<Value>;

interface Issue {
  readonly code?: string | undefined;
  readonly input?: unknown;
  readonly keys?: readonly string[];
}

const expecting = (expected: string, known: readonly string[] = []) => ({
  error: ({ input, keys = [] }: Issue): string => {
    if (keys.length > 0) {
      return keys.map((unknown) => notMember(unknown, known)).join("\n");
    }
    return input === undefined ? "is missing" : `must be ${expected}`;
  },
});

function notMember(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const advice = nearest === undefined ? `expected one of ${known.join(", ")}` : `did you mean ${nearest}?`;
  return `is not a valid member; ${advice}`;
}

export function problemsOf(schema: Schema<unknown>, value: unknown, at: string): readonly string[] {
  return (zodOf(schema).safeParse(value).error?.issues ?? []).flatMap((issue) => {
    const pathTo = (path: readonly PropertyKey[]): string =>
      at + path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`)).join("");
    // One line for each of the members.
    return issue.code === "unrecognized_keys"
      ? issue.message
          .split("\n")
          .map((line, index) => `${pathTo([...issue.path, issue.keys[index] ?? ""])} ${line}`)
      : [`${pathTo(issue.path)} ${issue.message}`];
  });
}

export function schema<Value>(expected: string, conforms: (value: unknown) => boolean): Schema<Value> {
  return schemaOf(z.custom<Value>(conforms, expecting(expected)));
}

export function oneOf<const Text extends string>(...texts: readonly Text[]): Schema<Text> {
  return schemaOf(z.enum(texts, expecting(texts.map((text) => JSON.stringify(text)).join(" or "))));
}

export function listOf<Item>(item: Schema<Item>): Schema<readonly Item[]> {
  return schemaOf(z.array(zodOf(item), expecting("a list")));
}

export function recordOf<Item>(item: Schema<Item>): Schema<Readonly<Record<string, Item>>> {
  return schemaOf(z.record(z.string(), zodOf(item), expecting("an object")));
}

export function either<One, Two>(one: Schema<One>, two: Schema<Two>, expected: string): Schema<One | Two> {
  return schemaOf(z.union([zodOf(one), zodOf(two)], expecting(expected)));
}

export function optional<Value>(member: Schema<Value>): Optional<Value> {
  return zodOf(member).optional() as unknown as Optional<Value>;
}

/** The schema of a change, in which no member is required. */
export function partial<Rows extends Table>(table: Rows) {
  const members = Object.entries(table).map(([name, member]) => [name, optional(member)]);
  return Object.fromEntries(members) as { readonly [Name in keyof Rows]: Optional<Rows[Name]["type"]> };
}

export function object<Value>(members: Schemas<Value>): Schema<Value> {
  const shape = members as unknown as z.core.$ZodShape;
  return schemaOf(z.strictObject(shape, expecting("an object", Object.keys(shape))));
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
export const duration = schema<Duration>(
  'milliseconds as a number, or a string such as "500ms", "30s" or "1h30m"',
  isDuration,
);
export const textOrNull = schema<string | null>(
  "a string or null",
  (value) => value === null || typeof value === "string",
);
export const names = listOf(name);
export const oneOrMore = either(name, names, "a string or a list of strings");
export const namesOrAll = either(oneOf("*"), names, '"*" or a list of strings');
export const texts = recordOf(text);

/** Of every additional token. */
export const tokenOptions = {
  /** The caller's name in the journal. Default `token-1`, `token-2` ... */
  name: optional(name),
  /** The token itself. Default: a random one. */
  token: optional(name),
};

/** Options of every additional token. */
export interface TokenOptions extends Members<typeof tokenOptions> {}
