import * as pulumi from "@pulumi/pulumi";

export type Aliases = pulumi.Input<string | pulumi.Alias>[];

/** Parts that an alias omits are those of the resource itself. */
export interface Own {
  readonly name: string;
  readonly type: string;
  readonly parent: pulumi.Resource | undefined;
}

/** The URN of each alias, and its form with the other adapter, from `forms`. */
export function withForms(
  aliases: Readonly<Aliases>,
  own: Own,
  forms: readonly ((urn: string) => string)[],
): Aliases {
  return [...aliases, ...aliases.flatMap((alias) => forms.map((form) => urnOf(alias, own).apply(form)))];
}

export function urnOf(alias: pulumi.Input<string | pulumi.Alias>, own: Own): pulumi.Output<string> {
  return pulumi.output(alias).apply((known) => {
    if (typeof known === "string") {
      return pulumi.output(known);
    }
    const { name, type, project, stack } = known;
    // A transform receives an empty string for what the alias omits.
    const given = (text: string | undefined): string | undefined => text || undefined;
    const parent = "parent" in known ? known.parent : own.parent;
    return pulumi.createUrn(
      given(name) ?? own.name,
      given(type) ?? own.type,
      parent,
      given(project),
      given(stack),
    );
  });
}
