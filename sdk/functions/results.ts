import type * as pulumi from "@pulumi/pulumi";

/** Null is what the service does not return. */
export type ResultOf<Resource, Without extends keyof Resource = never> = {
  readonly [
    Name in keyof Resource as Resource[Name] extends pulumi.OutputInstance<unknown>
      ? Exclude<Name, "urn" | Without>
      : never
  ]: Resource[Name] extends pulumi.OutputInstance<infer Value>
    ? undefined extends Value
      ? Exclude<Value, undefined> | null
      : Value
    : never;
};

/** The arguments of a function, which may be outputs. */
export type InputsOf<Args> = { [Name in keyof Args]: pulumi.Input<Args[Name]> };
