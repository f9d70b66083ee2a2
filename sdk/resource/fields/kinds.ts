import type * as Zod from "zod";
import { type Dialect, dialects, isProduct } from "../../base/settings";
import type * as pulumi from "@pulumi/pulumi";
import {
  type Canonical,
  type Check,
  equivalent,
  field,
  type FieldOptions,
  type InDialect,
  inDialect,
  type Kind,
  nothingIsNull,
  type PresenceOf,
  type Row,
  type Told,
  type Validation,
  type Warning,
} from "./field";
import { problemInPath } from "../../base/path";
import { checked } from "../../base/schema";
import { parseDuration } from "../../base/timing";
import { itemsOf, type JsonValue, toJson, type Triggers } from "../../base/json";

/** In seconds: `3600`, `"3600"`, `"60m"` and `"1h"` are equal. */
export const duration: Canonical = (value) => parseDuration(value) ?? value;

/** Order and repetition do not matter. */
export const set: Canonical = (value) =>
  Array.isArray(value)
    ? [...new Map(value.map((item: JsonValue) => [JSON.stringify(item), item])).entries()]
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([, item]) => item)
    : value;

export const commaSeparatedSet: Canonical = (value) =>
  set(typeof value === "string" ? itemsOf(value) : value);

export const pemLines: Canonical = (value) =>
  typeof value === "string"
    ? value
        .split(/\r\n|\r|\n/)
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .join("\n")
    : value;

export const caseInsensitive: Canonical = (value) =>
  typeof value === "string" ? value.toLowerCase() : value;

export const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/** Text of which different spellings are equal; then none and an empty one are too. */
export function textComparedBy(canonical?: InDialect<Canonical>) {
  return <const Options extends FieldOptions<string> & { readonly least?: number }>(
    options: Options = {} as Options,
  ): Row<string, Told<string, Options>, PresenceOf<Options>> => {
    const { least = 0 } = options;
    const message = least === 1 ? "must not be empty" : `must have at least ${least} characters`;
    const kind: Kind<string, string> = {
      argument: (z) => (least === 0 ? z.string() : z.string().min(least, message)),
      response: (z) => z.string(),
      canonical: typeof canonical === "function" ? nothingIsNull(canonical) : canonical,
    };
    return field(kind, options);
  };
}

export const text = textComparedBy();

export const pem = textComparedBy(pemLines);

/** Text that the service does not always return. */
export const unreportedText = { cleared: "", unreported: true } as const;

export function pathName<const Options extends FieldOptions<string>>(
  options: Options = {} as Options,
): Row<string, Told<string, Options>, PresenceOf<Options>> {
  return field({ argument: nameInPath, response: (z) => z.string() }, { place: "path", ...options });
}

export function integer<const Options extends FieldOptions<number> & { readonly least?: InDialect<number> }>(
  options: Options = {} as Options,
): Row<number, Told<number, Options>, PresenceOf<Options>> {
  return field(
    {
      argument: (z, dialect) => {
        const least = inDialect(options.least, dialect);
        const whole = z.number().int("must be a whole number");
        return least === undefined ? whole : whole.min(least, `must be at least ${least}`);
      },
      response: (z) => z.number(),
    },
    options,
  );
}

/** May be written with units: `60`, `"60s"`, `"1m"`. */
export function seconds<const Options extends FieldOptions<number> & { readonly least?: InDialect<number> }>(
  options: Options = {} as Options,
): Row<string | number, Told<number, Options>, PresenceOf<Options>> {
  return field<string | number, number, Options>(
    {
      argument: (z, dialect) => sentSeconds(z, dialect, inDialect(options.least, dialect)),
      response: (z) => durationInSeconds(z),
      request: writtenSeconds,
      canonical: duration,
    },
    options,
  );
}

/** The products cut parts of a second off; the documentation has whole seconds where there is no unit. */
export function sentSeconds(z: Validation, dialect: Dialect, least = 0) {
  const whole = `must be a whole number of seconds${isProduct[dialect] ? "" : ", or have a unit"}`;
  return checkedDuration(z, (value, given) => {
    if (value < least) {
      return `must be ${least} ${least === 1 ? "second" : "seconds"} or more`;
    }
    const hasUnit = Number.isNaN(Number(given));
    return Number.isInteger(value) || (hasUnit && !isProduct[dialect]) ? undefined : whole;
  });
}

