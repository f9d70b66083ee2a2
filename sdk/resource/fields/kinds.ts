import type * as pulumi from "@pulumi/pulumi";
import type * as Zod from "zod";
import { itemsOf, type JsonValue, toJson, type Triggers } from "../../base/json";
import { problemInPath } from "../../base/path";
import { checked, type Validation } from "../../base/schema";
import { type Dialect, dialects } from "../../base/settings";
import { parseDuration } from "../../base/timing";
import { type Canonical, equivalent, nothingIsNull } from "./comparing";
import { type PresenceOf, rowOf, type Shown } from "./field";
import {
  type Exactly,
  type FieldOptions,
  type InDialect,
  type Kind,
  type KindIn,
  valueIn,
  type Warning,
} from "./resolution";
import type { Row } from "./rows";

/** A duration in seconds: `3600`, `"3600"`, `"60m"` and `"1h"` are equal. */
export const duration: Canonical = (value) => parseDuration(value) ?? value;

/** A list whose order and duplicates do not matter. */
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

export const isGiven = <Value>(value: Value): value is NonNullable<Value> =>
  value !== undefined && value !== null && value !== "";

type TextOptions = FieldOptions<string> & { readonly least?: number };

/** A string with equivalent forms; null and an empty string are then equivalent too. */
export function textComparedBy(canonical?: InDialect<Canonical>) {
  return <const Options extends TextOptions>(
    options: Exactly<Options, TextOptions> = {} as Exactly<Options, TextOptions>,
  ): Row<string, Shown<string, Options>, PresenceOf<Options>> => {
    const { least = 0 } = options as TextOptions;
    const message = least === 1 ? "must not be empty" : `must have at least ${least} characters`;
    const kind = (dialect: Dialect): Kind<string, string> => {
      const own = valueIn(canonical, dialect);
      return {
        argument: (z) => (least === 0 ? z.string() : z.string().min(least, message)),
        response: (z) => z.string(),
        canonical: own && nothingIsNull(own),
      };
    };
    return rowOf<string, string, Options>(kind, options);
  };
}

export const text = textComparedBy();

export const pem = textComparedBy(pemLines);

/** Text that the service does not always return. */
export const untoldText = { cleared: "", told: "maybe" } as const;

export function pathName<const Options extends FieldOptions<string>>(
  options: Exactly<Options, FieldOptions<string>> = {} as Exactly<Options, FieldOptions<string>>,
): Row<string, Shown<string, Options>, PresenceOf<Options>> {
  const kind: Kind<string, string> = { argument: nameInPath, response: (z) => z.string() };
  return rowOf<string, string, Options>(kind, { place: "path", ...options });
}

export type NumberOptions = FieldOptions<number> & { readonly least?: InDialect<number> };

export function integer<const Options extends NumberOptions>(
  options: Exactly<Options, NumberOptions> = {} as Exactly<Options, NumberOptions>,
): Row<number, Shown<number, Options>, PresenceOf<Options>> {
  const kind = (dialect: Dialect): Kind<number, number> => ({
    argument(z) {
      const least = valueIn(options.least, dialect);
      const whole = z.number().int("must be a whole number");
      return least === undefined ? whole : whole.min(least, `must be at least ${least}`);
    },
    response: (z) => z.number(),
  });
  return rowOf<number, number, Options>(kind, options);
}

/** The limit for numbers without a documented one. */
export function unlikelyBelow(least: number) {
  return (value: number): Warning | false =>
    value < least && { warning: `is less than ${least}, which is unlikely to work` };
}

/** For a kind without options of its own. */
function fieldsOf<Argument, Value>(kind: KindIn<Argument, Value>) {
  return <const Options extends FieldOptions<Value>>(
    options: Exactly<Options, FieldOptions<Value>> = {} as Exactly<Options, FieldOptions<Value>>,
  ) => rowOf<Argument, Value, Options>(kind, options);
}

const truth = (z: Validation) => z.boolean();
const truthKind: Kind<boolean, boolean> = { argument: truth, response: truth };
export const flag = fieldsOf(truthKind);

/** The literals on the wire in a dialect, by those in programs. */
type WireWords = Readonly<Partial<Record<Dialect, Readonly<Record<string, string>>>>>;

type WordOptions<Word> = FieldOptions<Word> & {
  /** The literals on the wire, if they differ. In that dialect, programs can also use them. */
  readonly wireWords?: WireWords;
};

/** Whether responses can have other values. */
export function oneOf<const Word extends string, const Options extends WordOptions<Word>>(
  words: readonly Word[],
  options: Exactly<Options, WordOptions<Word>> = {} as Exactly<Options, WordOptions<Word>>,
): Row<Word, Shown<Word, Options>, PresenceOf<Options>> {
  const { wireWords = {} } = options as WordOptions<Word>;
  const inProgram = (value: string, ...of: readonly Dialect[]) =>
    (of
      .flatMap((dialect) => Object.entries(wireWords[dialect] ?? {}))
      .find(([, word]) => word === value)?.[0] ?? value) as Word;
  const kind = (dialect: Dialect): Kind<Word, Word> => ({
    argument: (z) =>
      z
        .literal([...words, ...Object.values(wireWords[dialect] ?? {})])
        .transform((value) => inProgram(value, dialect)),
    response: (z) => z.string().transform((value) => inProgram(value, dialect)),
    request: (value) => wireWords[dialect]?.[value] ?? value,
    canonical: (value) => (typeof value === "string" ? inProgram(value, ...dialects) : value),
  });
  return rowOf<Word, Word, Options>(kind, options);
}

