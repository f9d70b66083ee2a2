import type * as pulumi from "@pulumi/pulumi";

// Member names are parameters, so that editors show the alias and not its definition.

type OutputOf<Resource> = {
  [Name in keyof Resource]: Resource[Name] extends pulumi.OutputInstance<unknown> ? Name : never;
}[keyof Resource];

/** Values that the service does not return are null. */
export type ResultOf<
  Resource,
  Without extends keyof Resource = never,
  Names extends keyof Resource = Exclude<OutputOf<Resource>, "urn" | Without>,
> = {
  readonly [Name in Names]: Resource[Name] extends pulumi.OutputInstance<infer Value>
    ? undefined extends Value
      ? Exclude<Value, undefined> | null
      : Value
    : never;
};

type InputItems<Value> = Value extends readonly (infer Item)[] ? pulumi.Input<Item>[] : Value;

/** The arguments of a function, with outputs allowed, also as items of lists. */
export type InputsOf<Args, Names extends keyof Args = keyof Args> = {
  [Name in Names]: pulumi.Input<InputItems<Args[Name]>>;
};