export function writtenSeconds(value: JsonValue): JsonValue {
  return typeof value !== "number" || Number.isInteger(value)
    ? value
    : `${Number((value * 1000).toFixed(6))}ms`;
}

/** For numbers without a documented limit. */
export function unlikelyBelow(least: number): Check<number> {
  return (value) => value < least && { warning: `is less than ${least}, which is unlikely to work` };
}

/** For a kind without options of its own. */
function fieldsOf<Argument, Value>(kind: Kind<Argument, Value>) {
  return <const Options extends FieldOptions<Value>>(options: Options = {} as Options) =>
    field<Argument, Value, Options>(kind, options);
}

const truth = (z: Validation) => z.boolean();
export const flag = fieldsOf({ argument: truth, response: truth });

/** The literals on the wire in a dialect, by those in programs. */
type WireWords = Readonly<Partial<Record<Dialect, Readonly<Record<string, string>>>>>;

/** Responses may have other values. */
export function oneOf<
  const Word extends string,
  const Options extends FieldOptions<Word> & {
    /** The literals on the wire, if they differ. In that dialect, programs may use them for the same values. */
    readonly wireWords?: WireWords;
  },
>(
  words: readonly Word[],
  options: Options = {} as Options,
): Row<Word, Told<Word, Options>, PresenceOf<Options>> {
  const { wireWords = {} } = options;
  const fromWire = (value: string, ...dialects: readonly Dialect[]) =>
    dialects
      .flatMap((dialect) => Object.entries(wireWords[dialect] ?? {}))
      .find(([, word]) => word === value)?.[0] ?? value;
  const kind: Kind<string, string> = {
    argument: (z, dialect) =>
      z
        .literal([...words, ...Object.values(wireWords[dialect] ?? {})])
        .transform((value) => fromWire(value, dialect)),
    response: (z, dialect) => z.string().transform((value) => fromWire(value, dialect)),
    request: (value, dialect) => wireWords[dialect]?.[value] ?? value,
    ...(options.wireWords === undefined
      ? {}
      : { canonical: (value) => (typeof value === "string" ? fromWire(value, ...dialects) : value) }),
  };
  return field(kind as unknown as Kind<Word, Word>, options);
}

/** Programs compute numbers, so only the check restricts them. */
export function oneNumberOf<const Options extends FieldOptions<number>>(
  numbers: readonly number[],
  options: Options = {} as Options,
): Row<number, Told<number, Options>, PresenceOf<Options>> {
  return field({ argument: (z) => z.literal([...numbers]), response: (z) => z.number() }, options);
}

export const textSet = fieldsOf(setOf<string>((z) => z.string()));

/** In a dialect without words, all strings are valid. Responses may have other values. */
export function wordSet<const Word extends string, const Options extends FieldOptions<NoInfer<Word>[]>>(
  words: InDialect<readonly Word[]>,
  options: Options = {} as Options,
): Row<pulumi.Input<Word>[], Told<Word[], Options>, PresenceOf<Options>> {
  const kind = setOf<Word>((z, dialect) => {
    const known = inDialect(words, dialect);
    return known === undefined ? z.string() : z.enum(known);
  });
  return field(kind, options as Options & FieldOptions<Word[]>);
}

function setOf<Word extends string>(
  item: (z: Validation, dialect: Dialect) => Zod.ZodType<string, string>,
): Kind<pulumi.Input<Word>[], Word[]> {
  const kind: Kind<string[], string[]> = {
    argument: (z, dialect) => z.array(item(z, dialect)),
    response: (z) => z.array(z.string()),
    request: (items) => [...new Set(items)],
    canonical: set,
    nothing: [],
  };
  return kind as unknown as Kind<pulumi.Input<Word>[], Word[]>;
}

