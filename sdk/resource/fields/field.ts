import type * as pulumi from "@pulumi/pulumi";
import type * as Zod from "zod";
import { type JsonValue, sameJson } from "../../base/json";
import type { Dialect } from "../../base/settings";
import { builtOnce, type Validation } from "../../base/validation";
import { type Canonical, equivalent } from "./canonical";
import type { ArgumentDefinition, OutputDefinition } from "./argument";

/** One value for all dialects, or one for each dialect that has it. */
export type InDialect<Value> = Value | Readonly<Partial<Record<Dialect, Value>>>;

/**
 * Whether a field is a required argument, an optional one, an optional one with a default, or only an output.
 */
export type Presence = "required" | "optional" | "defaulted" | "output";

/** The options of a field besides its kind. */
export interface FieldOptions<Value> extends Omit<
  ArgumentDefinition,
  "warning" | "default" | "cleared" | "usualIn" | "tellsCleared"
> {
  /** An optional argument; if omitted, the service decides. */
  readonly optional?: true;
  /** What is sent to reset the field to the service's default; a field with this option is optional. */
  readonly cleared?: Value | "";
  /** The service's default, in a dialect where it is not {@link cleared}. */
  readonly usualIn?: Readonly<Partial<Record<Dialect, Value>>>;
  /** The default that is sent if the argument is omitted; a field with this option is optional. */
  readonly default?: Value | Readonly<Record<Dialect, Value>>;
  /**
   * Rejects a value that the kind allows: returns the problem, without the name of the argument and never
   * repeating the value.
   */
  readonly problem?: (value: Value, dialect: Dialect) => string | undefined;
  /** @see ArgumentDefinition.warning */
  readonly warning?: (value: Value, dialect: Dialect) => string | undefined;
  /**
   * Its name on the wire, if it differs from the convention. If there are several, the first is sent, the
   * first one in a response is used, and the last is the documented one in responses.
   */
  readonly wire?: InDialect<string | readonly string[]>;
  /**
   * Its place on the wire: in the body (default), in the path, in the relationships of a resource object, or
   * none for a field of the library.
   */
  readonly place?: "body" | "path" | "relationship" | "library";
  /**
   * A response may omit it although the object has it: then it is unknown, and an output is `undefined`.
   * Default: a required argument may not be omitted.
   */
  readonly mayBeMissing?: boolean;
  /** @see OutputDefinition.commonWords */
  readonly commonWords?: true;
  /**
   * What null means in a response. Default: an argument must not be null, and an output counts as missing.
   */
  readonly whenNull?: Value | null | undefined;
  /** What it means if a response omits it. Default: unknown. */
  readonly whenMissing?: InDialect<Value | null>;
}

/** The type of the values of a field. */
export interface Kind<Argument, Value> {
  /** Validates an argument and converts it to the sent value. */
  readonly argument: (z: Validation, dialect: Dialect) => Zod.ZodType<Value, Argument>;
  /** Reads the member of a response; null means that there is no value. */
  readonly response: (z: Validation, dialect: Dialect) => Zod.ZodType<Value | null>;
  /** Writes the member of a request. Default: the value itself. */
  readonly request?: (value: Value, dialect: Dialect) => JsonValue;
  readonly canonical?: Canonical;
  readonly warning?: (value: Value, dialect: Dialect) => string | undefined;
}

/**
 * The complete definition of a field: its type, its name on the wire, what clears it, how spellings compare,
 * whether a change replaces the object, whether it is secret, and whether the service returns it.
 */
export interface Field<Argument, Value, IsGiven extends Presence> {
  readonly presence: IsGiven;
  readonly kind: Kind<never, never>;
  readonly options: FieldOptions<never>;
  /** Only for the compiler: exactly the values of an interface. */
  readonly types?: (argument: Argument, value: Value) => [Argument, Value];
}

/** A field, for code that does not depend on its types. */
export type AnyField = Omit<Field<never, never, Presence>, "types">;

