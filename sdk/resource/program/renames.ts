import * as pulumi from "@pulumi/pulumi";
import { type JsonObject, toJson } from "../../base/json";
import { showable } from "../../base/shown-text";
import { isSameService } from "../../connection/connect";
import { foresee } from "../../connection/resolve";
import { internalsOf } from "../../engine/program";
import { type AnyResourceDefinition, definitionIn, shortName } from "../definition";
import { claimsOf } from "../lifecycle/ownership";
import { inBothAdapters, pluginToken } from "../state/encoding";
import { resourcesInState } from "./own-state";
import type { Registration } from "./registration";
import { sourcesOfResource } from "./sources";

/**
 * Finds renames without an alias in a preview: the engine plans a creation and a deletion, but the creation
 * finds the object of the former name. The provider does not see the former entry until its deletion.
 */
export async function warnOfRename(
  resource: pulumi.CustomResource,
  { definition, name, args }: Registration,
): Promise<void> {
  if (await internalsOf(resource.id).isKnown) {
    return;
  }
  const given = await knownIn(definition, args);
  const sources = await sourcesOfResource(resource);
  const settings = sources && foresee(sources, definition.service.name).settings;
  if (given.adopt === true || settings === undefined) {
    return;
  }
  const ofDialect = definitionIn(definition, settings.dialect);
  const keysOf = (values: JsonObject): readonly string[] =>
    claimsOf(ofDialect, values).flatMap(({ key, isShared = false }) => (isShared ? [] : [key]));
  const wanted = keysOf(given);
  const own = inBothAdapters(await internalsOf(resource.urn).promise());
  const former = [...(await resourcesInState())].find(
    ([other, { type, entry }]) =>
      type === pluginToken(definition.type) &&
      inBothAdapters(other) !== own &&
      isSameService(settings, entry.service ?? "") &&
      keysOf(entry.outputs).some((key) => wanted.includes(key)),
  );
  if (former !== undefined) {
    const [formerUrn] = former;
    const { name: formerName, alias } = aliasFor(inBothAdapters(formerUrn), own);
    await pulumi.log.warn(
      showable(
        `The ${shortName(definition)} "${name}" is planned as new, but the resource "${formerName}" in state manages its ` +
          `object, so pulumi up will fail: it already exists. If "${formerName}" was renamed or moved, add the option aliases: ${alias}.`,
      ),
      resource,
    );
  }
}

/** A name that is the same in each stack of the program, unlike a URN. */
function aliasFor(former: string, own: string): { readonly name: string; readonly alias: string } {
  const [before, now] = [placeOf(former), placeOf(own)];
  const type = before.parents.at(-1);
  const hasMoved = before.parents.join("$") !== now.parents.join("$");
  const parent = type === undefined ? "pulumi.rootStackResource" : "formerParent";
  const members = [
    ...(before.name === now.name ? [] : [`name: "${before.name}"`]),
    ...(hasMoved ? [`parent: ${parent}`] : []),
  ];
  const meaning =
    hasMoved && type !== undefined ? `, where formerParent is the component of type ${type}` : "";
  return { name: before.name, alias: `[{ ${members.join(", ")} }]${meaning}` };
}

function placeOf(urn: string) {
  const [, , types = "", ...name] = urn.split("::");
  return { parents: types.split("$").slice(0, -1), name: name.join("::") };
}

async function knownIn(definition: AnyResourceDefinition, args: Readonly<Record<string, unknown>>) {
  const values = Object.keys(definition.arguments).map(async (name) => {
    const output = internalsOf<unknown>(pulumi.output(args[name]));
    return (await output.isKnown) ? [[name, toJson(await output.promise()) ?? null] as const] : [];
  });
  return Object.fromEntries((await Promise.all(values)).flat());
}
