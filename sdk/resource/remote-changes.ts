import type { AnyResourceDefinition, ArgumentDefinition } from "./definition";
import { difference } from "./diff";
import type { JsonObject, JsonValue } from "./json";
import { equivalent, importedKey, managedOf } from "./metadata";

/** The arguments that an update has to send. */
export function remoteChanges(
  definition: AnyResourceDefinition,
  olds: JsonObject,
  news: JsonObject,
): ReadonlySet<string> {
  const { changed } = difference(definition, olds, news);
  const managed = managedOf(olds) ?? {};
  // What cannot be updated is here only because state lacks its mark: there is nothing to send. Nor is there where an
  // import counts on the service having what the program says.
  return new Set(
    [...changed].filter((name) => {
      const argument = definition.arguments[name];
      const imported = importedKey(managed[name]) !== undefined;
      const sendable = argument?.role !== "behaviour" && argument?.replaces !== true && !imported;
      return sendable && !(managed[name] === undefined && wasWritten(argument, olds[name], news[name]));
    }),
  );
}

/**
 * Whether the value is the one that was last written. It may have been changed in the service since, and not by
 * mistake: a password is rotated. So it is not written again for want of a mark.
 */
function wasWritten(
  argument: ArgumentDefinition | undefined,
  written: JsonValue | undefined,
  wanted: JsonValue | undefined,
): boolean {
  return (
    argument?.writeOnly === true &&
    written !== undefined &&
    wanted !== undefined &&
    wanted !== null &&
    equivalent(argument, written, wanted)
  );
}
