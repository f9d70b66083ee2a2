import type * as Zod from "zod";
import { ContractError } from "../../base/errors";
import { type JsonObject, type JsonValue, sameJson } from "../../base/json";
import { type Dialect, dialects } from "../../base/settings";
import type { Presence, Row, Rows } from "./rows";

export type * from "./rows";

export interface ArgumentDefinition {
  /** Only in one dialect: elsewhere it is refused, and neither sent nor read. */
  readonly only?: Only;
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

/** `since`: what has it. A service without it ignores it without a word, so a write says whether it was ignored. */
export type Only = Dialect | { readonly dialect: Dialect; readonly since: string };

/** The arguments whose change may change another field; `true` if any update, or time alone, may. */
export type RecomputedBy = true | readonly string[];

export type OutputDefinition = Pick<ArgumentDefinition, "only" | "secret" | "recomputedBy"> & {
  /** An object may have none, so a response without it is complete. */
  readonly mayBeMissing?: boolean;
};

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

/** A row with neither of these words about absence is required; a response has it, and never null. */
export interface FieldOptions<Value> extends Omit<
  ArgumentDefinition,
  "warning" | "default" | "cleared" | "echoesDefault"
> {
  /** Left to the service: an argument may be omitted, an object may have no such output. */
  readonly optional?: true;
  /** Clearing the argument resets it to this, the service's default; makes it optional. */
  readonly cleared?: Value | "";
  /** Null is a value. */
  readonly nullable?: true;
  /** The service does not always return it: it is undefined if this program has not set it. */
  readonly unreported?: true;
  /** Sent if the argument is omitted; makes it optional. */
  readonly default?: Value | Readonly<Record<Dialect, Value>>;
  /** A response may omit it although the object has it; null where one that is omitted is null. */
  readonly mayBeMissing?: InDialect<true | null>;
  /** Why a value is invalid, without the argument's name. Must not repeat the value, which may be secret. */
  readonly problem?: (value: Value, dialect: Dialect) => string | undefined;
  /** @see ArgumentDefinition.warning */
  readonly warning?: (value: Value, dialect: Dialect) => string | undefined;
  /** Replaces the convention. Requests have the first name, responses any; the last is the documented one. */
  readonly wire?: InDialect<string | readonly string[]>;
}

export interface Kind<Argument, Value> {
  /** Validates an argument and converts it to the sent value. */
  readonly argument: (z: Validation, dialect: Dialect) => Zod.ZodType<Value, Argument>;
  /** Null means that there is no value. */
  readonly response: (z: Validation, dialect: Dialect) => Zod.ZodType<Value | null>;
  /** Default: the value itself. */
  readonly request?: (value: Value, dialect: Dialect) => JsonValue;
  readonly canonical?: Canonical;
  /** What null in a response means, if not that there is no value. */
  readonly nothing?: Value;
}

/** A row as it is. */
interface AnyField {
  readonly presence: Presence;
  readonly kind: Omit<Kind<never, never>, "nothing"> & { readonly nothing?: unknown };
  readonly options: FieldOptions<never>;
}

export type PresenceOf<Options> = Options extends { readonly role: "creation" }
  ? "creation"
  : Options extends { readonly default: unknown }
    ? "defaulted"
    : Options extends { readonly optional: true } | { readonly cleared: unknown }
      ? "optional"
      : "required";

/** The type of an output. */
export type Told<Value, Options> = Options extends { readonly only: Only }
  ? Value | null | undefined
  : Options extends { readonly nullable: true }
    ? Options extends { readonly unreported: true }
      ? Value | null | undefined
      : Value | null
    : Options extends { readonly optional: true }
      ? Value | null | undefined
      : Options extends { readonly unreported: true }
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
  const isOptional = options.optional === true || "cleared" in options;
  const presence = "default" in options ? "defaulted" : isOptional ? "optional" : "required";
  return rowOf((options.role === "creation" ? options.role : presence) as PresenceOf<Options>, kind, options);
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

export type Convention = (name: string) => string;

export const snakeCase: Convention = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const kebabCase: Convention = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export class Fields<Table extends Rows> {
  readonly arguments: Readonly<Record<string, ArgumentDefinition>>;
  readonly outputs: Readonly<Record<string, OutputDefinition>>;
  private readonly entries: readonly (readonly [name: string, row: AnyField])[];

  constructor(
    readonly rows: Table,
    private readonly convention: Convention,
  ) {
    this.entries = Object.entries(rows as unknown as Record<string, AnyField>);
    const having = (isOutput: boolean) =>
      this.entries.filter(([, { presence }]) => (presence === "output") === isOutput);
    this.arguments = Object.fromEntries(having(false).map(([name, row]) => [name, argumentOf(row)]));
    this.outputs = Object.fromEntries(having(true).map(([name, row]) => [name, outputOf(row)]));
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
        const isMember = row.presence !== "output" && isHere && row.options.role === undefined;
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
        options.writeOnly !== true &&
        options.role === undefined &&
        (options.only === undefined || values[name] !== undefined) &&
        (options.place !== "library" || name in known),
    );
    const resultOf = (name: string, row: AnyField): unknown => {
      const { cleared, mayBeMissing, nullable, optional, unreported } = row.options;
      if (values[name] !== undefined || (nullable ?? optional ?? unreported) === true) {
        return values[name] ?? null;
      }
      const otherwise = mayBeMissing === undefined && refuse !== undefined ? undefined : cleared;
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
    const read = this.entriesIn(dialect).filter(
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
          const isNull = returned === undefined && inDialect(row.options.mayBeMissing, dialect) === null;
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

/** No other word about absence. */
function isAlwaysTold({ nullable, mayBeMissing, unreported }: FieldOptions<never>): boolean {
  return nullable !== true && mayBeMissing === undefined && unreported !== true;
}

function argumentOf({ kind, options }: AnyField): ArgumentDefinition {
  const all = options as unknown as FieldOptions<JsonValue> & Pick<ArgumentDefinition, "warning">;
  const { nothing = all.cleared } = kind;
  const isEchoed = JSON.stringify(nothing) === JSON.stringify(all.cleared);
  const echoesDefault = all.cleared !== undefined && isEchoed && isAlwaysTold(options);
  return { canonical: kind.canonical, ...all, echoesDefault };
}

function outputOf({ options }: AnyField): OutputDefinition {
  return { ...options, mayBeMissing: options.unreported === true || options.mayBeMissing === true };
}

function argumentSchema({ presence, kind, options }: AnyField, z: Validation, dialect: Dialect): Zod.ZodType {
  if (!existsIn(options, dialect)) {
    const [other] = dialects.filter((each) => existsIn(options, each));
    return z
      .undefined(`only exists in the ${other} dialect, and this service has the ${dialect} one`)
      .optional();
  }
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
  return presence === "required" ? schema : schema.optional();
}

function responseSchema(
  { presence, kind, options }: AnyField,
  z: Validation,
  dialect: Dialect,
  hasSeveralNames: boolean,
): Zod.ZodType {
  const schema = kind.response(z, dialect) as Zod.ZodType;
  const { cleared, mayBeMissing, nullable, unreported } = options;
  const isTolerant =
    presence === "output" ||
    kind.nothing !== undefined ||
    options.optional === true ||
    hasSeveralNames ||
    !isAlwaysTold(options);
  const ifNull = nullable === true ? null : (kind.nothing ?? cleared);
  const known = isTolerant
    ? schema.nullable().transform((value) => (value === null ? ifNull : value))
    : schema;
  const mayLack =
    presence !== "required" || mayBeMissing !== undefined || unreported === true || hasSeveralNames;
  return mayLack ? known.optional() : known;
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
