import type * as Zod from "zod";
import type { JsonObject, JsonValue, NamingConvention } from "../../base/json";
import type { Validation } from "../../base/schema";
import type { Dialect } from "../../base/settings";
import { type Canonical, isEmpty, nothingIsNull } from "./comparing";
import type { Presence, Row } from "./rows";

// What a row may say, and what that means in one dialect.

/** One value for all dialects, or one for each dialect that has it. */
export type InDialect<Value> = Value | Readonly<Partial<Record<Dialect, Value>>>;

/** What the values of a field are, in programs and on the wire. */
export interface Kind<Argument, Value> {
  /** Only for the compiler: what a program gives. */
  readonly given?: Argument;
  /** Validates an argument and converts it to the sent value. */
  readonly argument: (z: Validation) => Zod.ZodType<Value>;
  /** Null and `undefined` mean that there is no value. */
  readonly response: (z: Validation) => Zod.ZodType<Value | null | undefined>;
  /** Default: the value itself. */
  request?(value: Value): JsonValue;
  /** Normalizes spellings for comparisons. */
  readonly canonical?: Canonical | undefined;
  /** What null in a response means, if not that there is no value. */
  readonly nothing?: Value | undefined;
  /** Whether only the service knows what a value is, which is sent as written. */
  readonly isOpaque?: ((value: unknown) => boolean) | undefined;
}

export type KindIn<Argument, Value> = Kind<Argument, Value> | ((dialect: Dialect) => Kind<Argument, Value>);

export interface Warning {
  readonly warning: string;
}

/** Why a value is invalid, or unlikely to work; without the argument's name, and without the value, which may be secret. */
export type Problem = string | Warning | false | undefined;

export type Check<Value> = (value: Value, dialect: Dialect) => Problem;

/** The service's default, if it depends on the object's other fields. */
export type ServiceDefault = (others: JsonObject) => JsonValue | undefined;

/** The arguments whose change may change another field; `true` if any update, or time alone, may. */
export type RecomputedBy = true | readonly string[];

/**
 * Whether responses have the field. `always`; `maybe`: a response may leave it open, so it is only known once this
 * program has set it; `kept`: the object has it although a response may omit it; `never`: drift is not detected unless
 * the class reads it elsewhere.
 */
export type Told = "always" | "maybe" | "kept" | "never";

/**
 * `since`: what has it. A service without it ignores it without a word, so a write says whether it was ignored.
 * `elsewhere`: what the argument is in the other dialect, if not nothing.
 */
export type Only =
  Dialect | { readonly dialect: Dialect; readonly since?: string; readonly elsewhere?: "output" };

/** A row without a word about absence is required; a response has it, and never null. */
export interface FieldOptions<Value> {
  /** Left to the service: an argument may be omitted, an object may have no such output. A dialect not named requires it. */
  readonly optional?: InDialect<true | ServiceDefault>;
  /** Clearing the argument resets it to this, the service's default; makes it optional. If it is empty, so is null. */
  readonly cleared?: Value | "";
  /** Default: `always`. */
  readonly told?: InDialect<Told>;
  /**
   * Null is a value; where responses always tell the field, one without it means null. `false`: not even after a clearing,
   * because the class says what the default is.
   */
  readonly nullable?: boolean;
  /** Only in one dialect: elsewhere it is rejected, and neither sent nor read. */
  readonly only?: Only;
  /** A change replaces the object; `presence`: only one between a value and none; `along`: only if what it names is replaced, which this object would keep from being deleted. */
  readonly replaces?: boolean | "along" | "presence";
  /** Encrypted in state and redacted in all output. */
  readonly secret?: boolean;
  /** Of requests and responses. Default: `body`. */
  readonly place?: "body" | "path" | "relationship";
  /**
   * The library's own: neither requests nor responses have it. `class`: a change, or the value, is up to the class;
   * `state`: a change is only one of state; `creation`: only a creation uses it.
   */
  readonly local?: "class" | "state" | "creation";
  /** Replaces the convention. Requests have the first name, responses any; the last is the documented one. */
  readonly wire?: InDialect<string | readonly string[]>;
  check?(value: Value, dialect: Dialect): Problem;
  /** What may change it besides the program and a replacement. Default: nothing. */
  readonly recomputedBy?: RecomputedBy;
}

/** For those of another kind, a misspelled option is an error of the compiler. */
export type Exactly<Options, Allowed> = Options & {
  readonly [Name in Exclude<keyof Options, keyof Allowed>]: never;
};

/** A row as it is stated. */
export class FieldRow<Argument, Output, IsGiven extends Presence> implements Row<Argument, Output, IsGiven> {
  declare readonly types: { readonly argument: Argument; readonly output: Output };

  constructor(
    readonly presence: IsGiven,
    readonly kind: KindIn<unknown, unknown>,
    readonly options: FieldOptions<unknown>,
    /** What is sent if the program omits the argument. */
    readonly usual?: InDialect<JsonValue>,
  ) {}
}

