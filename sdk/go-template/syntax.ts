/** A function, a value or an argument. Constants are texts, numbers, `true`, `false` and `nil`, as written. */
export type Operand = { readonly offset: number; readonly source: string } & (
  | { readonly kind: "constant" | "dot" | "function" | "variable" }
  | { readonly kind: "group"; readonly pipeline: Pipeline }
  /** Fields of something, of the dot when nothing is named: `.A.B`, `$x.A`, `(...).A`. */
  | { readonly kind: "fields"; readonly of: Operand | undefined; readonly names: readonly string[] }
);

/** A value, or a function with its arguments. */
export interface Command {
  readonly first: Operand;
  readonly parameters: readonly Operand[];
}

/** Commands; each hands its result on to the next one as the last argument. */
export interface Pipeline {
  /** They get the result. Two are position and element of `range`. */
  readonly variables: readonly string[];
  /** The variables are new (`:=`), not changed (`=`). */
  readonly declares: boolean;
  readonly commands: readonly [Command, ...Command[]];
}

/** One of the ways of a structure. */
export interface Arm {
  /** Missing for `else`, in `define` and `block`, and when it could not be read. */
  readonly pipeline: Pipeline | undefined;
  readonly isElse: boolean;
  readonly nodes: readonly Node[];
}

/** A part of a template. What calls, defines and leaves templates and loops is told apart, but its words are not read. */
export type Node = { readonly offset: number } & (
  | { readonly kind: "text"; readonly text: string }
  /** Leaves its value in the text, unless it sets a variable. */
  | { readonly kind: "output"; readonly pipeline: Pipeline }
  | { readonly kind: "comment" | "template" | "break" | "continue" | "unreadable" }
  /** Actions up to an `{{end}}`. */
  | { readonly kind: "if" | "with" | "range" | "define" | "block"; readonly arms: readonly Arm[] }
);

/** Why a template, or a part of it, cannot be read. */
export class SyntaxProblem extends Error {
  /** @param offset of the piece that is wrong */
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}
