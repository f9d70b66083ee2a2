import type { JsonObject, JsonValue } from "../base/json";
import { sameJson } from "../base/json";
import { equivalent } from "./canonical";
import type { ArgumentDefinition } from "./argument";
import type { AnyResourceDefinition } from "./definition";
import { importedKey, managedOf, type ManagedArgument } from "./managed";
import { containsUnknown } from "./unknown";

/** What state and program say of one argument. */
export interface ComparedArgument {
  readonly name: string;
  readonly argument: ArgumentDefinition;
  /** What the service has, as far as state knows. */
  readonly current: JsonValue;
  /** What the program wants; null clears. */
  readonly desired: JsonValue;
  /** How state says that it is managed; `undefined` where it does not. */
  readonly managed: ManagedArgument | undefined;
  readonly outcome: "unchanged" | "changed" | "cleared" | "unknown";
}

/** What a change of the program means for a resource: diff shows it, and update sends it. */
export interface Comparison {
  /** The arguments whose values are not in the service, or in state, yet. */
  readonly changed: ReadonlySet<string>;
  /** Those among them that make a new object necessary. */
  readonly replaces: readonly string[];
  /** Those among them that an update has to send. */
  readonly sent: ReadonlySet<string>;
  /** State names other arguments as managed than the program does, though no value differs. */
  readonly managedDiffers: boolean;
}

/**
 * Compares a resource's state with what the program wants, argument by argument and by meaning, not by spelling.
 * Arguments which the program does not name are left alone.
 *
 * @param outputs the resource's last known state
 * @param inputs what check answered; in a preview some of it may not be known
 */
export function compare(
  definition: AnyResourceDefinition,
  outputs: JsonObject,
  inputs: JsonObject,
): Comparison {
  const managed = managedOf(definition, outputs) ?? {};
  const differing = argumentsIn(definition, inputs)
    .filter(([, { role }]) => role !== "creation")
    .map(([name, argument]) => compareArgument(name, argument, managed[name], outputs, inputs))
    .filter(({ outcome }) => outcome !== "unchanged");
  const isForgotten = Object.entries(managed).some(
    ([name, how]) =>
      !Object.hasOwn(inputs, name) &&
      definition.arguments[name]?.role !== "creation" &&
      // A secret that an import has provided for, and that there may not be.
      importedKey(how) === undefined,
  );
  return {
    changed: namesOf(differing),
    replaces: differing.filter(makesAnother).map(({ name }) => name),
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

/** Whether what is in the service is what the program wants, whatever the spelling of either. */
export function isApplied({
  argument,
  managed,
  current,
  desired,
}: Omit<ComparedArgument, "name" | "outcome">): boolean {
  if (managed === undefined || importedKey(managed) !== undefined) {
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

/** What state only does not name as managed is the same object: to make it anew would destroy it for nothing. */
function makesAnother({ argument, outcome, current, desired }: ComparedArgument): boolean {
  return argument.replaces === true && (outcome === "unknown" || !equivalent(argument, current, desired));
}

/**
 * What cannot be updated differs only because state does not name it as managed: there is nothing to send. Nor is there
 * where an import counts on the service having what the program says, or where the value is the one that was last
 * written: it may have been changed in the service since, and not by mistake, as a password is that was rotated.
 */
function needsSending({ argument, managed, current, desired }: ComparedArgument): boolean {
  const isLastWritten =
    managed === undefined &&
    argument.writeOnly === true &&
    current !== null &&
    desired !== null &&
    equivalent(argument, current, desired);
  return isSendable(argument) && importedKey(managed) === undefined && !isLastWritten;
}

/** Whether an update can send an argument at all. */
export function isSendable({ role = "remote", replaces = false }: ArgumentDefinition): boolean {
  return role === "remote" && !replaces;
}

/**
 * The arguments of the program which the service has otherwise by now than state and program say. A response to other
 * arguments proves nothing about the spelling of these: they have been changed behind the program's back.
 *
 * @param inputs what the program says
 * @param before the outputs in state
 * @param after the outputs as the service has just told them
 */
export function movedArguments(
  definition: AnyResourceDefinition,
  inputs: JsonObject,
  before: JsonObject,
  after: JsonObject,
): readonly string[] {
  return argumentsIn(definition, inputs)
    .filter(([name, argument]) => {
      const { role = "remote", writeOnly = false } = argument;
      const current = after[name] ?? null;
      return (
        role === "remote" &&
        !writeOnly &&
        !equivalent(argument, current, before[name] ?? null) &&
        !equivalent(argument, current, inputs[name] ?? null)
      );
    })
    .map(([name]) => name);
}

/** The definitions of the arguments that are among values. */
export function argumentsIn(
  definition: AnyResourceDefinition,
  values: JsonObject,
): [string, ArgumentDefinition][] {
  return Object.entries(definition.arguments).filter(([name]) => Object.hasOwn(values, name));
}

function namesOf(compared: readonly ComparedArgument[]): ReadonlySet<string> {
  return new Set(compared.map(({ name }) => name));
}
