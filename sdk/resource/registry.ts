import type { AnyResourceDefinition } from "./definition";
import { isObject } from "../base/json";

/** What the library exports of a resource. */
export interface ResourceClass {
  readonly definition: AnyResourceDefinition;
  /** Reads an existing object by its id alone; what is no object in the service has none. */
  readonly get?: unknown;
}

/**
 * Collects all resource classes that a module exports, also from the namespaces in it: to export a class is all it
 * takes to register it.
 *
 * @returns classes by type
 */
export function collectClasses(module: object): ReadonlyMap<string, ResourceClass> {
  const found = new Map<string, ResourceClass>();
  for (const exported of Object.values(module) as unknown[]) {
    if (typeof exported === "function" && "definition" in exported) {
      const resourceClass = exported as unknown as ResourceClass;
      found.set(resourceClass.definition.type, resourceClass);
    } else if (isObject(exported)) {
      for (const [type, resourceClass] of collectClasses(exported)) {
        found.set(type, resourceClass);
      }
    }
  }
  return found;
}

/** The definitions of all resource classes that a module exports, by type. */
export function collectDefinitions(module: object): ReadonlyMap<string, AnyResourceDefinition> {
  return new Map([...collectClasses(module)].map(([type, { definition }]) => [type, definition]));
}