type StatedRow = FieldRow<unknown, unknown, Presence>;

const isStated = (row: unknown): row is StatedRow => row instanceof FieldRow;

export function statedRow(row: Row<unknown, unknown, Presence>): StatedRow {
  if (isStated(row)) {
    return row;
  }
  throw new TypeError("A table has rows only.");
}

/** What is the same in all dialects that have the field. */
export interface StatedField extends Pick<FieldOptions<unknown>, "secret" | "replaces" | "local"> {
  readonly only?: Dialect | undefined;
}

export function statedField({ options: { only, ...options } }: StatedRow): StatedField {
  return { ...options, only: typeof only === "object" ? only.dialect : only };
}

/** Why an argument that only another dialect has is rejected. */
export function refusalIn(row: StatedRow, dialect: Dialect): string {
  return `is only available in the ${statedField(row).only} dialect, but this service uses the ${dialect} dialect`;
}

/** What the lifecycle knows of an output. */
export interface OutputDefinition extends StatedField {
  readonly recomputedBy?: RecomputedBy | undefined;
  readonly told?: Told;
  readonly nullable?: boolean;
  /** What has the field, if a service without it ignores it without a word. */
  readonly since?: string | undefined;
}

/** What the lifecycle knows of an argument. */
export interface ArgumentDefinition extends OutputDefinition {
  /** @see Kind.canonical */
  readonly canonical?: Canonical | undefined;
  /** @see Kind.isOpaque */
  readonly isOpaque?: ((value: unknown) => boolean) | undefined;
  readonly check?: (value: unknown) => Problem;
  /** What is sent if the program omits it. Default: nothing. */
  readonly default?: JsonValue | undefined;
  /** What resets the field to the service's default. Default: null. */
  readonly cleared?: JsonValue | undefined;
  readonly serviceDefault?: ServiceDefault | undefined;
  /** In a response, a cleared field is {@link cleared}, neither null nor missing. */
  readonly echoesDefault?: boolean;
  readonly isRequired?: boolean;
}

/** A row in one dialect: nothing in it depends on that any more. */
export interface Field extends ArgumentDefinition {
  readonly name: string;
  readonly presence: Presence;
  readonly kind: Kind<unknown, unknown>;
  readonly told: Told;
  readonly place: NonNullable<FieldOptions<unknown>["place"]> | "none";
  readonly nullable: boolean;
  readonly isRequired: boolean;
  /** A result has null if a response has no value. */
  readonly mayBeNull: boolean;
  /** On the wire: the first in requests, any in responses. */
  readonly wire: readonly [string, ...string[]];
}

const sentAsWritten: Warning = {
  warning: 'has a unit that the library does not know, unlike "30s", "1h" or "1d": it is sent as written',
};

/** @returns `undefined` if the dialect does not have it */
export function resolve(
  name: string,
  { kind: kindIn, options, presence: stated, usual }: StatedRow,
  dialect: Dialect,
  convention: NamingConvention,
): Field | undefined {
  const { optional, wire, told: toldIn, local, nullable = false, ...others } = options;
  const only = typeof options.only === "string" ? { dialect: options.only } : options.only;
  const isHere = (only?.dialect ?? dialect) === dialect;
  if (!isHere && only?.elsewhere === undefined) {
    return undefined;
  }
  const presence = isHere ? stated : (only?.elsewhere ?? stated);
  const kind = typeof kindIn === "function" ? kindIn(dialect) : kindIn;
  const told = valueIn(toldIn, dialect) ?? "always";
  const leaving = valueIn(optional, dialect);
  const cleared = isHere ? (options.cleared as JsonValue | undefined) : undefined;
  const { nothing = cleared, canonical, isOpaque } = kind;
  const isEchoed = JSON.stringify(nothing) === JSON.stringify(cleared);
  const [first = convention(name), ...more] = [valueIn(wire, dialect) ?? []].flat();
  return {
    ...others,
    name,
    only: only?.elsewhere === undefined ? only?.dialect : undefined,
    presence,
    kind,
    told,
    local,
    place: local === undefined ? (options.place ?? "body") : "none",
    nullable,
    cleared,
    canonical: isEmpty(cleared) ? nothingIsNull(canonical) : canonical,
    isOpaque,
    check: (value) => (isOpaque?.(value) === true ? sentAsWritten : options.check?.(value, dialect)),
    default: valueIn(usual, dialect),
    serviceDefault: typeof leaving === "function" ? leaving : undefined,
    echoesDefault: cleared !== undefined && isEchoed && told === "always" && !nullable,
    since: only?.since,
    isRequired: presence === "required" || (optional !== undefined && leaving === undefined),
    mayBeNull: nullable || optional !== undefined || told === "maybe",
    wire: [first, ...more],
  };
}

export function valueIn<Value>(value: InDialect<Value> | undefined, dialect: Dialect): Value | undefined {
  const isForEach =
    typeof value === "object" && value !== null && ("documented" in value || "hashicorp" in value);
  return isForEach ? value[dialect] : (value as Value | undefined);
}
