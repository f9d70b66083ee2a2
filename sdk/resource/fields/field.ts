import type * as Zod from "zod";
import { type JsonObject, type JsonValue, type NamingConvention, sameJson } from "../../base/json";
import { builtOnce, checked, type Validation } from "../../base/schema";
import { type Dialect, dialects } from "../../base/settings";
import type { Presence, Row, Rows } from "./rows";

export { kebabCase, snakeCase } from "../../base/json";

export type { Validation } from "../../base/schema";
export type * from "./rows";

/** What the lifecycle knows of an argument: its row, and what follows from its kind. */
export interface ArgumentDefinition extends Omit<FieldOptions<never>, "check" | "cleared" | "wire"> {
  /** @see Kind.canonical */
  readonly canonical?: InDialect<Canonical> | undefined;
  /** @see FieldOptions.check */
  readonly check?: Check<unknown>;
  /** What is sent if the program omits it. Default: nothing. */
  readonly default?: InDialect<JsonValue>;
  /** What resets the field to the service's default. Default: null. */
  readonly cleared?: JsonValue;
  /** In a response, a cleared field is {@link cleared}, neither null nor missing. */
  readonly echoesDefault?: boolean;
}

export type OutputDefinition = Pick<ArgumentDefinition, "only" | "secret" | "recomputedBy" | "unreported">;

/**
 * `since`: what has it. A service without it ignores it without a word, so a write says whether it was ignored.
 * `elsewhere`: what the argument is in the other dialect, if not nothing.
 */
export type Only =
  Dialect | { readonly dialect: Dialect; readonly since?: string; readonly elsewhere?: "output" };

/** Null is a value. A response without the field means null too, or what {@link Unreported} says. */
type Nullable = "null" | "nullOrMissing" | "nullOrKept" | "nullOrUnknown";

/**
 * What a response does not tell. `true`: it may omit the field, which is undefined if this program has not set it.
 * `kept`: it may omit the field although the object has it. `always`: no response has it, so drift is not detected unless
 * the class reads it elsewhere. `nullOrKept` and `nullOrUnknown`: as `kept` and `true`, and null is a value.
 */
export type Unreported = true | "kept" | "always" | Nullable;

/** The arguments whose change may change another field; `true` if any update, or time alone, may. */
export type RecomputedBy = true | readonly string[];

/** Only for comparisons, never sent. Must not throw: a value that it does not understand is returned unchanged. */
export type Canonical = (value: JsonValue) => JsonValue;

/** For fields where `null`, `""`, `[]` and `{}` mean the same to the service. */
export function nothingIsNull(canonical: Canonical = (value) => value): Canonical {
  return (value) => {
    const result = canonical(value);
    return isEmpty(result) ? null : result;
  };
}

export function isEmpty(value: JsonValue | undefined): boolean {
  return value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}

export interface Warning {
  readonly warning: string;
}

/** @returns why a value is invalid, or unlikely to work; without the argument's name, and without the value, which may be secret */
export type Check<Value> = (value: Value, dialect: Dialect) => string | Warning | false | undefined;

/** The service's default, if it depends on the dialect or on the object's other fields. */
export type ServiceDefault = (others: JsonObject, dialect: Dialect) => JsonValue | undefined;

type Comparable = Pick<ArgumentDefinition, "canonical">;

/** @param comparable in a dialect */
export function canonicalForm({ canonical }: Comparable, value: JsonValue): JsonValue {
  return typeof canonical === "function" ? canonical(value) : value;
}

export function equivalent(comparable: Comparable, left: JsonValue, right: JsonValue): boolean {
  return sameJson(left, right) || sameJson(canonicalForm(comparable, left), canonicalForm(comparable, right));
}

/** Whether requests or responses may have it. */
export function isRemote({ place }: Pick<ArgumentDefinition, "place">): boolean {
  return place !== "behaviour" && place !== "creation";
}

