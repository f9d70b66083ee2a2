import type * as pulumi from "@pulumi/pulumi";
import type * as Zod from "zod";
import type { JsonValue } from "../base/json";
import type { Dialect } from "../base/settings";
import { builtOnce, type Validation } from "../base/validation";
import { type Canonical, equivalent } from "./canonical";
import type { ArgumentDefinition, OutputDefinition } from "./argument";

/** One thing for all dialects, or one for each that has it. */
export type InDialect<Value> = Value | Readonly<Partial<Record<Dialect, Value>>>;

/** Whether a program has to give a field, may give it, may leave it out for its default, or only gets it. */
export type Presence = "required" | "optional" | "defaulted" | "output";

/** What a field says beside what its values are. */
export interface FieldOptions<Value> extends Omit<ArgumentDefinition, "warning" | "cleared" | "usualIn"> {
  /** The program may leave it out, which leaves it to the service. */
  readonly optional?: true;
  /** What is sent to bring it back to the service's default; a field that has this is optional. */
  readonly cleared?: Value | "";
  /** What the service has where nobody has said anything, in a dialect where that is not {@link cleared}. */
  readonly usualIn?: Readonly<Partial<Record<Dialect, Value>>>;
  /** What it means to leave it out, which is then sent; a field that has this is optional. */
  readonly default?: Value | Readonly<Record<Dialect, Value>>;
  /** Refuses a value that the kind allows: what is wrong, without the argument's name and never repeating the value. */
  readonly problem?: (value: Value, dialect: Dialect) => string | undefined;
  /** @see ArgumentDefinition.warning */
  readonly warning?: (value: Value, dialect: Dialect) => string | undefined;
  /**
   * Its name on the wire, where that is not the service's convention. Of several the first is sent, the first that a
   * response has counts, and the last is the documents' in responses.
   */
  readonly wire?: InDialect<string | readonly string[]>;
  /**
   * Where it stands: among the members of bodies (default), in the path, in a resource object's relationships, or
   * nowhere on the wire, since the library itself makes it.
   */
  readonly place?: "body" | "path" | "relationship" | "library";
  /**
   * A response may leave it out although the object has it: then it is unknown, and an output `undefined`. Default: a
   * required argument may not.
   */
  readonly mayBeMissing?: boolean;
  /** @see OutputDefinition.commonWords */
  readonly commonWords?: true;
  /** What null means in a response. Default: an argument must not be null, and an output is as good as missing. */
  readonly whenNull?: Value | null | undefined;
  /** What it means that a response leaves it out. Default: that it is not known. */
  readonly whenMissing?: InDialect<Value | null>;
}

/** What the values of a field are. */
export interface Kind<Argument, Value> {
  /** Validates an argument, and makes it what is sent. */
  readonly argument: (z: Validation, dialect: Dialect) => Zod.ZodType<Value, Argument>;
  /** Reads the member of a response; null is one without a value. */
  readonly response: (z: Validation, dialect: Dialect) => Zod.ZodType<Value | null>;
  /** Writes the member of a request. Default: the value as it is. */
  readonly request?: (value: Value, dialect: Dialect) => JsonValue;
  readonly canonical?: Canonical;
  readonly warning?: (value: Value, dialect: Dialect) => string | undefined;
}

/**
 * All that the library knows of one field: what it may be, its name on the wire, what clears it, how spellings compare,
 * whether it replaces, is secret, is never returned.
 */
export interface Field<Argument, Value, IsGiven extends Presence, Word = Words<Value>> {
  readonly presence: IsGiven;
  readonly kind: Kind<never, never>;
  readonly options: FieldOptions<never>;
  /** Only there for the compiler: neither more nor fewer values than an interface says. */
  readonly types?: (argument: Argument, value: Value, words: Word) => [Argument, Value, Word];
}

/** The words among texts: a type that has words and takes others too is otherwise as good as one with fewer words. */
type Words<Value> = Value extends string ? (string extends Value ? never : Value) : never;

/** A field whose types do not matter to the code that handles it. */
export type AnyField = Omit<Field<never, never, Presence>, "types">;

/** Whether options make a field one that a program may leave out. */
export type PresenceOf<Options> = Options extends { readonly default: unknown }
  ? "defaulted"
  : Options extends { readonly optional: true } | { readonly cleared: unknown }
    ? "optional"
    : "required";

/** States a field. */
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

/** A field that is no argument: the service says it. */
export function answered<Argument, Value>({
  kind,
  options,
}: Field<Argument, Value, "required">): Field<never, Value, "output"> {
  return { presence: "output", kind, options };
}

/** A field that the service says, whose values are of a kind of their own; `undefined` where it does not say it. */
export function answeredAs<Value>(
  response: (z: Validation, dialect: Dialect) => Zod.ZodType<Value | undefined>,
  options: FieldOptions<Value> = {},
): Field<never, Value, "output"> {
  const kind = { argument: (z: Validation) => z.never(), response };
  return { presence: "output", kind: kind as unknown as AnyField["kind"], options: options as never };
}

/** The arguments' names of an interface that a program has to give. */
type RequiredNames<Args> = {
  [Name in keyof Args]-?: object extends Pick<Args, Name> ? never : Name;
}[keyof Args];

/** A value without what says that there is none. */
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

/** The rows that an interface of arguments and a class ask for: one for each argument and each further output. */
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

/** The value of a field as it is sent and kept. */
type ValueOf<Row> = Row extends {
  readonly types?: (argument: never, value: never, words: never) => [unknown, infer Value, unknown];
}
  ? Value
  : never;

