import type { AnyResourceDefinition, ArgumentDefinition } from "./definition";
import { difference } from "./diff";
import type { JsonObject, JsonValue } from "../base/json";
import { argumentsOf, equivalent, importedKey, managedOf } from "./metadata";

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
      return (
        isSendable(definition, name) &&
        !imported &&
        !(managed[name] === undefined && wasWritten(argument, olds[name], news[name]))
      );
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

/** Whether an update can send an argument at all. */
export function isSendable({ arguments: known }: AnyResourceDefinition, name: string): boolean {
  const { role = "remote", replaces = false } = known[name] ?? {};
  return role === "remote" && !replaces;
}

/**
 * The arguments of the program which the service has otherwise by now than state and program say. An answer to other
 * arguments proves nothing about the spelling of these: they have been changed behind the program's back.
 *
 * @param inputs what the program says
 * @param before the outputs in state
 * @param after the outputs as the service has just answered them
 */
export function movedArguments(
  definition: AnyResourceDefinition,
  inputs: JsonObject,
  before: JsonObject,
  after: JsonObject,
): readonly string[] {
  return argumentsOf(definition, inputs)
    .filter(([name, argument]) => {
      const { role = "remote", writeOnly = false } = argument;
      const [now = null, known = null, wanted = null] = [after[name], before[name], inputs[name]];
      return (
        role === "remote" &&
        !writeOnly &&
        !equivalent(argument, now, known) &&
        !equivalent(argument, now, wanted)
      );
    })
    .map(([name]) => name);
}
