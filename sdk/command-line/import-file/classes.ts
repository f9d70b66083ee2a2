import * as library from "../../index";
import type { AnyResourceDefinition } from "../../resource/definition";
import { collectClasses } from "../../resource/registry";
import { UsageError } from "../command";

/** A class as a program writes it behind `trivium.`: `secrets.identity.EntityAlias`. */
export function className({ type }: AnyResourceDefinition): string {
  return type.replace(/[/:]/g, ".");
}

/** A class by its last name: `EntityAlias`. */
export function shortName({ type }: AnyResourceDefinition): string {
  return type.slice(type.indexOf(":") + 1);
}

/**
 * Finds a class whose objects can be imported: those that can be read by their ids.
 *
 * @param name with its namespaces or without: `secrets.identity.EntityAlias` or `EntityAlias`
 * @param option for the message
 * @throws UsageError when it does not exist, or its objects cannot be read back
 */
export function importableClass(name: string, option: string): AnyResourceDefinition {
  const classes = [...collectClasses(library).values()];
  const asked = name.replace(/^trivium\./, "");
  const found = classes.find(
    ({ definition }) => className(definition) === asked || shortName(definition) === asked,
  );
  const importable = classes.filter((each) => each.get !== undefined);
  if (found === undefined) {
    const names = importable.map(({ definition }) => shortName(definition)).join(", ");
    throw new UsageError(
      `${option}: ${JSON.stringify(name)} is not a class that can be imported; expected one of ${names}.`,
    );
  }
  if (found.get === undefined) {
    throw new UsageError(
      `${option}: ${className(found.definition)} cannot be imported: its service has no request that reads it. ` +
        "Add it to the program as a new resource.",
    );
  }
  return found.definition;
}
