export type Operand = { readonly offset: number; readonly source: string } & (
  | { readonly kind: "constant" | "dot" | "function" | "variable" }
  | { readonly kind: "group"; readonly pipeline: Pipeline }
  /** Fields of `of`, or else of the dot: `.A.B`, `$x.A`, `(...).A`. */
  | { readonly kind: "fields"; readonly of: Operand | undefined; readonly names: readonly string[] }
);

export interface Command {
  readonly first: Operand;
  readonly parameters: readonly Operand[];
}

/** Each command passes its result on as the last argument of the next one. */
export interface Pipeline {
  /**
   * The variables that the result is assigned to. Two of them receive the position and the element of
   * `range`.
   */
  readonly variables: readonly string[];
  /** Whether the variables are declared (`:=`), not assigned (`=`). */
  readonly declares: boolean;
  readonly commands: readonly [Command, ...Command[]];
}

export interface Arm {
  /** Missing for `else`, `define` and `block`, and if it could not be read. */
  readonly pipeline: Pipeline | undefined;
  readonly nodes: readonly Node[];
}

export type Node = { readonly offset: number } & (
  | { readonly kind: "text"; readonly text: string }
  /** Prints its value unless it sets a variable. */
  | { readonly kind: "output"; readonly pipeline: Pipeline }
  | { readonly kind: "comment" | "break" | "continue" | "unreadable" }
  | { readonly kind: "if" | "with" | "range"; readonly arms: readonly Arm[] }
  | (Named & { readonly kind: "template" })
  | (Named & { readonly kind: "define" | "block"; readonly arms: readonly Arm[] })
);

interface Named {
  /** Includes the quotes; empty if it could not be read. */
  readonly name: string;
  /** What `.` is in the named template. */
  readonly argument: Pipeline | undefined;
}

export class SyntaxProblem extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}
