import type { AnyResourceDefinition } from "./definition";
import { isObject } from "../base/json";

/** What the library exports of a resource. */
export interface ResourceClass {
  readonly definition: AnyResourceDefinition;
  /** Reads an existing object by its id; classes without an object have none. */
  readonly get?: unknown;
}

/**
 * Collects all resource classes that a module exports, including those in its namespaces: exporting a class
 * registers it.
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

/** A class as a program writes it behind `trivium.`: `secrets.identity.EntityAlias`. */
export function className({ type }: AnyResourceDefinition): string {
  return type.replace(/[/:]/g, ".");
}

/** A class by its last name: `EntityAlias`. */
export function shortName({ type }: AnyResourceDefinition): string {
  return type.slice(type.indexOf(":") + 1);
}

/** `secrets/mfa:TotpMethod`: the directories and the class. */
const typeParts = /^([a-z]+(?:\/[a-z]+)*):([A-Z][A-Za-z]*)$/;

/**
 * The definition of a type. Only its own module is loaded: the type names the file of the class.
 *
 * @param load loads a module of the library: `secrets/mfa/totp-method`
 * @returns `undefined` if the library has no such class
 */
export function definitionOf(
  type: string,
  load: (module: string) => object,
): AnyResourceDefinition | undefined {
  return classOf(type, load)?.definition;
}

/**
 * The class of a type, if its objects can be read by their ids.
 *
 * @param load loads a module of the library: `secrets/mfa/totp-method`
 */
export function readableClass(type: string, load: (module: string) => object): ResourceClass | undefined {
  const found = classOf(type, load);
  return found !== undefined && "get" in found ? found : undefined;
}

function classOf(type: string, load: (module: string) => object): ResourceClass | undefined {
  const [, rooms, name] = typeParts.exec(type) ?? [];
  if (rooms === undefined || name === undefined) {
    return undefined;
  }
  const file = name.replace(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  let module: object;
  try {
    module = load(`${rooms}/${file}`);
  } catch (error) {
    // A missing module of another package does not indicate a newer version.
    if (
      error instanceof Error &&
      "code" in error &&
      error.code === "MODULE_NOT_FOUND" &&
      error.message.includes(`${rooms}/${file}'`)
    ) {
      return undefined;
    }
    throw error;
  }
  return collectClasses(module).get(type);
}