export function commaSeparated<const Options extends FieldOptions<string[]>>(
  names: (z: Validation) => Zod.ZodType<string[], string[]>,
  options: Options = {} as Options,
): Row<string | pulumi.Input<string>[], Told<string[], Options>, PresenceOf<Options>> {
  const kind: Kind<string | string[], string[]> = {
    argument: (z) =>
      z
        .union([z.string().transform(itemsOf), z.array(z.string())], { error: notNames })
        .pipe(names(z))
        .transform((given) => [...new Set(given)]),
    response: (z) => z.union([z.array(z.string()), z.string().transform(itemsOf)]),
    canonical: commaSeparatedSet,
    nothing: [],
  };
  return field(kind as unknown as Kind<string | pulumi.Input<string>[], string[]>, options);
}

const notNames = ({ input }: { readonly input?: unknown }): string =>
  input === undefined ? "is required" : "must be a list of names, or a string of names separated by commas";

const texts = (z: Validation) => z.record(z.string(), z.string());
const textMapKind: Kind<Record<string, string>, Record<string, string>> = {
  argument: texts,
  response: texts,
  nothing: {},
};
export const textMap = fieldsOf(
  textMapKind as unknown as Kind<Record<string, pulumi.Input<string>>, Record<string, string>>,
);

export function adopt(
  options: Pick<FieldOptions<boolean>, "only"> = {},
): Row<boolean, boolean | null | undefined, "creation"> {
  return flag({ place: "creation", optional: true, ...options });
}

export function durationInSeconds(z: Validation): Zod.ZodType<number, string | number> {
  return checkedDuration(z, () => undefined);
}

export function positiveDuration(z: Validation): Zod.ZodType<number, string | number> {
  return checkedDuration(z, (seconds) => (seconds > 0 ? undefined : "must be greater than 0"));
}

function checkedDuration(
  z: Validation,
  problem: (seconds: number, given: string | number) => string | undefined,
): Zod.ZodType<number, string | number> {
  const error = ({ input }: { readonly input?: unknown }): string =>
    input === undefined ? "is required" : "must be a duration";
  const given = checked(z.union([z.string(), z.number()], { error }), (value) => {
    const seconds = parseDuration(value);
    return seconds === undefined
      ? 'must be a duration such as 30, "30s" or "1h30m"'
      : problem(seconds, value);
  });
  return given.transform((value) => parseDuration(value) ?? Number.NaN);
}

/** A path segment, so it must not be empty or resolve to another path. */
export function nameInPath(z: Validation): Zod.ZodString {
  const given = z.string().min(1, "must not be empty");
  return checked(given, (value) => (value === "" ? undefined : problemInPath(value)));
}

export function warnOfEmpty(value: string | readonly string[]): Warning | false {
  if (value === "") {
    return { warning: "is empty" };
  }
  return Array.isArray(value) && value.includes("") && { warning: "has an empty item" };
}

const longestName = 1_000;

/** Limited, because it becomes part of requests and messages. */
export function nameInResponse(z: Validation): Zod.ZodType<string, string> {
  // Fast path: lists have many names, and nearly all of them are plain ASCII.
  const isWellFormed = (text: string): boolean => /^[\x20-\x7e]*$/.test(text) || !/\p{Surrogate}/u.test(text);
  return z.string().min(1).max(longestName).refine(isWellFormed);
}

/** @internal */
const triggersKind: Kind<Triggers, Triggers> = {
  argument: triggersOf,
  response: triggersOf,
  canonical: nothingIsNull(),
};

/** @internal */
export function sameTriggers(current: unknown, desired: unknown): boolean {
  // Adding triggers without values, such as `{}`, also causes an update, but no action.
  return equivalent(triggersKind, toJson(current) ?? null, toJson(desired) ?? null);
}

/** @internal */
export function triggers(
  options: { readonly replaces?: true; readonly unreported?: "always"; readonly place?: "behaviour" } = {},
): Row<Record<string, pulumi.Input<string | number | boolean>>, Triggers | null | undefined, "optional"> {
  return field(
    triggersKind as unknown as Kind<Record<string, pulumi.Input<string | number | boolean>>, Triggers>,
    { place: "library", optional: true, ...options },
  );
}

/** @internal */
export function triggersOf(z: Validation): Zod.ZodType<Triggers, Triggers> {
  const value = z.union([z.string(), z.number(), z.boolean()], "must be a string, a number or a boolean");
  return z.record(z.string(), value);
}
