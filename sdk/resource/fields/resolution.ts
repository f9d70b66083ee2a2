import type * as Zod from "zod";
import type { JsonObject, JsonValue, NamingConvention } from "../../base/json";
import type { Validation } from "../../base/schema";
import type { Dialect } from "../../base/settings";
import { type Canonical, isEmpty, nothingIsNull } from "./comparing";
import type { Presence, Row } from "./rows";

// The options of a row, and what they mean in one dialect.

/** One value for all dialects, or one for each dialect that has it. */
export type InDialect<Value> = Value | Readonly<Partial<Record<Dialect, Value>>>;

/** What the values of a field are, in programs and on the wire. */
export interface Kind<Argument, Value> {
  /** Only for the compiler: the type in a program. */
  readonly given?: Argument;
  /** Validates an argument and converts it to the sent value. */
  readonly argument: (z: Validation) => Zod.ZodType<Value>;
  /** Null and `undefined` mean that there is no value. */
  readonly response: (z: Validation) => Zod.ZodType<Value | null | undefined>;
  /** Default: the value itself. */
  request?(value: Value): JsonValue;
  /** Normalizes equivalent values for comparisons. */
  readonly canonical?: Canonical | undefined;
  /** What null means in a response, if it does not mean that there is no value. */
  readonly nothing?: Value | undefined;
  /** Whether only the service can interpret a value, which is therefore sent as written. */
  readonly isOpaque?: ((value: unknown) => boolean) | undefined;
}

export type KindIn<Argument, Value> = Kind<Argument, Value> | ((dialect: Dialect) => Kind<Argument, Value>);

export interface Warning {
  readonly warning: string;
}

/**
 * Why a value is invalid, or unlikely to work; without the argument's name, and without the value, which
 * might be secret.
 */
export type Problem = string | Warning | false | undefined;

export type Check<Value> = (value: Value, dialect: Dialect) => Problem;

/** The service's default, if it depends on the object's other fields. */
export type ServiceDefault = (others: JsonObject) => JsonValue | undefined;

/** The arguments whose change might change another field; `true` if any update, or time alone, might. */
export type RecomputedBy = true | readonly string[];

/**
 * Whether responses contain the field. `always`; `maybe`: a response might omit it, so it is only known once
 * this program has set it; `kept`: the object has it although a response might omit it; `never`: drift is not
 * detected unless the class reads it elsewhere.
 */
export type Told = "always" | "maybe" | "kept" | "never";

/**
 * `since`: which products have the field. A service without the field silently ignores it, so a write reports
 * whether it was ignored. `instead`: what to use instead of the field, if an object that was
 * written without it is of no use. `elsewhere`: what the argument is in the other dialect, if it exists there.
 */
export type Only =
  | Dialect
  | {
      readonly dialect: Dialect;
      readonly since?: string;
      readonly instead?: string;
      readonly elsewhere?: "output";
    };

/**
 * Options for absence. Without any of them, the argument is required, and a response contains it and never
 * null.
 */
export interface FieldOptions<Value> {
  /**
   * Left to the service: the argument can be omitted, and an object can lack the output. Dialects that are
   * not listed require it.
   */
  readonly optional?: InDialect<true | ServiceDefault>;
  /** Clearing the argument resets it to this, the service's default; makes it optional. If it is empty, so is null. */
  readonly cleared?: Value | "";
  /** Default: `always`. */
  readonly told?: InDialect<Told>;
  /**
   * Whether null is a value; if responses always contain the field, one without it means null. `false`: null
   * is not a value even after a clearing, because the class defines the default.
   */
  readonly nullable?: boolean;
  /** Only in one dialect: in the other one, the field is rejected, and neither sent nor read. */
  readonly only?: Only;
  /**
   * Whether a change replaces the object; `presence`: only a change between a value and none; `along`: only
   * if the object that it names is replaced, which this object would prevent from being deleted.
   */
  readonly replaces?: boolean | "along" | "presence";
  /** Encrypted in state and redacted in all output. */
  readonly secret?: boolean;
  /** The place in requests and responses. Default: `body`. */
  readonly place?: "body" | "path" | "relationship";
  /**
   * For the library only, so neither in requests nor in responses. `class`: the class handles the value or a
   * change; `state`: a change only affects state; `creation`: only a creation uses it.
   */
  readonly local?: "class" | "state" | "creation";
  /**
   * The names on the wire, instead of the conventional one. Requests use the first name, responses any; the
   * last is the documented one.
   */
  readonly wire?: InDialect<string | readonly string[]>;
  check?(value: Value, dialect: Dialect): Problem;
  /** What might change the field besides the program and a replacement. Default: nothing. */
  readonly recomputedBy?: RecomputedBy;
}

/** For rows of another kind, so that a misspelled option is a compiler error. */
export type Exactly<Options, Allowed> = Options & {
  readonly [Name in Exclude<keyof Options, keyof Allowed>]: never;
};

/** A row as it is written. */
export class FieldRow<Argument, Output, IsGiven extends Presence> implements Row<Argument, Output, IsGiven> {
  declare readonly types: { readonly argument: Argument; readonly output: Output };

  constructor(
    readonly presence: IsGiven,
    readonly kind: KindIn<unknown, unknown>,
    readonly options: FieldOptions<unknown>,
    /** The value to send if the program omits the argument. */
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

/** The parts that are the same in all dialects that have the field. */
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

/** What the lifecycle knows about an output. */
export interface OutputDefinition extends StatedField {
  readonly recomputedBy?: RecomputedBy | undefined;
  readonly told?: Told;
  readonly nullable?: boolean;
  /** Which products have the field, if services without it silently ignore it. */
  readonly since?: string | undefined;
}

/** What the lifecycle knows about an argument. */
export interface ArgumentDefinition extends OutputDefinition {
  /** What to use instead, if the object is of no use without the argument. */
  readonly instead?: string | undefined;
  /** The names on the wire: the first in requests, any in responses. */
  readonly wire?: readonly [string, ...string[]];
  /** @see Kind.canonical */
  readonly canonical?: Canonical | undefined;
  /** @see Kind.isOpaque */
  readonly isOpaque?: ((value: unknown) => boolean) | undefined;
  readonly check?: (value: unknown) => Problem;
  /** The value to send if the program omits the argument. Default: nothing. */
  readonly default?: JsonValue | undefined;
  /** The value that resets the field to the service's default. Default: null. */
  readonly cleared?: JsonValue | undefined;
  readonly serviceDefault?: ServiceDefault | undefined;
  /** Whether a cleared field is {@link cleared} in a response, neither null nor missing. */
  readonly echoesDefault?: boolean;
  readonly isRequired?: boolean;
}

/** A row resolved for one dialect: it no longer depends on the dialect. */
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
    instead: only?.instead,
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
