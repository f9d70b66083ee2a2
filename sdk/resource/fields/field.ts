import type * as Zod from "zod";
import { type JsonValue, type NamingConvention, sameJson } from "../../base/json";
import { builtOnce, checked, type Validation } from "../../base/schema";
import type { Dialect } from "../../base/settings";
import {
  type ArgumentDefinition,
  type Exactly,
  type Field,
  FieldRow,
  type FieldOptions,
  type InDialect,
  type Kind,
  type KindIn,
  type Only,
  type OutputDefinition,
  refusalIn,
  resolve,
  type StatedField,
  statedField,
  statedRow,
} from "./resolution";
import type { ArgsOf, MembersOf, PlainOf, Presence, Row, Rows } from "./rows";

export { kebabCase, snakeCase } from "../../base/json";

export type { Validation } from "../../base/schema";
export { type Canonical, canonicalForm, equivalent, isEmpty, nothingIsNull } from "./comparing";
export type * from "./resolution";
export type * from "./rows";

/** Whether the argument concerns the object in the service, so that a change updates the object. */
export function isRemote({ local }: Pick<StatedField, "local">): boolean {
  return local !== "state" && local !== "creation";
}

/** Whether an object can lack this output. */
export function isOpen({ told = "always" }: Pick<OutputDefinition, "told">): boolean {
  return told !== "always";
}

export type PresenceOf<Options> = Options extends { readonly local: "creation" }
  ? "creation"
  : Options extends { readonly optional: unknown } | { readonly cleared: unknown }
    ? "optional"
    : "required";

type InDocuments<Word> = Word | { readonly documented: Word };

type MayBeUnknown = { readonly told: InDocuments<"maybe" | "never"> };

/**
 * Whether null is a value of the field: if the row says so, if there might be no value, or if it might be
 * cleared unknown to the service.
 */
type NullIn<Options> = Options extends { readonly nullable: infer Nullable }
  ? Nullable extends true
    ? null
    : never
  : Options extends { readonly optional: unknown } | (MayBeUnknown & { readonly cleared: unknown })
    ? null
    : never;

type UnknownIn<Options> = Options extends MayBeUnknown
  ? undefined
  : Options extends { readonly optional: unknown }
    ? Options extends { readonly nullable: true }
      ? never
      : undefined
    : never;

/** The type of an output. */
export type Shown<Value, Options> = Options extends { readonly only: { readonly elsewhere: "output" } }
  ? Value
  : Options extends { readonly only: Only }
    ? Value | null | undefined
    : Value | NullIn<Options> | UnknownIn<Options>;

/** For kinds with options of their own. */
export function rowOf<Argument, Value, const Options extends FieldOptions<Value>>(
  kind: KindIn<Argument, Value>,
  options: Options,
): Row<Argument, Shown<Value, Options>, PresenceOf<Options>> {
  const presence = "optional" in options || "cleared" in options ? "optional" : "required";
  return new FieldRow(
    (options.local === "creation" ? "creation" : presence) as PresenceOf<Options>,
    kind,
    options,
  );
}

export function field<Argument, Value, const Options extends FieldOptions<Value>>(
  kind: KindIn<Argument, Value>,
  options: Exactly<Options, FieldOptions<Value>>,
): Row<Argument, Shown<Value, Options>, PresenceOf<Options>> {
  return rowOf<Argument, Value, Options>(kind, options);
}

/** The value to send if the argument is omitted. */
export function defaulted<Argument, Output extends JsonValue>(
  row: Row<Argument, Output, "required">,
  usual: InDialect<Output>,
): Row<Argument, Output, "defaulted"> {
  const { kind, options } = statedRow(row);
  return new FieldRow("defaulted", kind, options, usual);
}

export function output<Argument, Output>(
  row: Row<Argument, Output, "required">,
): Row<never, Output, "output"> {
  const { kind, options } = statedRow(row);
  return new FieldRow("output", kind, options);
}