/** Whether options make a field optional. */
export type PresenceOf<Options> = Options extends { readonly default: unknown }
  ? "defaulted"
  : Options extends { readonly optional: true } | { readonly cleared: unknown }
    ? "optional"
    : "required";

/** Defines a field. */
export function field<Argument, Value, const Options extends FieldOptions<Value>>(
  kind: Kind<Argument, Value>,
  options: Options,
): Field<Argument, Value, PresenceOf<Options>> {
  const isOptional = options.optional === true || "cleared" in options;
  const presence = "default" in options ? "defaulted" : isOptional ? "optional" : "required";
  return {
    presence: presence as PresenceOf<Options>,
    kind: kind as unknown as Kind<never, never>,
    options: options as unknown as FieldOptions<never>,
  };
}

/** A field that is only an output. */
export function output<Argument, Value>({
  kind,
  options,
}: Field<Argument, Value, "required">): Field<never, Value, "output"> {
  return { presence: "output", kind, options };
}

/** An output with its own schema; `undefined` if a response omits it. */
export function outputAs<Value>(
  response: (z: Validation, dialect: Dialect) => Zod.ZodType<Value | undefined>,
  options: FieldOptions<Value> = {},
): Field<never, Value, "output"> {
  const kind = { argument: (z: Validation) => z.never(), response };
  return { presence: "output", kind: kind as unknown as AnyField["kind"], options: options as never };
}

/** The names of the required arguments of an interface. */
type RequiredNames<Args> = {
  [Name in keyof Args]-?: object extends Pick<Args, Name> ? never : Name;
}[keyof Args];

/** A value type without null and undefined. */
type Plain<Value> = Exclude<pulumi.Unwrap<Value>, null | undefined>;

/** The outputs of a class. */
type OutputNames<Resource> = {
  [Name in keyof Resource]-?: Resource[Name] extends pulumi.OutputInstance<unknown> ? Name : never;
}[keyof Resource];

type OutputValue<Resource, Name> = Name extends keyof Resource
  ? Resource[Name] extends pulumi.OutputInstance<infer Value>
    ? Exclude<Value, null | undefined>
    : never
  : never;

/**
 * The required rows of an interface of arguments and a class: one per argument and one per further output.
 */
export type FieldsOf<Args, Resource> = {
  readonly [Name in keyof Args]-?: Field<
    Plain<Args[Name]>,
    Name extends OutputNames<Resource> ? OutputValue<Resource, Name> : Plain<Args[Name]>,
    Name extends RequiredNames<Args> ? "required" : "optional" | "defaulted"
  >;
} & {
  readonly [Name in Exclude<OutputNames<Resource>, keyof Args | "urn" | "id">]: Field<
    never,
    OutputValue<Resource, Name>,
    "output"
  >;
};

/** The value of a field as sent and stored. */
type ValueOf<Row> = Row extends {
  readonly types?: (argument: never, value: never) => [unknown, infer Value];
}
  ? Value
  : never;

/** Arguments in the form for the wire. Omitted arguments are missing. */
export type Desired<Rows> = {
  readonly [
    Name in keyof Rows as Rows[Name] extends { readonly presence: "required" | "defaulted" } ? Name : never
  ]: ValueOf<Rows[Name]>;
} & {
  readonly [Name in keyof Rows as Rows[Name] extends { readonly presence: "optional" } ? Name : never]?:
    ValueOf<Rows[Name]> | undefined;
};

/** An object in a response; omitted members are missing. */
export type Current<Rows> = { readonly [Name in keyof Rows]?: ValueOf<Rows[Name]> | null | undefined };

/** Converts our name to that of the service: `key_size`, or `key-size`. */
export type Convention = (name: string) => string;

/** `keySize` is `key_size` on the wire. */
export const snakeCase: Convention = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `isDisabled` is `is-disabled` on the wire. */
export const kebabCase: Convention = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The fields of a resource, and what is derived from them. */
export class Fields<Rows> {
  /** The lifecycle properties of each argument. */
  readonly arguments: Readonly<Record<string, ArgumentDefinition>>;
  /** The lifecycle properties of each other output. */
  readonly outputs: Readonly<Record<string, OutputDefinition>>;
  /** Only for its type. */
  declare readonly rows: Rows;
  private readonly entries: readonly (readonly [name: string, row: AnyField])[];