/** One value for all dialects, or one for each dialect that has it. */
export type InDialect<Value> = Value | Readonly<Partial<Record<Dialect, Value>>>;

/** A row without a word about absence is required; a response has it, and never null. */
export interface FieldOptions<Value> {
  /** Left to the service: an argument may be omitted, an object may have no such output. A dialect not named requires it. */
  readonly optional?: InDialect<true | ServiceDefault>;
  /** Clearing the argument resets it to this, the service's default; makes it optional. If it is empty, so is null. */
  readonly cleared?: Value | "";
  readonly unreported?: InDialect<Unreported> | undefined;

  /** Only in one dialect: elsewhere it is refused, and neither sent nor read. */
  readonly only?: Only;
  /** A change replaces the object; `presence`: only one between a value and none; `along`: only if what it names is replaced, which this object would keep from being deleted. */
  readonly replaces?: boolean | "along" | "presence";
  /** Encrypted in state and redacted in all output. */
  readonly secret?: boolean;
  /**
   * Its place on the wire. Three make no request: `library` if a change matters to the class, `behaviour` if it is only
   * in state, `creation` if it has no effect later. Default: `body`.
   */
  readonly place?: "body" | "path" | "relationship" | "library" | "behaviour" | "creation";
  /** Replaces the convention. Requests have the first name, responses any; the last is the documented one. */
  readonly wire?: InDialect<string | readonly string[]>;
  readonly check?: Check<Value>;
  /** What may change it besides the program and a replacement. Default: nothing. */
  readonly recomputedBy?: RecomputedBy;
}

export interface Kind<Argument, Value> {
  /** Validates an argument and converts it to the sent value. */
  readonly argument: (z: Validation, dialect: Dialect) => Zod.ZodType<Value, Argument>;
  /** Null means that there is no value. */
  readonly response: (z: Validation, dialect: Dialect) => Zod.ZodType<Value | null>;
  /** Default: the value itself. */
  readonly request?: (value: Value, dialect: Dialect) => JsonValue;
  /** Normalizes spellings for comparisons. */
  readonly canonical?: InDialect<Canonical> | undefined;
  /** What null in a response means, if not that there is no value. */
  readonly nothing?: Value;
  /** What is valid, but may not work. */
  readonly doubt?: (value: unknown) => Warning | undefined;
}

/** A row as it is. */
interface AnyField {
  readonly presence: Presence;
  readonly kind: Omit<Kind<never, never>, "nothing"> & { readonly nothing?: unknown };
  readonly options: FieldOptions<never> & Pick<ArgumentDefinition, "default">;
}

export type PresenceOf<Options> = Options extends { readonly place: "creation" }
  ? "creation"
  : Options extends { readonly optional: unknown } | { readonly cleared: unknown }
    ? "optional"
    : "required";

/** The type of an output. */
export type Told<Value, Options> = Options extends { readonly only: Only }
  ? Options extends { readonly only: { readonly elsewhere: "output" } }
    ? Value
    : Value | null | undefined
  : Options extends { readonly unreported: Nullable | { readonly documented: Nullable } }
    ? Options extends { readonly unreported: "nullOrUnknown" | { readonly documented: "nullOrUnknown" } }
      ? Value | null | undefined
      : Value | null
    : Options extends { readonly optional: unknown }
      ? Value | null | undefined
      : Options extends { readonly unreported: true | "always" }
        ? Options extends { readonly cleared: unknown }
          ? Value | null | undefined
          : Value | undefined
        : Value;

function rowOf<Argument, Output, IsGiven extends Presence>(
  presence: IsGiven,
  kind: unknown,
  options: unknown,
): Row<Argument, Output, IsGiven> {
  const row = { presence, kind, options };
  // What a row holds is nothing for programs, whose types follow from it.
  return row as unknown as Row<Argument, Output, IsGiven>;
}

