import type * as pulumi from "@pulumi/pulumi";
import type * as Zod from "zod";
import { ContractError } from "../../base/errors";
import { type JsonObject, type JsonValue, sameJson } from "../../base/json";
import type { Dialect } from "../../base/settings";

export interface ArgumentDefinition {
  /** A change replaces the object. */
  readonly replaces?: boolean;
  /** Encrypted in state and redacted in all output. */
  readonly secret?: boolean;
  /** The service never returns it: drift is not detected, and the last applied value is kept. */
  readonly writeOnly?: boolean;
  /** Its place on the wire; `library` if it has none. Default: `body`. */
  readonly place?: "body" | "path" | "relationship" | "library";
  /** `behaviour` is only in state and makes no request; `creation` has no effect later. Default: `remote`. */
  readonly role?: "remote" | "behaviour" | "creation";
  /** Normalizes spellings for comparisons. */
  readonly canonical?: Canonical;
  /** Replaces `canonical` in a dialect whose product accepts more spellings, such as another case. */
  readonly canonicalIn?: Readonly<Partial<Record<Dialect, Canonical>>>;
  /** Warns about a valid, known value that is unlikely to work. Must not repeat the value, which may be secret. */
  readonly warning?: (value: unknown, dialect: Dialect) => string | undefined;
  /** What is sent if the program omits it. Default: nothing. */
  readonly default?: InDialect<JsonValue>;
  /** What resets the field to the service's default. Default: null. */
  readonly cleared?: JsonValue;
  /** The service's default, if it depends on the dialect or on the object's other fields. */
  readonly serviceDefault?: (others: JsonObject, dialect: Dialect) => JsonValue | undefined;
  /** What may change it besides the program and a replacement. Default: nothing. */
  readonly recomputedBy?: RecomputedBy;
  /** In a response, a cleared field is {@link cleared}, neither null nor missing. */
  readonly echoesDefault?: boolean;
}

/** The arguments whose change may change another field; `true` if any update, or time alone, may. */
export type RecomputedBy = true | readonly string[];

export type OutputDefinition = Pick<
  FieldOptions<unknown>,
  "secret" | "mayBeMissing" | "commonWords" | "recomputedBy"
>;

/** Only for comparisons, never sent. Must not throw: a value that it does not understand is returned unchanged. */
export type Canonical = (value: JsonValue) => JsonValue;

export function equivalent(
  { canonical }: { readonly canonical?: Canonical },
  left: JsonValue,
  right: JsonValue,
): boolean {
  return sameJson(left, right) || (canonical !== undefined && sameJson(canonical(left), canonical(right)));
}

/** One value for all dialects, or one for each dialect that has it. */
export type InDialect<Value> = Value | Readonly<Partial<Record<Dialect, Value>>>;

export type Presence = "required" | "optional" | "defaulted" | "output";

export interface FieldOptions<Value> extends Omit<
  ArgumentDefinition,
  "warning" | "default" | "cleared" | "echoesDefault"
> {
  /** If omitted, the service decides. */
  readonly optional?: true;
  /** What resets the field to the service's default; makes it optional. */
  readonly cleared?: Value | "";
  /** Sent if the argument is omitted; makes it optional. */
  readonly default?: Value | Readonly<Record<Dialect, Value>>;
  /** Why a value is invalid, without the argument's name. Must not repeat the value, which may be secret. */
  readonly problem?: (value: Value, dialect: Dialect) => string | undefined;
  /** @see ArgumentDefinition.warning */
  readonly warning?: (value: Value, dialect: Dialect) => string | undefined;
  /** Replaces the convention. Requests have the first name, responses any; the last is the documented one. */
  readonly wire?: InDialect<string | readonly string[]>;
  /** A response may omit it although the object has it. Default: a required argument may not be omitted. */
  readonly mayBeMissing?: boolean;
  /** Contains common words besides secrets, so its parts are not redacted. */
  readonly commonWords?: true;
  /** What null in a response means. Default: invalid for an argument, missing for an output. */
  readonly whenNull?: Value | null | undefined;
  /** What it means if a response omits it. Default: unknown. */
  readonly whenMissing?: InDialect<Value | null>;
  /** What functions return if the service returns no value. Default: null. */
  readonly inResults?: Value | null;
}

export interface Kind<Argument, Value> {
  /** Validates an argument and converts it to the sent value. */
  readonly argument: (z: Validation, dialect: Dialect) => Zod.ZodType<Value, Argument>;
  /** Null means that there is no value. */
  readonly response: (z: Validation, dialect: Dialect) => Zod.ZodType<Value | null>;
  /** Default: the value itself. */
  readonly request?: (value: Value, dialect: Dialect) => JsonValue;
  readonly canonical?: Canonical;
}

