import type { AnyResourceDefinition } from "./definition";
import type { JsonObject } from "../base/json";
import { argumentsOf, equivalent, importedKey, isApplied, managedOf } from "./metadata";
import { containsUnknown } from "./unknown";

/** What a change of the program means for a resource. */
export interface Difference {
  /** The arguments whose values are not in the service, or in state, yet. */
  readonly changed: ReadonlySet<string>;
  /** Those among them that make a new object necessary. */
  readonly replaces: readonly string[];
  /** State names other arguments than the program does, though no value differs. */
  readonly marksDiffer: boolean;
}

/**
 * Compares a resource's state with what the program wants, argument by argument and by meaning, not by spelling.
 * Arguments which the program does not name are left alone.
 *
 * @param outputs the resource's last known state
 * @param inputs what check answered; in a preview some of it may not be known
 */
export function difference(
  definition: AnyResourceDefinition,
  outputs: JsonObject,
  inputs: JsonObject,
): Difference {
  const managed = managedOf(outputs) ?? {};
  const changed = new Set<string>();
  const replaces: string[] = [];
  let marksDiffer = Object.entries(managed).some(
    ([name, marker]) =>
      !Object.hasOwn(inputs, name) &&
      definition.arguments[name]?.role !== "creation" &&
      // A secret that an import has provided for, and that there may not be.
      importedKey(marker) === undefined,
  );
  for (const [name, argument] of argumentsOf(definition, inputs)) {
    if (argument.role === "creation") {
      continue;
    }
    const wanted = inputs[name] ?? null;
    const answered = outputs[name] ?? null;
    if (!containsUnknown(wanted) && isApplied(argument, managed[name], answered, wanted)) {
      continue;
    }
    changed.add(name);
    marksDiffer ||= managed[name] === undefined;
    // What only lacks its mark is the same object: to make it anew would destroy it for nothing.
    if (argument.replaces === true && (containsUnknown(wanted) || !equivalent(argument, answered, wanted))) {
      replaces.push(name);
    }
  }
  return { changed, replaces, marksDiffer };
}
