/** An operand of a command. */
export type Operand =
  | { readonly kind: "constant"; readonly value: string | bigint | number | boolean | null }
  | { readonly kind: "dot" }
  | { readonly kind: "variable"; readonly name: string }
  /** A field of the value before it; of the dot when it stands alone. */
  | { readonly kind: "field"; readonly of: Operand; readonly name: string }
  | { readonly kind: "function"; readonly name: string }
  | { readonly kind: "group"; readonly pipeline: Pipeline };

/** An operand, or a function with its arguments. */
export interface Command {
  readonly operands: readonly [Operand, ...Operand[]];
  readonly source: string;
  readonly place: string;
}

/** Commands, each but the first with the value of the one before as its last argument. */
export interface Pipeline {
  /** Variables that get the value; two (position and element) only in `range`. */
  readonly variables: readonly string[];
  /** Whether they are new rather than changed. */
  readonly declares: boolean;
  readonly commands: readonly [Command, ...Command[]];
}

/** A part of a template. */
export type Node =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "output"; readonly pipeline: Pipeline }
  | {
      readonly kind: "if" | "with" | "range";
      readonly pipeline: Pipeline;
      readonly body: readonly Node[];
      readonly otherwise: readonly Node[];
    };
