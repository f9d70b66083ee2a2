/** The name of a field in a chain such as `.A.B`, without its dot. */
export interface FieldName {
  readonly name: string;
  /** Of its dot. */
  readonly offset: number;
}

/** The value of a literal. Numbers that are no plain integers are not evaluated: NaN. */
export type Constant = string | bigint | number | boolean | null;

/** A function, a value or an argument. */
export type Operand = { readonly offset: number; readonly source: string } & (
  | { readonly kind: "constant"; readonly value: Constant }
  | { readonly kind: "dot" }
  /** A variable's name has its `$`. */
  | { readonly kind: "function" | "variable"; readonly name: string }
  | { readonly kind: "group"; readonly pipeline: Pipeline }
  /** Fields of something, of the dot when nothing is named: `.A.B`, `$x.A`, `(...).A`. */
  | {
      readonly kind: "fields";
      readonly of: Operand | undefined;
      readonly names: readonly FieldName[];
    }
);

/** A value, or a function with its arguments. */
export interface Command {
  readonly first: Operand;
  readonly parameters: readonly Operand[];
  readonly source: string;
}

/** Commands; each hands its result on to the next one as the last argument. */
export interface Pipeline {
  /** They get the result. Two (position and element) only in `range`. */
  readonly variables: readonly string[];
  /** The variables are new (`:=`), not changed (`=`). */
  readonly declares: boolean;
  readonly commands: readonly [Command, ...Command[]];
}

/** One of the ways of a structure. */
export interface Arm {
  /** Of the action that begins it. */
  readonly offset: number;
  /** Missing for `else`, in `define` and `block`, and when it could not be read. */
  readonly pipeline: Pipeline | undefined;
  readonly isElse: boolean;
  readonly nodes: readonly Node[];
}

/** Actions up to an `{{end}}`. */
export interface Structure {
  readonly kind: "if" | "with" | "range" | "define" | "block";
  readonly offset: number;
  readonly arms: readonly Arm[];
}

/** A part of a template. What calls, defines and leaves templates and loops is told apart, but its words are not read. */
export type Node =
  | { readonly kind: "text"; readonly text: string; readonly offset: number }
  /** Leaves its value in the text, unless it sets a variable. */
  | { readonly kind: "output"; readonly pipeline: Pipeline; readonly offset: number }
  | { readonly kind: "comment" | "template" | "break" | "continue"; readonly offset: number }
  | Structure;
