import type { AnyResourceDefinition } from "./definition";
import { isObject } from "../base/json";

export interface ResourceClass {
  readonly definition: AnyResourceDefinition;
  /** Missing if objects cannot be read by their ids. */
  readonly get?: unknown;
}

/** By type, including classes in namespaces: exporting a class registers it. */
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

export function collectDefinitions(module: object): ReadonlyMap<string, AnyResourceDefinition> {
  return new Map([...collectClasses(module)].map(([type, { definition }]) => [type, definition]));
}

/** As a program writes it after `trivium.`: `secrets.identity.EntityAlias`. */
export function className({ type }: AnyResourceDefinition): string {
  return type.replace(/[/:]/g, ".");
}

export function shortName({ type }: AnyResourceDefinition): string {
  return type.slice(type.indexOf(":") + 1);
}

/** Directories and class: `secrets/mfa:TotpMethod`. */
const typeParts = /^([a-z]+(?:\/[a-z]+)*):([A-Z][A-Za-z]*)$/;

/** Only loads the module of the type, such as `secrets/mfa/totp-method`. */
export function classOf(type: string, load: (module: string) => object): ResourceClass | undefined {
  const [, rooms, name] = typeParts.exec(type) ?? [];
  if (rooms === undefined || name === undefined) {
    return undefined;
  }
  const file = name.replace(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase();
  let module: object;
  try {
    module = load(`${rooms}/${file}`);
  } catch (error) {
    // A missing module of another package does not mean that the type is unknown.
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
