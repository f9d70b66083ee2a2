import type { JsonObject, JsonValue } from "../../base/json";
import { sameJson } from "../../base/json";
import { equivalent } from "../fields/canonical";
import type { ArgumentDefinition } from "../fields/argument";
import type { AnyResourceDefinition } from "../definition";
import { managedOf, type ManagedArgument } from "../state/managed";
import { containsUnknown } from "../state/unknown";

/** One argument in state and program. */
export interface ComparedArgument {
  readonly name: string;
  readonly argument: ArgumentDefinition;
  /** What the service has, according to state. */
  readonly current: JsonValue;
  /** What the program wants; null clears. */
  readonly desired: JsonValue;
  /** How state records that it is managed; `undefined` if it is not. */
  readonly managed: ManagedArgument | undefined;
  readonly outcome: "unchanged" | "changed" | "cleared" | "unknown";
}

/** The changes of the program: diff shows them, and update sends them. */
export interface Comparison {
  /** Each argument that the program names and that is not only for a creation. */
  readonly compared: readonly ComparedArgument[];
  /** The arguments whose desired values are not yet in the service, or in state. */
  readonly changed: ReadonlySet<string>;
  /** Those that require a replacement. */
  readonly replaces: readonly string[];
  /** Those that an update must send. */
  readonly sent: ReadonlySet<string>;
  /** State records other managed arguments than the program, though no value differs. */
  readonly managedDiffers: boolean;
}

/**
 * Compares state with the desired arguments, by meaning instead of spelling. Arguments that the program does
 * not name are ignored.
 *
 * @param outputs the last known state of the resource
 * @param inputs the checked inputs; may be unknown in a preview
 */
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

/** Whether the current value is the desired one, in whatever spelling. */
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

/** If only the record in state differs, it is the same object: replacing it would destroy it for nothing. */
function requiresReplacement({ argument, outcome, current, desired }: ComparedArgument): boolean {
  return argument.replaces === true && (outcome === "unknown" || !equivalent(argument, current, desired));
}

/**
 * An argument that cannot be updated and differs only in the record in state has nothing to send. Neither has
 * one with the last written value: a difference in the service may be intended, such as a rotated password.
 */
function needsSending({ argument, managed, current, desired }: ComparedArgument): boolean {
  const isLastWritten =
    managed === undefined &&
    argument.writeOnly === true &&
    current !== null &&
    desired !== null &&
    equivalent(argument, current, desired);
  return isSendable(argument) && !isLastWritten;
}

/** Whether an update can send an argument. */
export function isSendable({ role = "remote", replaces = false }: ArgumentDefinition): boolean {
  return role === "remote" && !replaces;
}

/**
 * The arguments of the program that drifted since state was written. A response to other arguments proves
 * nothing about the spelling of these.
 *
 * @param after the outputs from the latest response
 */
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

/** The definitions of the arguments among values. */
export function argumentsIn(
  definition: AnyResourceDefinition,
  values: JsonObject,
): [string, ArgumentDefinition][] {
  return Object.entries(definition.arguments).filter(([name]) => Object.hasOwn(values, name));
}

function namesOf(compared: readonly ComparedArgument[]): ReadonlySet<string> {
  return new Set(compared.map(({ name }) => name));
}