/** Arguments ready for the wire. Those that the program leaves to the service are missing. */
export type Desired<Rows> = {
  readonly [
    Name in keyof Rows as Rows[Name] extends { readonly presence: "required" | "defaulted" } ? Name : never
  ]: ValueOf<Rows[Name]>;
} & {
  readonly [Name in keyof Rows as Rows[Name] extends { readonly presence: "optional" } ? Name : never]?:
    ValueOf<Rows[Name]> | undefined;
};

/** What a response says of an object; a member that it does not hold is missing. */
export type Answered<Rows> = { readonly [Name in keyof Rows]?: ValueOf<Rows[Name]> | null | undefined };

/** What one of the service's names looks like for ours: `key_size`, or `key-size`. */
export type Convention = (name: string) => string;

/** `keySize` is `key_size` on the wire. */
export const snakeCase: Convention = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `isDisabled` is `is-disabled` on the wire. */
export const kebabCase: Convention = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The fields of a resource, and what follows from them. */
export class Fields<Rows> {
  /** What each argument is to the lifecycle. */
  readonly arguments: Readonly<Record<string, ArgumentDefinition>>;
  /** What each output is that is no argument. */
  readonly outputs: Readonly<Record<string, OutputDefinition>>;
  /** Only there for its type. */
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
    const given = this.entries.filter(([, { presence }]) => presence !== "output");
    return Object.fromEntries(given.map(([name, row]) => [name, argumentSchema(row, z, dialect)]));
  }

  /** Reads what a response says of an object, by the names of fields; other members are ignored. */
  readonly response = builtOnce((z, dialect: Dialect) => this.responseIn(z, dialect, "body"));

  /**
   * The members of a request.
   *
   * @param values by the names of fields; `undefined` is not sent
   * @param isSent which fields to send. Default: all
   * @param place of relationships only those are sent whose kind says how
   */
  request(
    values: Desired<Rows>,
    dialect: Dialect,
    isSent: (name: string) => boolean = () => true,
    place: "body" | "relationship" = "body",
  ): Record<string, JsonValue> {
    const given = values as Readonly<Record<string, JsonValue | undefined>>;
    return Object.fromEntries(
      this.entries.flatMap(([name, row]) => {
        const value = given[name];
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

  /** What an object has that was just created: what was asked for, and the service's defaults where they are known. */
  created(desired: Desired<Rows>, dialect: Dialect): Record<string, JsonValue> {
    const given = desired as Readonly<Record<string, JsonValue | undefined>>;
    return Object.fromEntries(
      Object.entries(this.arguments).flatMap(([name, { cleared, usualIn }]) => {
        const value = given[name] ?? usualIn?.[dialect] ?? cleared;
        return value === undefined ? [] : [[name, value] as const];
      }),
    );
  }

  /** Whether an object is as desired, as far as the service tells and the program says. */
  agree(state: Answered<Rows>, desired: Desired<Rows>): boolean {
    const [given, answers] = [desired, state] as Readonly<Record<string, JsonValue | undefined>>[];
    return Object.entries(this.arguments).every(([name, argument]) => {
      const [left, right] = [given?.[name], answers?.[name]];
      return left === undefined || right === undefined || equivalent(argument, left, right);
    });
  }

  /**
   * An object as a function answers it: outputs that the service does not tell are null.
   *
   * @param known what is known of it beside the response, such as its id and what its path says
   * @param refuse makes the error for a member that is missing
   * @throws what that makes, when the response lacks what it always has
   */
  result(known: object, state: Answered<Rows>, refuse: (member: string) => Error): Record<string, unknown> {
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

  /** What a response's members say; those of one place. */
  responseIn(z: Validation, dialect: Dialect, place: "body" | "relationship"): Zod.ZodType<Answered<Rows>> {
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
    ) as unknown as Zod.ZodType<Answered<Rows>>;
  }

  private wireNames(name: string, { options }: AnyField, dialect: Dialect): readonly string[] {
    return [inDialect(options.wire, dialect) ?? this.convention(name)].flat();
  }
}

/**
 * States the fields of a resource, each once. The compiler refuses a row that is missing, one of another type, and one
 * that is required where the interface of the arguments says that it is optional.
 *
 * @param convention how the service writes names
 */
export function defineFields<Args, Resource>(convention: Convention) {
  return <Rows extends FieldsOf<Args, Resource>>(rows: Rows): Fields<Rows> => new Fields(rows, convention);
}

/** What something is in a dialect. */
export function inDialect<Value>(given: InDialect<Value> | undefined, dialect: Dialect): Value | undefined {
  return isByDialect(given) ? given[dialect] : given;
}

function isByDialect<Value>(
  given: InDialect<Value> | undefined,
): given is Readonly<Partial<Record<Dialect, Value>>> {
  return typeof given === "object" && given !== null && ("documented" in given || "hashicorp" in given);
}

function argumentOf({ kind, options }: AnyField): ArgumentDefinition {
  const { cleared } = options as FieldOptions<JsonValue>;
  const { replaces, secret, writeOnly, local, role, formerlyOutput, canonicalIn, usualIn, usualBeside } =
    options;
  const { canonical = kind.canonical, warning = kind.warning } = options;
  const flags = { replaces, secret, writeOnly, local, role, formerlyOutput };
  const all = { ...flags, canonical, canonicalIn, warning, cleared, usualIn, usualBeside };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function outputOf({ options: { secret, mayBeMissing, commonWords } }: AnyField): OutputDefinition {
  return {
    ...(secret === undefined ? {} : { secret }),
    ...(mayBeMissing === true ? { optional: true } : {}),
    ...(commonWords === undefined ? {} : { commonWords }),
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