/** Programs can compute numbers, so only the check restricts them. */
export function oneNumberOf<const Options extends FieldOptions<number>>(
  numbers: readonly number[],
  options: Exactly<Options, FieldOptions<number>> = {} as Exactly<Options, FieldOptions<number>>,
): Row<number, Shown<number, Options>, PresenceOf<Options>> {
  const kind: Kind<number, number> = {
    argument: (z) => z.literal([...numbers]),
    response: (z) => z.number(),
  };
  return rowOf<number, number, Options>(kind, options);
}

const anySet: Kind<pulumi.Input<string>[], string[]> = {
  argument: (z) => z.array(z.string()),
  response: (z) => z.array(z.string()),
  request: (items) => [...new Set(items)],
  canonical: set,
  nothing: [],
};
export const textSet = fieldsOf(anySet);

/** A set of literals. In a dialect without literals, all strings are valid. Responses can contain other values. */
export function wordSet<const Word extends string, const Options extends FieldOptions<NoInfer<Word>[]>>(
  words: InDialect<readonly Word[]>,
  options: Exactly<Options, FieldOptions<NoInfer<Word>[]>> = {} as Exactly<
    Options,
    FieldOptions<NoInfer<Word>[]>
  >,
): Row<pulumi.Input<Word>[], Shown<Word[], Options>, PresenceOf<Options>> {
  const any = (z: Validation): Zod.ZodType<Word> => z.string().transform((value) => value as Word);
  const kind = (dialect: Dialect): Kind<pulumi.Input<Word>[], Word[]> => ({
    argument(z) {
      const known = valueIn(words, dialect);
      return z.array<Zod.ZodType<Word>>(known === undefined ? any(z) : z.literal([...known]));
    },
    response: (z) => z.array(any(z)),
    request: (items) => [...new Set(items)],
    canonical: set,
    nothing: [],
  });
  return rowOf<pulumi.Input<Word>[], Word[], Options>(kind, options);
}

export function commaSeparated<const Options extends FieldOptions<string[]>>(
  names: (z: Validation) => Zod.ZodType<string[], string[]>,
  options: Exactly<Options, FieldOptions<string[]>> = {} as Exactly<Options, FieldOptions<string[]>>,
): Row<string | pulumi.Input<string>[], Shown<string[], Options>, PresenceOf<Options>> {
  const kind: Kind<string | pulumi.Input<string>[], string[]> = {
    argument: (z) =>
      z
        .union([z.string().transform(itemsOf), z.array(z.string())], { error: notNames })
        .pipe(names(z))
        .transform((given) => [...new Set(given)]),
    response: (z) => z.union([z.array(z.string()), z.string().transform(itemsOf)]),
    canonical: commaSeparatedSet,
    nothing: [],
  };
  return rowOf<string | pulumi.Input<string>[], string[], Options>(kind, options);
}

const notNames = ({ input }: { readonly input?: unknown }): string =>
  input === undefined ? "is required" : "must be a list of names, or a string of names separated by commas";

const texts = (z: Validation) => z.record(z.string(), z.string());
const textMapKind: Kind<Record<string, pulumi.Input<string>>, Record<string, string>> = {
  argument: texts,
  response: texts,
  nothing: {},
};
export const textMap = fieldsOf(textMapKind);

export function adopt(
  options: Pick<FieldOptions<boolean>, "only"> = {},
): Row<boolean, boolean | null | undefined, "creation"> {
  return rowOf(truthKind, { local: "creation", optional: true, ...options });
}

export function durationInSeconds(z: Validation): Zod.ZodType<number, string | number> {
  return checkedDuration(z, () => undefined);
}

export function positiveDuration(z: Validation): Zod.ZodType<number, string | number> {
  return checkedDuration(z, (seconds) => (seconds > 0 ? undefined : "must be greater than 0"));
}

/** A duration for the library itself; state has it as the program wrote it. */
export function durationAsWritten(
  argument: typeof positiveDuration = durationInSeconds,
): Kind<string | number, string | number> {
  return { argument, response: argument, canonical: duration };
}

export function checkedDuration(
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
const triggersKind: Kind<Record<string, pulumi.Input<string | number | boolean>>, Triggers> = {
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
  options: { readonly replaces?: true; readonly told?: "never"; readonly local?: "state" } = {},
): Row<Record<string, pulumi.Input<string | number | boolean>>, Triggers | null | undefined, "optional"> {
  return rowOf(triggersKind, { local: "class", optional: true, ...options });
}

/** @internal */
export function triggersOf(z: Validation): Zod.ZodType<Triggers, Triggers> {
  const value = z.union([z.string(), z.number(), z.boolean()], "must be a string, a number or a boolean");
  return z.record(z.string(), value);
}