export function field<Argument, Value, const Options extends FieldOptions<Value>>(
  kind: Kind<Argument, Value>,
  options: Options,
): Row<Argument, Told<Value, Options>, PresenceOf<Options>> {
  const presence = "optional" in options || "cleared" in options ? "optional" : "required";
  return rowOf((options.place === "creation" ? "creation" : presence) as PresenceOf<Options>, kind, options);
}

/** Sent if the argument is omitted. */
export function defaulted<Argument, Output extends JsonValue>(
  row: Row<Argument, Output, "required">,
  usual: InDialect<Output>,
): Row<Argument, Output, "defaulted"> {
  const { kind, options } = row as unknown as AnyField;
  return rowOf("defaulted", kind, { ...options, default: usual });
}

export function output<Argument, Output>(
  row: Row<Argument, Output, "required">,
): Row<never, Output, "output"> {
  const { kind, options } = row as unknown as AnyField;
  return rowOf("output", kind, options);
}

export function outputAs<Value, const Options extends FieldOptions<Value>>(
  response: (z: Validation, dialect: Dialect) => Zod.ZodType<Value | undefined>,
  options: Options = {} as Options,
  nothing?: Value,
): Row<never, Told<Value, Options>, "output"> {
  return rowOf("output", { argument: (z: Validation) => z.never(), response, nothing }, options);
}

type ValueOf<Each extends Row<unknown, unknown, Presence>> = Exclude<
  Each["types"]["output"],
  null | undefined
>;

/** Arguments in wire form; omitted ones are missing. */
export type Desired<Table extends Rows> = {
  readonly [
    Name in keyof Table as Table[Name]["presence"] extends "required" | "defaulted" ? Name : never
  ]: ValueOf<Table[Name]>;
} & {
  readonly [Name in keyof Table as Table[Name]["presence"] extends "optional" | "creation" ? Name : never]?:
    ValueOf<Table[Name]> | undefined;
};

/** An object in a response; omitted members are missing. */
export type Current<Table extends Rows> = {
  readonly [Name in keyof Table]?: ValueOf<Table[Name]> | null | undefined;
};

export class Fields<Table extends Rows> {
  readonly arguments: Readonly<Record<string, ArgumentDefinition>>;
  readonly outputs: Readonly<Record<string, OutputDefinition>>;
  private readonly entries: readonly (readonly [name: string, row: AnyField])[];

  constructor(
    readonly rows: Table,
    private readonly convention: NamingConvention,
  ) {
    this.entries = Object.entries(rows as unknown as Record<string, AnyField>);
    const having = (isOutput: boolean) =>
      this.entries.filter(([, { presence }]) => (presence === "output") === isOutput);
    this.arguments = Object.fromEntries(having(false).map(([name, row]) => [name, argumentOf(row)]));
    this.outputs = Object.fromEntries(having(true).map(([name, { options }]) => [name, options]));
  }

  readonly schema = builtOnce((z, dialect: Dialect): Record<string, Zod.ZodType> => {
    const rows = this.entries.filter(([, { presence }]) => presence !== "output");
    return Object.fromEntries(rows.map(([name, row]) => [name, argumentSchema(row, z, dialect)]));
  });

  readonly response = builtOnce((z, dialect: Dialect) => this.responseIn(z, dialect, "body"));

  /** Relationships are only sent if their kind can write requests. */
  request(
    values: Desired<Table>,
    dialect: Dialect,
    isSent: (name: string, value: JsonValue) => boolean = () => true,
    place: "body" | "relationship" = "body",
  ): Record<string, JsonValue> {
    const members = values as Readonly<Record<string, JsonValue | undefined>>;
    return Object.fromEntries(
      this.entriesIn(dialect).flatMap(([name, row]) => {
        const value = members[name];
        const isHere =
          (row.options.place ?? "body") === place && (place === "body" || row.kind.request !== undefined);
        const isMember = row.presence !== "output" && isHere;
        return isMember && value !== undefined && isSent(name, value)
          ? [[this.wireNames(name, row, dialect)[0] ?? name, written(row, value, dialect)] as const]
          : [];
      }),
    );
  }

