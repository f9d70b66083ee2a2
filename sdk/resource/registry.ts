import type { AnyResourceDefinition } from "./definition";
import { isObject } from "./json";

/**
 * Collects the definitions of all resource classes that a module exports, also from the namespaces in it: to
 * export a class is all it takes to register it.
 *
 * @returns definitions by type
 */
export function collectDefinitions(module: object): ReadonlyMap<string, AnyResourceDefinition> {
  const found = new Map<string, AnyResourceDefinition>();
  for (const exported of Object.values(module) as unknown[]) {
    if (typeof exported === "function" && "definition" in exported) {
      const definition = exported.definition as AnyResourceDefinition;
      found.set(definition.type, definition);
    } else if (isObject(exported)) {
      for (const [type, definition] of collectDefinitions(exported)) {
        found.set(type, definition);
      }
    }
  }
  return found;
}