export interface Field<Argument, Value, IsGiven extends Presence> {
  readonly presence: IsGiven;
  readonly kind: Kind<never, never>;
  readonly options: FieldOptions<never>;
  /** Only for the compiler, which compares it with the types of the interface. */
  readonly types?: (argument: Argument, value: Value) => [Argument, Value];
}

export type AnyField = Omit<Field<never, never, Presence>, "types">;

export type PresenceOf<Options> = Options extends { readonly default: unknown }
  ? "defaulted"
  : Options extends { readonly optional: true } | { readonly cleared: unknown }
    ? "optional"
    : "required";

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

export function output<Argument, Value>({
  kind,
  options,
}: Field<Argument, Value, "required">): Field<never, Value, "output"> {
  return { presence: "output", kind, options };
}

export function outputAs<Value>(
  response: (z: Validation, dialect: Dialect) => Zod.ZodType<Value | undefined>,
  options: FieldOptions<Value> = {},
): Field<never, Value, "output"> {
  const kind = { argument: (z: Validation) => z.never(), response };
  return { presence: "output", kind: kind as unknown as AnyField["kind"], options: options as never };
}

type RequiredNames<Args> = {
  [Name in keyof Args]-?: object extends Pick<Args, Name> ? never : Name;
}[keyof Args];

type Plain<Value> = Exclude<pulumi.Unwrap<Value>, null | undefined>;

type OutputNames<Resource> = {
  [Name in keyof Resource]-?: Resource[Name] extends pulumi.OutputInstance<unknown> ? Name : never;
}[keyof Resource];

type OutputValue<Resource, Name> = Name extends keyof Resource
  ? Resource[Name] extends pulumi.OutputInstance<infer Value>
    ? Exclude<Value, null | undefined>
    : never
  : never;

/** The required rows: one per argument of an interface, and one per further output of a class. */
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

type ValueOf<Row> = Row extends {
  readonly types?: (argument: never, value: never) => [unknown, infer Value];
}
  ? Value
  : never;

/** Arguments in wire form; omitted ones are missing. */
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

export type Convention = (name: string) => string;

export const snakeCase: Convention = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const kebabCase: Convention = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export class Fields<Rows> {
  readonly arguments: Readonly<Record<string, ArgumentDefinition>>;
  readonly outputs: Readonly<Record<string, OutputDefinition>>;
  /** Only for the compiler. */
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
    this.outputs = Object.fromEntries(having(true).map(([name, { options }]) => [name, options]));
  }

  readonly schema = builtOnce((z, dialect: Dialect): Record<string, Zod.ZodType> => {
    const rows = this.entries.filter(([, { presence }]) => presence !== "output");
    return Object.fromEntries(rows.map(([name, row]) => [name, argumentSchema(row, z, dialect)]));
  });

  readonly response = builtOnce((z, dialect: Dialect) => this.responseIn(z, dialect, "body"));

  /** Relationships are only sent if their kind can write requests. */
  request(
    values: Desired<Rows>,
    dialect: Dialect,
    isSent: (name: string, value: JsonValue) => boolean = () => true,
    place: "body" | "relationship" = "body",
  ): Record<string, JsonValue> {
    const members = values as Readonly<Record<string, JsonValue | undefined>>;
    return Object.fromEntries(
      this.entries.flatMap(([name, row]) => {
        const value = members[name];
        const isHere =
          (row.options.place ?? "body") === place && (place === "body" || row.kind.request !== undefined);
        const isMember = row.presence !== "output" && isHere && row.options.role === undefined;
        return isMember && value !== undefined && isSent(name, value)
          ? [[this.wireNames(name, row, dialect)[0] ?? name, written(row, value, dialect)] as const]
          : [];
      }),
    );
  }

  /** Whether all values that both the response and the program have are equal. */
  agree(state: Current<Rows>, desired: Desired<Rows>): boolean {
    const [values, current] = [desired, state] as Readonly<Record<string, JsonValue | undefined>>[];
    return Object.entries(this.arguments).every(([name, argument]) => {
      const [left, right] = [values?.[name], current?.[name]];
      return left === undefined || right === undefined || equivalent(argument, left, right);
    });
  }

  /**
   * The form that functions return. `known` is what the response lacks, such as the id and values in its path. With
   * `refuse`, only a field that `mayBeMissing`, or has a value `inResults`, may be missing.
   */
  result<Result>(known: object, state: Current<Rows>, refuse?: (member: string) => Error): Result {
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
          const { mayBeMissing = "inResults" in row.options, inResults = null } = row.options;
          if (value === undefined && !mayBeMissing && refuse !== undefined) {
            throw refuse(this.wireNames(name, row, "documented").at(-1) ?? name);
          }
          return [name, value ?? inResults];
        }),
      ),
    } as Result;
  }

  responseIn(z: Validation, dialect: Dialect, place: "body" | "relationship"): Zod.ZodType<Current<Rows>> {
    const read = this.entries.filter(
      ([, { options }]) =>
        (options.place ?? "body") === place && options.writeOnly !== true && options.role === undefined,
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
          const value =
            returned === undefined ? inDialect<unknown>(row.options.whenMissing, dialect) : returned;
          return value === undefined ? [] : [[name, value] as const];
        }),
      ),
    ) as unknown as Zod.ZodType<Current<Rows>>;
  }

  private wireNames(name: string, { options }: AnyField, dialect: Dialect): readonly string[] {
    return [inDialect(options.wire, dialect) ?? this.convention(name)].flat();
  }
}