export function outputAs<Value, const Options extends FieldOptions<Value>>(
  response: (z: Validation) => Zod.ZodType<Value | undefined>,
  options: Exactly<Options, FieldOptions<Value>> = {} as Exactly<Options, FieldOptions<Value>>,
  nothing?: Value,
): Row<never, Shown<Value, Options>, "output"> {
  const kind: Kind<never, Value> = { argument: (z) => z.never(), response, nothing };
  return new FieldRow("output", kind, options);
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

/** Arguments as a program sets them; null clears one. */
export type Given<Table extends Rows> = {
  readonly [Name in keyof Table]?: PlainOf<Table[Name]["types"]["argument"]> | null | undefined;
};

export class Fields<Table extends Rows> {
  /** The parts that are the same in all dialects. */
  readonly arguments: Readonly<Record<string, StatedField>>;
  readonly outputs: Readonly<Record<string, StatedField>>;
  private readonly resolved = new Map<Dialect, FieldsIn<Table>>();

  constructor(
    readonly rows: Table,
    private readonly convention: NamingConvention,
  ) {
    const entries = Object.entries<Row<unknown, unknown, Presence>>(rows);
    const having = (isOutput: boolean) =>
      Object.fromEntries(
        entries
          .filter(([, { presence }]) => (presence === "output") === isOutput)
          .map(([name, row]) => [name, statedField(statedRow(row))]),
      );
    this.arguments = having(false);
    this.outputs = having(true);
  }

  /** Resolved once. */
  in(dialect: Dialect): FieldsIn<Table> {
    const known = this.resolved.get(dialect) ?? new FieldsIn<Table>(this.rows, dialect, this.convention);
    this.resolved.set(dialect, known);
    return known;
  }

  readonly response = (z: Validation, dialect: Dialect) => this.in(dialect).response(z);
}

type AnyRequest = Readonly<Record<string, JsonValue | undefined>>;

/** A table in one dialect. */
export class FieldsIn<Table extends Rows> {
  readonly arguments: Readonly<Record<string, ArgumentDefinition>>;
  readonly outputs: Readonly<Record<string, OutputDefinition>>;
  private readonly fields: readonly Field[];
  /** In the order of the rows: each a field, or the reason why it is rejected in this dialect. */
  private readonly arguable: readonly (readonly [name: string, field: Field | string])[];

  constructor(rows: Table, dialect: Dialect, convention: NamingConvention) {
    const stated = Object.entries<Row<unknown, unknown, Presence>>(rows).map(
      ([name, row]) => [name, statedRow(row)] as const,
    );
    this.fields = stated.flatMap(([name, row]) => resolve(name, row, dialect, convention) ?? []);
    const having = (isOutput: boolean): Readonly<Record<string, Field>> =>
      Object.fromEntries(
        this.fields
          .filter(({ presence }) => (presence === "output") === isOutput)
          .map((each) => [each.name, each]),
      );
    const own = having(false);
    this.arguments = own;
    this.outputs = having(true);
    this.arguable = stated
      .filter(([, { presence }]) => presence !== "output")
      .map(([name, row]) => [name, own[name] ?? refusalIn(row, dialect)]);
  }

  /** By argument. */
  readonly schema = builtOnce((z): Record<string, Zod.ZodType> =>
    Object.fromEntries(
      this.arguable.map(([name, each]) => [
        name,
        typeof each === "string" ? z.undefined(each).optional() : argumentSchema(each, z),
      ]),
    ),
  );

  /** An object with these arguments; null means that there is none. */
  object(z: Validation): Zod.ZodType<MembersOf<Table>> {
    const members = Object.entries(this.schema(z)).map(([name, schema]) => {
      const isRequired = this.arguments[name]?.isRequired === true;
      return [name, isRequired ? schema : schema.nullish()] as const;
    });
    return z.strictObject(Object.fromEntries(members)) as Zod.ZodType as Zod.ZodType<MembersOf<Table>>;
  }

  readonly response = builtOnce((z) => this.responseAt(z, "body"));

  /** Of an object in a row: no other response has the outputs that this one lacks. */
  readonly nestedResponse = builtOnce((z) => this.responseAt(z, "body", true));

  readonly relationships = builtOnce((z) => this.responseAt(z, "relationship"));

  /** Relationships are only sent if their kind can write requests. */
  request(
    values: Desired<Table>,
    isSent: (name: string, value: JsonValue) => boolean = () => true,
    place: "body" | "relationship" = "body",
  ): Record<string, JsonValue> {
    const members = values as AnyRequest;
    return Object.fromEntries(
      this.fields.flatMap((each) => {
        const { name, presence, kind, wire } = each;
        const value = members[name];
        const isHere = each.place === place && (place === "body" || kind.request !== undefined);
        const isMember = presence !== "output" && isHere;
        return isMember && value !== undefined && isSent(name, value)
          ? [[wire[0], value === null ? null : (kind.request?.(value) ?? value)] as const]
          : [];
      }),
    );
  }

  /**
   * The form that functions return. `known` has what the response lacks, such as the ID and values in its
   * path. With `refuse`, values that an output always has must not be missing.
   */
  result<Result>(known: object, state: Current<Table>, refuse?: (member: string) => Error): Result {
    const values: Readonly<Record<string, unknown>> = { ...state, ...known };
    const shown = this.fields.filter(
      (each) =>
        each.told !== "never" &&
        isRemote(each) &&
        (each.only === undefined || values[each.name] !== undefined) &&
        (each.local !== "class" || each.name in known),
    );
    const resultOf = ({ name, kind, told, cleared, mayBeNull, wire }: Field): unknown => {
      if (values[name] !== undefined || mayBeNull) {
        return values[name] ?? null;
      }
      const otherwise = told === "always" && refuse !== undefined ? undefined : cleared;
      const value = kind.nothing ?? otherwise;
      if (value === undefined && refuse !== undefined) {
        throw refuse(wire.at(-1) ?? name);
      }
      return value ?? null;
    };
    return { ...known, ...Object.fromEntries(shown.map((each) => [each.name, resultOf(each)])) } as Result;
  }

  /**
   * What a read would return, derived from a list's item: outputs that the item lacks are taken from state if
   * nothing else has changed. `undefined` if that is not enough.
   */
  whole(listed: object, current: object): Current<Table> | undefined {
    const [found, known] = [listed, current].map(
      (values) => new Map<string, unknown>(Object.entries(values)),
    );
    const isKnown = ({ name }: Field): boolean => (known?.get(name) ?? null) !== null;
    const missing = this.fields.filter(
      (each) =>
        isRemote(each) &&
        found?.has(each.name) === false &&
        // Products do not return secrets in lists.
        (each.told === "always" || (each.told === "maybe" && !each.secret && isKnown(each))),
    );
    const isLikeState = (): boolean =>
      missing.every((each) => each.presence === "output" && isKnown(each)) &&
      Object.entries(listed).every(([name, value]) => sameJson(value, known?.get(name) ?? null));
    if (missing.length > 0 && !isLikeState()) {
      return undefined;
    }
    const kept = missing.map(({ name }) => [name, known?.get(name)]);
    return { ...Object.fromEntries(kept), ...listed } as Current<Table>;
  }

  private responseAt(z: Validation, place: Field["place"], isNested = false): Zod.ZodType<Current<Table>> {
    const read = this.fields.filter((each) => each.place === place && each.told !== "never");
    const members = read.flatMap((each) => {
      const schema = responseSchema(each, z, isNested);
      return each.wire.map((name) => [name, schema] as const);
    });
    return z.looseObject(Object.fromEntries(members)).transform((response) =>
      Object.fromEntries(
        read.flatMap(({ name, wire, told, nullable }) => {
          const found = wire.map((each) => response[each]).find((each) => each !== undefined);
          const value = found === undefined && nullable && told === "always" ? null : found;
          return value === undefined ? [] : [[name, value] as const];
        }),
      ),
    ) as Zod.ZodType as Zod.ZodType<Current<Table>>;
  }
}

function argumentSchema({ kind, check, default: usual, isRequired }: Field, z: Validation): Zod.ZodType {
  const plain = kind.argument(z);
  const schema = checked(plain, (value) => {
    const found = check?.(value);
    return typeof found === "string" ? found : undefined;
  });
  if (usual !== undefined) {
    return schema.default(usual);
  }
  return isRequired ? schema : schema.optional();
}

/**
 * Null is only rejected where the row promises a value: it is always returned, not an output (which another
 * response might have), and not left to the service.
 */
function responseSchema(each: Field, z: Validation, isNested: boolean): Zod.ZodType {
  const { presence, kind, told, nullable, cleared, wire } = each;
  const schema = kind.response(z);
  const isPromised = told === "always" && !nullable && wire.length === 1;
  const isRequired = each.isRequired || (presence === "output" && isNested && !each.mayBeNull);
  const isOptional = each.mayBeNull && !isRequired;
  const isExpected = presence !== "output" || isNested;
  const refusesNull = isPromised && kind.nothing === undefined && isExpected && !isOptional;
  const ifNull = nullable ? null : (kind.nothing ?? cleared);
  const known = refusesNull
    ? schema
    : schema.nullable().transform((value) => (value === null ? ifNull : value));
  return isPromised && isRequired ? known : known.optional();
}

interface ObjectKind<Table extends Rows> extends Kind<ArgsOf<Table>, MembersOf<Table>> {
  readonly response: (z: Validation) => Zod.ZodType<MembersOf<Table>>;
}

/** An object in a row is a table of rows. */
export function objectOf<Table extends Rows>(rows: Table, convention: NamingConvention = (name) => name) {
  const fields = new Fields(rows, convention);
  return (dialect: Dialect): ObjectKind<Table> => {
    const members = fields.in(dialect);
    return {
      argument: (z) => members.object(z),
      response: (z) => members.nestedResponse(z) as Zod.ZodType as Zod.ZodType<MembersOf<Table>>,
    };
  };
}
