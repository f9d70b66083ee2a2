import { z } from "zod";
import { nearestName } from "../base/nearest";
import { toMilliseconds } from "./duration";

export type Form<Value> = z.ZodType<Value>;

/** One form per member, so that the compiler reports a missing or superfluous one. */
type Members<Value> = { readonly [Name in keyof Value]-?: Form<Value[Name] | undefined> };

interface Issue {
  readonly code?: string | undefined;
  readonly input?: unknown;
  readonly keys?: readonly string[];
}

const expecting = (expected: string, known: readonly string[] = []) => ({
  error: ({ input, keys = [] }: Issue): string => {
    const [unknown] = keys;
    if (unknown !== undefined) {
      const near = nearestName(unknown, known);
      const hint = near === undefined ? `expected one of ${known.join(", ")}` : `did you mean ${near}?`;
      return `is not a valid member; ${hint}`;
    }
    return input === undefined ? "is missing" : `must be ${expected}`;
  },
});

export function problemsOf(form: Form<unknown>, value: unknown, at: string): readonly string[] {
  return (form.safeParse(value).error?.issues ?? []).map((issue) => {
    const path = issue.code === "unrecognized_keys" ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
    const parts = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`));
    return `${at}${parts.join("")} ${issue.message}`;
  });
}

export function form<Value>(expected: string, conforms: (value: unknown) => boolean): Form<Value> {
  return z.custom<Value>(conforms, expecting(expected));
}

export function oneOf<const Word extends string>(...words: readonly Word[]): Form<Word> {
  return z.enum(words, expecting(words.map((word) => JSON.stringify(word)).join(" or ")));
}

export function listOf<Item>(item: Form<Item>): Form<readonly Item[]> {
  return z.array(item, expecting("a list"));
}

export function recordOf<Item>(item: Form<Item>): Form<Readonly<Record<string, Item>>> {
  return z.record(z.string(), item, expecting("an object"));
}

export function either<One, Other>(one: Form<One>, other: Form<Other>, expected: string): Form<One | Other> {
  return z.union([one, other], expecting(expected));
}

export function object<Value>(members: Members<Value>): Form<Value> {
  const schemas = members as unknown as z.core.$ZodShape;
  return z.strictObject(schemas, expecting("an object", Object.keys(members))) as unknown as Form<Value>;
}

function isDuration(value: unknown): boolean {
  try {
    return (typeof value === "string" || typeof value === "number") && toMilliseconds(value) >= 0;
  } catch {
    return false;
  }
}

/** Typed `never`, so that it fits a form of any type. */
export const anything = form<never>("anything", () => true);
export const text = form<string>("a string", (value) => typeof value === "string");
export const name = form<string>(
  "a string of at least one character",
  (value) => typeof value === "string" && value !== "",
);
export const flag = form<boolean>("true or false", (value) => typeof value === "boolean");
export const count = form<number>(
  "a whole number",
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
);
export const duration = form<string | number>(
  'milliseconds as a number, or a string such as "500ms", "30s" or "1h30m"',
  isDuration,
);
export const textOrNull = form<string | null>(
  "a string or null",
  (value) => value === null || typeof value === "string",
);
export const names = listOf(name);
export const oneOrMore = either(name, names, "a string or a list of strings");
