import type { JsonObject, JsonValue } from "../../base/json";
import type { Dialect } from "../../base/settings";
import type { ArgumentDefinition, Follows } from "../fields/argument";
import { equivalent } from "../fields/canonical";
import { compare, type Comparison } from "./comparison";
import type { AnyResourceDefinition } from "../definition";
import { containsUnknown, unknownValue } from "../state/unknown";

export interface Plan {
  readonly dialect: Dialect | undefined;
  /** As check returns them. */
  readonly inputs: JsonObject;
  /** The outputs in state; `undefined` for a creation. */
  readonly former: JsonObject | undefined;
  /** The value in wire form; `undefined` if that is not known. */
  readonly sent: (name: string, value: JsonValue) => JsonValue | undefined;
}

interface Update {
  readonly former: JsonObject;
  readonly comparison: Comparison;
}

/** Known are the program's values, documented defaults, and what an update leaves unchanged in state. */
export function foreseenOutputs(definition: AnyResourceDefinition, plan: Plan): JsonObject {
  const { former, inputs } = plan;
  const update = former && { former, comparison: compare(definition, former, inputs) };
  const known = [
    ...Object.entries(definition.arguments)
      .filter(([, { role }]) => role !== "creation")
      .map(([name, argument]) => [name, foreseenArgument(definition, name, argument, plan, update)] as const),
    ...Object.entries(definition.outputs).map(
      ([name, { follows, optional }]) => [name, keptValue(update, name, follows, optional)] as const,
    ),
  ];
  return Object.fromEntries(known.map(([name, value]) => [name, value === undefined ? unknownValue : value]));
}

function foreseenArgument(
  definition: AnyResourceDefinition,
  name: string,
  argument: ArgumentDefinition,
  { inputs, dialect, sent }: Plan,
  update: Update | undefined,
): JsonValue | undefined {
  const desired = inputs[name];
  const current = update?.former[name];
  const isUnchanged = update !== undefined && !update.comparison.changed.has(name);
  if (containsUnknown(desired)) {
    return undefined;
  }
  if (argument.role === "behaviour" || argument.writeOnly === true) {
    return (desired === undefined ? current : desired) ?? null;
  }
  if (desired !== undefined && desired !== null) {
    const next = sent(name, desired);
    const isKept = isUnchanged || (next !== undefined && equivalent(argument, current ?? null, next));
    return isKept && current !== undefined ? current : next;
  }
  const usual = dialect && argument.default?.[dialect];
  if (usual !== undefined) {
    return usual;
  }
  if (isUnchanged) {
    return keptValue(update, name, argument.follows);
  }
  const { tellsCleared, usualIn, cleared } = argument;
  const cleanSlate = update !== undefined || (inputs.adopt !== true && definition.inPlace !== true);
  const reset = usualIn === undefined ? cleared : dialect && (usualIn[dialect] ?? cleared);
  return cleanSlate && tellsCleared === true && reset !== undefined ? sent(name, reset) : undefined;
}

/** `optional`: a response may omit the field, so its absence in state is a value. */
function keptValue(
  update: Update | undefined,
  name: string,
  follows: Follows = [],
  optional = true,
): JsonValue | undefined {
  if (update === undefined) {
    return undefined;
  }
  const { former, comparison } = update;
  const { changed, sent, managedDiffers } = comparison;
  // An update without changes continues an incomplete operation.
  const continues = changed.size === 0 && !managedDiffers;
  const moves = follows === true ? sent.size > 0 || continues : follows.some((other) => changed.has(other));
  const absent = optional && !continues ? null : undefined;
  return moves ? undefined : Object.hasOwn(former, name) ? former[name] : absent;
}