  /** Whether all values that both the response and the program have are equal. */
  agree(state: Current<Table>, desired: Desired<Table>): boolean {
    const [values, current] = [desired, state] as Readonly<Record<string, JsonValue | undefined>>[];
    return Object.entries(this.arguments).every(([name, argument]) => {
      const [left, right] = [values?.[name], current?.[name]];
      return left === undefined || right === undefined || equivalent(argument, left, right);
    });
  }

  /**
   * The form that functions return. `known` is what the response lacks, such as the id and values in its path. With
   * `refuse`, no value may be missing that an output always has.
   */
  result<Result>(known: object, state: Current<Table>, refuse?: (member: string) => Error): Result {
    const values = { ...(state as Record<string, unknown>), ...(known as Record<string, unknown>) };
    const shown = this.entries.filter(
      ([name, { options }]) =>
        options.unreported !== "always" &&
        isRemote(options) &&
        (options.only === undefined || isOutputElsewhere(options) || values[name] !== undefined) &&
        (options.place !== "library" || name in known),
    );
    const resultOf = (name: string, row: AnyField): unknown => {
      const { cleared, optional, unreported } = row.options;
      const mayBeNull = isNullable(row.options) || optional !== undefined || unreported === true;
      if (values[name] !== undefined || mayBeNull) {
        return values[name] ?? null;
      }
      const otherwise = unreported === undefined && refuse !== undefined ? undefined : cleared;
      const value = row.kind.nothing ?? otherwise;
      if (value === undefined && refuse !== undefined) {
        throw refuse(this.wireNames(name, row, "documented").at(-1) ?? name);
      }
      return value ?? null;
    };
    return {
      ...known,
      ...Object.fromEntries(shown.map(([name, row]) => [name, resultOf(name, row)])),
    } as Result;
  }

  responseIn(z: Validation, dialect: Dialect, place: "body" | "relationship"): Zod.ZodType<Current<Table>> {
    const read = this.entries.filter(
      ([, { options }]) =>
        (existsIn(options, dialect) || isOutputElsewhere(options)) &&
        (options.place ?? "body") === place &&
        options.unreported !== "always",
    );
    const members = read.flatMap(([name, row]) => {
      const names = this.wireNames(name, row, dialect);
      const schema = responseSchema(row, z, dialect, names.length > 1);
      return names.map((wireName) => [wireName, schema] as const);
    });
    return z.looseObject(Object.fromEntries(members)).transform((response) =>
      Object.fromEntries(
        read.flatMap(([name, row]) => {
          const values = this.wireNames(name, row, dialect).map((wireName) => response[wireName]);
          const returned = values.find((each) => each !== undefined);
          const isNull =
            returned === undefined && inDialect(row.options.unreported, dialect) === "nullOrMissing";
          const value = isNull ? null : returned;
          return value === undefined ? [] : [[name, value] as const];
        }),
      ),
    ) as unknown as Zod.ZodType<Current<Table>>;
  }

  private entriesIn(dialect: Dialect): typeof this.entries {
    return this.entries.filter(([, { options }]) => existsIn(options, dialect));
  }

  private wireNames(name: string, { options }: AnyField, dialect: Dialect): readonly string[] {
    return [inDialect(options.wire, dialect) ?? this.convention(name)].flat();
  }
}

export function inDialect<Value>(value: InDialect<Value> | undefined, dialect: Dialect): Value | undefined {
  return isByDialect(value) ? value[dialect] : value;
}

function isByDialect<Value>(
  value: InDialect<Value> | undefined,
): value is Readonly<Partial<Record<Dialect, Value>>> {
  return typeof value === "object" && value !== null && ("documented" in value || "hashicorp" in value);
}

export function existsIn({ only }: { readonly only?: Only | undefined }, dialect: Dialect): boolean {
  return only === undefined || (typeof only === "string" ? only : only.dialect) === dialect;
}

