import type { NumberLiteral } from "./numbers";

/** A name in a chain of fields, without its dot. */
export interface FieldName {
  readonly name: string;
  /** Of its dot. */
  readonly offset: number;
}

/** A function, a value or an argument. */
export type Operand =
  | { readonly kind: "function"; readonly name: string; readonly offset: number; readonly source: string }
  | { readonly kind: "dot" | "nil" | "boolean"; readonly offset: number; readonly source: string }
  | { readonly kind: "string"; readonly text: string; readonly offset: number; readonly source: string }
  | {
      readonly kind: "number";
      readonly value: NumberLiteral;
      readonly offset: number;
      readonly source: string;
    }
  | { readonly kind: "variable"; readonly name: string; readonly offset: number; readonly source: string }
  | {
      /** A pipeline in parentheses. */
      readonly kind: "group";
      readonly pipeline: Pipeline;
      readonly offset: number;
      readonly source: string;
    }
  | {
      /** Fields of something; of the dot when nothing is named: `.A.B`, `$x.A`, `(...).A`. */
      readonly kind: "fields";
      readonly of: Operand | undefined;
      readonly names: readonly [FieldName, ...FieldName[]];
      readonly offset: number;
      readonly source: string;
    };

/** A value, or a function or field with its arguments. */
export interface Command {
  readonly first: Operand;
  readonly parameters: readonly Operand[];
}

/** Commands whose results are handed on with `|`, and the variables that get the last one. */
export interface Pipeline {
  readonly offset: number;
  readonly variables: readonly { readonly name: string; readonly offset: number }[];
  /** The variables are changed (`=`), not declared (`:=`). */
  readonly assigns: boolean;
  readonly commands: readonly Command[];
  /** Of a `|` at the end, which hands on nothing. */
  readonly unusedPipe: number | undefined;
}

/** One of the ways of a control structure. */
export interface Arm {
  /** Of the action that begins it. */
  readonly offset: number;
  /** Missing for `else`, and when it could not be read. */
  readonly pipeline: Pipeline | undefined;
  readonly isElse: boolean;
  readonly nodes: readonly Node[];
}

/** A part of a template. */
export type Node =
  | { readonly kind: "text"; readonly text: string; readonly offset: number }
  | { readonly kind: "action"; readonly pipeline: Pipeline; readonly offset: number }
  /** A comment, or the definition of a template: nothing comes out of it. */
  | { readonly kind: "silent" | "break" | "continue"; readonly offset: number }
  | ControlNode
  | TemplateNode;

/** `if`, `with` or `range`. */
export interface ControlNode {
  readonly kind: "if" | "with" | "range";
  readonly offset: number;
  readonly arms: readonly Arm[];
  /** Of `{{end}}`. */
  readonly end: number;
}

/** `template`, or `block`, which defines what it calls. */
export interface TemplateNode {
  readonly kind: "template" | "block";
  readonly name: string;
  readonly nameOffset: number;
  readonly pipeline: Pipeline | undefined;
  /** What the block holds. */
  readonly nodes: readonly Node[];
  readonly offset: number;
  readonly end: number;
}

/** A template that was read. */
export interface TemplateTree {
  readonly nodes: readonly Node[];
  /** What `define` and `block` give a name. */
  readonly definitions: ReadonlyMap<string, readonly Node[]>;
  /** All of it could be read. */
  readonly complete: boolean;
}