  constructor(
    rows: Rows,
    private readonly convention: Convention,
  ) {
    this.entries = Object.entries(rows as Record<string, AnyField>);
    const having = (isOutput: boolean) =>
      this.entries.filter(([, { presence }]) => (presence === "output") === isOutput);
    this.arguments = Object.fromEntries(having(false).map(([name, row]) => [name, argumentOf(row)]));
    this.outputs = Object.fromEntries(having(true).map(([name, row]) => [name, outputOf(row)]));
  }

  /** Validates each argument by itself. */
  schema(z: Validation, dialect: Dialect): Record<string, Zod.ZodType> {
    const rows = this.entries.filter(([, { presence }]) => presence !== "output");
    return Object.fromEntries(rows.map(([name, row]) => [name, argumentSchema(row, z, dialect)]));
  }

  /** Reads an object in a response, by field name; other members are ignored. */
  readonly response = builtOnce((z, dialect: Dialect) => this.responseIn(z, dialect, "body"));

  /**
   * The members of a request.
   *
   * @param values by field name; `undefined` is not sent
   * @param isSent which fields to send. Default: all
   * @param place of relationships, only those whose kind can write requests
   */
  request(
    values: Desired<Rows>,
    dialect: Dialect,
    isSent: (name: string) => boolean = () => true,
    place: "body" | "relationship" = "body",
  ): Record<string, JsonValue> {
    const members = values as Readonly<Record<string, JsonValue | undefined>>;
    return Object.fromEntries(
      this.entries.flatMap(([name, row]) => {
        const value = members[name];
        const { role, local } = row.options;
        const isHere =
          (row.options.place ?? "body") === place && (place === "body" || row.kind.request !== undefined);
        const isMember = row.presence !== "output" && isHere && role === undefined && !local;
        return isMember && value !== undefined && isSent(name)
          ? [[this.wireNames(name, row, dialect)[0] ?? name, written(row, value, dialect)] as const]
          : [];
      }),
    );
  }

  /** Whether an object is as desired, as far as the response and the program say. */
  agree(state: Current<Rows>, desired: Desired<Rows>): boolean {
    const [values, current] = [desired, state] as Readonly<Record<string, JsonValue | undefined>>[];
    return Object.entries(this.arguments).every(([name, argument]) => {
      const [left, right] = [values?.[name], current?.[name]];
      return left === undefined || right === undefined || equivalent(argument, left, right);
    });
  }

  /**
   * An object as a function returns it: outputs that the service does not return are null.
   *
   * @param known what is known besides the response, such as its id and the values in its path
   * @param refuse creates the error for a missing member
   * @throws that error, if a required member is missing
   */
  result(known: object, state: Current<Rows>, refuse: (member: string) => Error): Record<string, unknown> {
    const values = { ...(state as Record<string, unknown>), ...(known as Record<string, unknown>) };
    const shown = this.entries.filter(
      ([name, { options }]) =>
        options.writeOnly !== true &&
        options.role === undefined &&
        (options.place !== "library" || name in known),
    );
    return {
      ...known,
      ...Object.fromEntries(
        shown.map(([name, row]) => {
          const value = values[name];
          if (value === undefined && row.options.mayBeMissing !== true) {
            throw refuse(this.wireNames(name, row, "documented").at(-1) ?? name);
          }
          return [name, value ?? null];
        }),
      ),
    };
  }

  /** The members of a response in one place. */
  responseIn(z: Validation, dialect: Dialect, place: "body" | "relationship"): Zod.ZodType<Current<Rows>> {
    const read = this.entries.filter(
      ([, { options }]) =>
        (options.place ?? "body") === place &&
        options.writeOnly !== true &&
        options.role === undefined &&
        options.local !== true,
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
          const said = values.find((each) => each !== undefined);
          const value = said === undefined ? inDialect<unknown>(row.options.whenMissing, dialect) : said;
          return value === undefined ? [] : [[name, value] as const];
        }),
      ),
    ) as unknown as Zod.ZodType<Current<Rows>>;
  }

  private wireNames(name: string, { options }: AnyField, dialect: Dialect): readonly string[] {
    return [inDialect(options.wire, dialect) ?? this.convention(name)].flat();
  }
}