/** What has the argument, if a service without it ignores it without a word. */
export function sinceOf({ only }: ArgumentDefinition = {}): string | undefined {
  return typeof only === "object" ? only.since : undefined;
}

export function isOutputElsewhere({ only }: { readonly only?: Only | undefined }): boolean {
  return typeof only === "object" && only.elsewhere === "output";
}

/** Whether null is a value. */
function isNullable({ unreported }: Pick<FieldOptions<never>, "unreported">): boolean {
  const words = isByDialect(unreported) ? Object.values(unreported) : [unreported];
  return words.some((word) => String(word).startsWith("null"));
}

/** Whether a response may leave the value open. */
export function isOpen({ unreported }: { readonly unreported?: InDialect<Unreported> | undefined }): boolean {
  return unreported !== undefined && unreported !== "null" && unreported !== "nullOrMissing";
}

function argumentOf({ kind, options }: AnyField): ArgumentDefinition {
  const all = options as unknown as ArgumentDefinition;
  const { nothing = all.cleared } = kind;
  const isEchoed = JSON.stringify(nothing) === JSON.stringify(all.cleared);
  const echoesDefault = all.cleared !== undefined && isEchoed && all.unreported === undefined;
  const isWrapped = isEmpty(all.cleared) && !isByDialect(kind.canonical);
  const canonical = isWrapped ? nothingIsNull(kind.canonical) : kind.canonical;
  const { doubt } = kind;
  const check: Check<unknown> | undefined =
    doubt === undefined ? all.check : (value, dialect) => doubt(value) ?? all.check?.(value, dialect);
  return { ...all, ...(check && { check }), canonical, echoesDefault };
}

function argumentSchema({ presence, kind, options }: AnyField, z: Validation, dialect: Dialect): Zod.ZodType {
  if (!existsIn(options, dialect)) {
    const [other] = dialects.filter((each) => existsIn(options, each));
    return z
      .undefined(`only exists in the ${other} dialect, and this service has the ${dialect} one`)
      .optional();
  }
  const { check } = options as FieldOptions<unknown>;
  const plain = kind.argument(z, dialect) as Zod.ZodType;
  const problem = (value: unknown): string | undefined => {
    const found = check?.(value, dialect);
    return typeof found === "string" ? found : undefined;
  };
  const schema = check === undefined ? plain : checked(plain, problem);
  const usual = inDialect<unknown>(options.default, dialect);
  if (usual !== undefined) {
    return schema.default(usual);
  }
  return isRequired(presence, options, dialect) ? schema : schema.optional();
}

function isRequired(presence: Presence, { optional }: FieldOptions<never>, dialect: Dialect): boolean {
  return presence === "required" || (isByDialect(optional) && optional[dialect] === undefined);
}

function responseSchema(
  { presence, kind, options }: AnyField,
  z: Validation,
  dialect: Dialect,
  hasSeveralNames: boolean,
): Zod.ZodType {
  const schema = kind.response(z, dialect) as Zod.ZodType;
  const isNeeded = isRequired(presence, options, dialect);
  const isTolerant =
    presence === "output" ||
    kind.nothing !== undefined ||
    (options.optional !== undefined && !isNeeded) ||
    hasSeveralNames ||
    options.unreported !== undefined;
  const ifNull = isNullable(options) ? null : (kind.nothing ?? options.cleared);
  const known = isTolerant
    ? schema.nullable().transform((value) => (value === null ? ifNull : value))
    : schema;
  const mayLack = !isNeeded || (options.unreported ?? "null") !== "null" || hasSeveralNames;
  return mayLack ? known.optional() : known;
}

function written({ kind: { request } }: AnyField, value: JsonValue, dialect: Dialect): JsonValue {
  return request === undefined || value === null
    ? value
    : (request as (value: JsonValue, dialect: Dialect) => JsonValue)(value, dialect);
}
