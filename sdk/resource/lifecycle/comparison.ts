import type { JsonObject, JsonValue } from "../../base/json";
import { sameJson } from "../../base/json";
import { equivalent } from "../fields/canonical";
import type { ArgumentDefinition } from "../fields/argument";
import type { AnyResourceDefinition } from "../definition";
import { managedOf, type ManagedArgument } from "../state/managed";
import { containsUnknown } from "../state/unknown";

export interface ComparedArgument {
  readonly name: string;
  readonly argument: ArgumentDefinition;
  /** According to state. */
  readonly current: JsonValue;
  /** Null clears the argument. */
  readonly desired: JsonValue;
  /** `undefined` if the argument is not managed. */
  readonly managed: ManagedArgument | undefined;
  readonly outcome: "unchanged" | "changed" | "cleared" | "unknown";
}

export interface Comparison {
  /** The arguments in the program, except those only for a creation. */
  readonly compared: readonly ComparedArgument[];
  /** The arguments whose desired values are not yet in the service, or in state. */
  readonly changed: ReadonlySet<string>;
  readonly replaces: readonly string[];
  readonly sent: ReadonlySet<string>;
  /** State records other managed arguments than the program has. */
  readonly managedDiffers: boolean;
}

/** Compares by meaning, not by spelling. Arguments that the program omits are ignored; inputs may be unknown. */
export function compare(
  definition: AnyResourceDefinition,
  outputs: JsonObject,
  inputs: JsonObject,
): Comparison {
  const managed = managedOf(definition, outputs) ?? {};
  const compared = argumentsIn(definition, inputs)
    .filter(([, { role }]) => role !== "creation")
    .map(([name, argument]) => compareArgument(name, argument, managed[name], outputs, inputs));
  const differing = compared.filter(({ outcome }) => outcome !== "unchanged");
  const isForgotten = Object.keys(managed).some(
    (name) => !Object.hasOwn(inputs, name) && definition.arguments[name]?.role !== "creation",
  );
  return {
    compared,
    changed: namesOf(differing),
    replaces: differing.filter(requiresReplacement).map(({ name }) => name),
    sent: namesOf(differing.filter(needsSending)),
    managedDiffers: isForgotten || differing.some((each) => each.managed === undefined),
  };
}

function compareArgument(
  name: string,
  argument: ArgumentDefinition,
  managed: ManagedArgument | undefined,
  outputs: JsonObject,
  inputs: JsonObject,
): ComparedArgument {
  const [current, desired] = [outputs[name] ?? null, inputs[name] ?? null];
  const compared = { name, argument, managed, current, desired };
  if (containsUnknown(desired)) {
    return { ...compared, outcome: "unknown" };
  }
  if (isApplied(compared)) {
    return { ...compared, outcome: "unchanged" };
  }
  return { ...compared, outcome: desired === null ? "cleared" : "changed" };
}

export function isApplied({
  argument,
  managed,
  current,
  desired,
}: Omit<ComparedArgument, "name" | "outcome">): boolean {
  if (managed === undefined) {
    return false;
  }
  if (managed !== 1 && "as" in managed && sameJson(managed.as, desired)) {
    return true;
  }
  if (managed !== 1 && "cleared" in managed) {
    const clears = desired === null || equivalent(argument, desired, null);
    return clears && (argument.secret === true || equivalent(argument, current, managed.cleared));
  }
  return equivalent(argument, current, desired);
}

/** If only the record in state differs, a replacement would destroy the object for nothing. */
function requiresReplacement({ argument, outcome, current, desired }: ComparedArgument): boolean {
  return argument.replaces === true && (outcome === "unknown" || !equivalent(argument, current, desired));
}

/** The last written value is not sent again: the service may have a newer one, such as a rotated password. */
function needsSending({ argument, managed, current, desired }: ComparedArgument): boolean {
  const isLastWritten =
    managed === undefined &&
    argument.writeOnly === true &&
    current !== null &&
    desired !== null &&
    equivalent(argument, current, desired);
  return isSendable(argument) && !isLastWritten;
}

export function isSendable({ role = "remote", replaces = false }: ArgumentDefinition): boolean {
  return role === "remote" && !replaces;
}

/** Arguments that drifted between state and the latest response (`after`). */
export function movedArguments({ compared }: Comparison, after: JsonObject): readonly string[] {
  return compared
    .filter(({ name, argument, current, desired }) => {
      const { role = "remote", writeOnly = false } = argument;
      const next = after[name] ?? null;
      const isMoved = !equivalent(argument, next, current) && !equivalent(argument, next, desired);
      return role === "remote" && !writeOnly && isMoved;
    })
    .map(({ name }) => name);
}

export function argumentsIn(
  definition: AnyResourceDefinition,
  values: JsonObject,
): [string, ArgumentDefinition][] {
  return Object.entries(definition.arguments).filter(([name]) => Object.hasOwn(values, name));
}

function namesOf(compared: readonly ComparedArgument[]): ReadonlySet<string> {
  return new Set(compared.map(({ name }) => name));
}