/** The compiler rejects a missing row, a row of another type, and a required row for an optional argument. */
export function defineFields<Args, Resource>(convention: Convention) {
  return <Rows extends FieldsOf<Args, Resource>>(rows: Rows): Fields<Rows> => new Fields(rows, convention);
}

export function inDialect<Value>(value: InDialect<Value> | undefined, dialect: Dialect): Value | undefined {
  return isByDialect(value) ? value[dialect] : value;
}

function isByDialect<Value>(
  value: InDialect<Value> | undefined,
): value is Readonly<Partial<Record<Dialect, Value>>> {
  return typeof value === "object" && value !== null && ("documented" in value || "hashicorp" in value);
}

function argumentOf({ kind, options }: AnyField): ArgumentDefinition {
  const all = options as unknown as FieldOptions<JsonValue> & Pick<ArgumentDefinition, "warning">;
  const isNeverNull = !("whenNull" in all) || sameJson(all.whenNull, all.cleared);
  return {
    canonical: kind.canonical,
    ...all,
    echoesDefault: all.cleared !== undefined && isNeverNull && all.mayBeMissing !== true,
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

/** Passed to definitions as an argument, because importing zod costs every program tens of milliseconds. */
export type Validation = typeof Zod.z;

let loaded: Validation | undefined;

export function validation(): Validation {
  // In the bundle of the provider process, each `require` copies the module's exports.
  return (loaded ??= (require("zod") as { readonly z: Validation }).z);
}

/**
 * Building a schema and using it for the first time takes longer than all other work on a response.
 *
 * @param build may depend on the validation library and one more object or string
 */
export function builtOnce<Rest extends readonly [] | readonly [about: object | string], Shape>(
  build: (z: Validation, ...rest: Rest) => Shape,
): (z: Validation, ...rest: Rest) => Shape {
  const built = new Map<object | string, { readonly shape: Shape }>();
  return (z, ...rest) => {
    const [about = z] = rest;
    const { shape } = built.get(about) ?? { shape: build(z, ...rest) };
    built.set(about, { shape });
    return shape;
  };
}

/**
 * Ignores unknown members, since services add new ones at any time.
 *
 * @param at the path of the part in the response: `data.attributes`
 * @throws ContractError with the path and what was expected there, never with the value
 */
export function readShape<Shape extends Zod.ZodType>(
  schema: Shape,
  value: unknown,
  at: string,
  request: string,
): Zod.output<Shape> {
  const result = schema.safeParse(value);
  if (result.success) {
    return result.data;
  }
  const issue = deepest(result.error.issues);
  throw new ContractError({ request, at: jsonPath(at, issue?.path ?? []), problem: describeIssue(issue) });
}

function jsonPath(at: string, path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`));
  return (at + steps.join("")).replace(/^\./, "");
}

/** For a union, reports the alternative that matched furthest. */
function deepest(issues: readonly Zod.core.$ZodIssue[]): Zod.core.$ZodIssue | undefined {
  const [issue] = issues;
  if (issue?.code !== "invalid_union") {
    return issue;
  }
  const inner = issue.errors
    .map(deepest)
    .filter((each) => each !== undefined)
    .sort((left, right) => right.path.length - left.path.length)[0];
  return inner === undefined || inner.path.length === 0
    ? issue
    : { ...inner, path: [...issue.path, ...inner.path] };
}

function describeIssue(issue: Zod.core.$ZodIssue | undefined): string {
  switch (issue?.code) {
    case "invalid_type":
      return `expected ${issue.expected === "undefined" ? "nothing" : `a value of type ${issue.expected}`}`;
    case "invalid_value":
      return `expected ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "too_small":
      return `expected at least ${issue.minimum}`;
    case "too_big":
      return `expected at most ${issue.maximum}`;
    case "invalid_format":
      return `expected a string in the format ${issue.format}`;
    default:
      return "expected a value of another type";
  }
}
