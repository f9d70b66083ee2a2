import type * as pulumi from "@pulumi/pulumi";

// The public types of classes and functions follow from these, so this module does not use the types of zod
// or undici. Member names are parameters, so that editors show the comments of rows, and the alias instead of
// its definition.

/** A `creation` argument is not an output. */
export type Presence = "required" | "defaulted" | "optional" | "creation" | "output";

/** What the library knows about a field. */
export interface Row<Argument, Output, IsGiven extends Presence> {
  readonly presence: IsGiven;
  /** Only for the compiler. */
  readonly types: { readonly argument: Argument; readonly output: Output };
}

/** Rows by the names of fields. */
export type Rows = Readonly<Record<string, Row<unknown, unknown, Presence>>>;

type NamesOf<Table extends Rows, IsGiven extends Presence> = {
  [Name in keyof Table]: Table[Name]["presence"] extends IsGiven ? Name : never;
}[keyof Table];

type Optional = "defaulted" | "optional" | "creation";

type RequiredArgs<Table extends Rows, Names extends keyof Table = NamesOf<Table, "required">> = {
  -readonly [Name in Names]: pulumi.Input<Table[Name]["types"]["argument"]>;
};

type OptionalArgs<Table extends Rows, Names extends keyof Table = NamesOf<Table, Optional>> = {
  -readonly [Name in Names]?: pulumi.Input<Table[Name]["types"]["argument"] | null | undefined>;
};

/** A second base makes the compiler show an interface by its name, not by the definition of its only base. */
export type Named = object;

/** The arguments of a class, with outputs allowed; required arguments first. */
export type ArgsOf<Table extends Rows> = RequiredArgs<Table> & OptionalArgs<Table>;

/** The outputs of a class. */
export type OutputsOf<
  Table extends Rows,
  Names extends keyof Table = NamesOf<Table, Exclude<Presence, "creation">>,
> = {
  readonly [Name in Names]: pulumi.Output<Table[Name]["types"]["output"]>;
};

/** The plain argument of a function, without outputs. */
export type PlainOf<Argument> = [Extract<Argument, readonly unknown[]>] extends [never]
  ? Argument
  : Argument extends pulumi.Input<infer Item>[]
    ? readonly Item[]
    : Argument;

type RequiredPlainArgs<Table extends Rows, Names extends keyof Table = NamesOf<Table, "required">> = {
  -readonly [Name in Names]: PlainOf<Table[Name]["types"]["argument"]>;
};

type OptionalPlainArgs<Table extends Rows, Names extends keyof Table = NamesOf<Table, Optional>> = {
  -readonly [Name in Names]?: PlainOf<Table[Name]["types"]["argument"]> | null | undefined;
};

/** The arguments of a function. */
export type PlainArgsOf<Table extends Rows> = RequiredPlainArgs<Table> & OptionalPlainArgs<Table>;

/** An object as the value of a field. */
export type MembersOf<
  Table extends Rows,
  Names extends keyof Table = NamesOf<Table, "required" | "defaulted" | "output">,
  Left extends keyof Table = NamesOf<Table, "optional">,
> = { readonly [Name in Names]: Table[Name]["types"]["output"] } & {
  readonly [Name in Left]?: Table[Name]["types"]["output"];
};

/** The members of a function's result. */
export type ValuesOf<Table extends Rows, Names extends keyof Table = keyof Table> = {
  readonly [Name in Names]: Table[Name]["types"]["output"];
};