/**
 * Defines the fields of a resource, each once. The compiler rejects a missing row, a row of another type, and
 * a required row for an optional argument.
 *
 * @param convention the naming convention of the service
 */
export function defineFields<Args, Resource>(convention: Convention) {
  return <Rows extends FieldsOf<Args, Resource>>(rows: Rows): Fields<Rows> => new Fields(rows, convention);
}

/** The value for a dialect. */
export function inDialect<Value>(value: InDialect<Value> | undefined, dialect: Dialect): Value | undefined {
  return isByDialect(value) ? value[dialect] : value;
}

function isByDialect<Value>(
  value: InDialect<Value> | undefined,
): value is Readonly<Partial<Record<Dialect, Value>>> {
  return typeof value === "object" && value !== null && ("documented" in value || "hashicorp" in value);
}

function argumentOf({ kind, options }: AnyField): ArgumentDefinition {
  const { cleared, mayBeMissing, ...others } = options as FieldOptions<JsonValue>;
  const isNeverNull = !("whenNull" in others) || sameJson(others.whenNull, cleared);
  const tellsCleared = cleared !== undefined && isNeverNull && mayBeMissing !== true ? true : undefined;
  const { replaces, secret, writeOnly, local, role, canonicalIn, usualIn, usualBeside } = options;
  const { canonical = kind.canonical, warning = kind.warning, follows } = options;
  const usual = others.default === undefined ? undefined : byDialect(others.default);
  const flags = { replaces, secret, writeOnly, local, role, follows, tellsCleared };
  const all = { ...flags, canonical, canonicalIn, warning, cleared, usualIn, usualBeside, default: usual };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function byDialect(value: InDialect<JsonValue>): ArgumentDefinition["default"] {
  const [documented = null, hashicorp = null] = [
    inDialect(value, "documented"),
    inDialect(value, "hashicorp"),
  ];
  return { documented, hashicorp };
}

function outputOf({ options: { secret, mayBeMissing, commonWords, follows } }: AnyField): OutputDefinition {
  return {
    ...(secret === undefined ? {} : { secret }),
    ...(mayBeMissing === true ? { optional: true } : {}),
    ...(commonWords === undefined ? {} : { commonWords }),
    ...(follows === undefined ? {} : { follows }),
  };
}

function argumentSchema({ presence, kind, options }: AnyField, z: Validation, dialect: Dialect): Zod.ZodType {
  const { problem } = options as FieldOptions<unknown>;
  const plain = kind.argument(z, dialect) as Zod.ZodType;
  const schema =
    problem === undefined
      ? plain
      : plain.superRefine((value, context) => {
          const message = problem(value, dialect);
          if (message !== undefined) {
            context.addIssue({ code: "custom", message });
          }
        });
  const usual = inDialect<unknown>(options.default, dialect);
  if (usual !== undefined) {
    return schema.default(usual);
  }
  return presence === "optional" ? schema.optional() : schema;
}

function responseSchema(
  { presence, kind, options }: AnyField,
  z: Validation,
  dialect: Dialect,
  hasSeveralNames: boolean,
): Zod.ZodType {
  const schema = kind.response(z, dialect) as Zod.ZodType;
  const mayBeNull = "whenNull" in options || presence === "output";
  const known = mayBeNull
    ? schema.nullable().transform((value) => (value === null ? options.whenNull : value))
    : schema;
  const { mayBeMissing = presence !== "required" || "whenMissing" in options } = options;
  return mayBeMissing || hasSeveralNames ? known.optional() : known;
}

function written({ kind: { request } }: AnyField, value: JsonValue, dialect: Dialect): JsonValue {
  return request === undefined || value === null
    ? value
    : (request as (value: JsonValue, dialect: Dialect) => JsonValue)(value, dialect);
}
