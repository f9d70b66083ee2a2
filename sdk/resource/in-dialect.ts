import type { Dialect } from "../base/settings";
import type { AnyResourceDefinition } from "./definition";

const views = new WeakMap<AnyResourceDefinition, Map<Dialect, AnyResourceDefinition>>();

/** A definition whose arguments are compared like the service of a dialect does. Built once per dialect. */
export function inDialect(definition: AnyResourceDefinition, dialect: Dialect): AnyResourceDefinition {
  const known = views.get(definition) ?? new Map<Dialect, AnyResourceDefinition>();
  views.set(definition, known);
  const view = known.get(dialect) ?? viewOf(definition, dialect);
  known.set(dialect, view);
  return view;
}

function viewOf(definition: AnyResourceDefinition, dialect: Dialect): AnyResourceDefinition {
  const differing = Object.entries(definition.arguments).flatMap(([name, argument]) => {
    const canonical = argument.canonicalIn?.[dialect];
    return canonical === undefined ? [] : [[name, { ...argument, canonical }] as const];
  });
  return differing.length === 0
    ? definition
    : { ...definition, arguments: { ...definition.arguments, ...Object.fromEntries(differing) } };
}
