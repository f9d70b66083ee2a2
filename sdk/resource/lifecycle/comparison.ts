import { type JsonObject, type JsonValue, mapped, sameJson } from "../../base/json";
import { equivalent, isRemote, type ArgumentDefinition, type RecomputedBy } from "../fields/field";
import { isGiven } from "../fields/kinds";
import type { DefinitionIn } from "../definition";
import {
  argumentsIn,
  clearedTo,
  containsUnknown,
  type Entry,
  type ManagedArgument,
  spellingOf,
  unknown,
} from "../state/entry";

interface ComparedArgument {
  readonly name: string;
  readonly argument: ArgumentDefinition;
  /** According to state. */
  readonly current: JsonValue;
  /** Null clears the argument. */
  readonly desired: JsonValue;
  /** `undefined` if the argument is not managed. */
  readonly managed: ManagedArgument | undefined;
}

export interface Comparison {
  /** The arguments in the program, except those only for a creation. */
  readonly compared: readonly ComparedArgument[];
  /** The arguments whose desired values are not yet in the service, or in state. */
  readonly changed: ReadonlySet<string>;
  readonly replaces: readonly string[];
  readonly sent: ReadonlySet<string>;
  /** Whether state records other managed arguments than the program has. */
  readonly managedDiffers: boolean;
}

/**
 * Compares values by their meaning, not by their form. Arguments that the program omits are ignored; arguments can be
 * unknown.
 */
export function compare(
  definition: DefinitionIn,
  { outputs, managed = {} }: Pick<Entry, "outputs" | "managed">,
  args: JsonObject,
): Comparison {
  const compared = argumentsIn(definition, args)
    .filter(([, { local }]) => local !== "creation")
    .map(([name, argument]) => ({
      name,
      argument,
      managed: managed[name],
      current: outputs[name] ?? null,
      desired: args[name] ?? null,
    }));
  const differing = compared.filter((each) => containsUnknown(each.desired) || !isApplied(each));
  const isForgotten = Object.keys(managed).some(
    (name) => !Object.hasOwn(args, name) && definition.arguments[name]?.local !== "creation",
  );
  return {
    compared,
    changed: namesOf(differing),
    replaces: differing.filter(requiresReplacement).map(({ name }) => name),
    sent: namesOf(differing.filter(({ argument }) => isSendable(argument))),
    managedDiffers: isForgotten || differing.some((each) => each.managed === undefined),
  };
}

function isApplied({ argument, managed, current, desired }: ComparedArgument): boolean {
  if (managed === undefined) {
    return false;
  }
  const cleared = clearedTo(managed);
  if (cleared !== undefined) {
    const clears = desired === null || equivalent(argument, desired, null);
    return clears && (argument.secret === true || equivalent(argument, current, cleared));
  }
  return sameJson(spellingOf(managed), desired) || equivalent(argument, current, desired);
}

/** If only the record in state differs, a replacement would destroy the object for nothing. */
function requiresReplacement({ argument, current, desired }: ComparedArgument): boolean {
  const differs = containsUnknown(desired) || !equivalent(argument, current, desired);
  const { replaces } = argument;
  return differs && (replaces === true || (replaces === "presence" && isGiven(current) !== isGiven(desired)));
}

export function isSendable(argument: ArgumentDefinition): boolean {
  return isRemote(argument) && argument.replaces !== true;
}

/** Arguments that drifted between state and the latest response (`after`). */
export function driftedArguments({ compared }: Comparison, after: JsonObject): readonly string[] {
  return compared
    .filter(({ name, argument, current, desired }) => {
      const next = after[name] ?? null;
      const isMoved = !equivalent(argument, next, current) && !equivalent(argument, next, desired);
      return isRemote(argument) && argument.told !== "never" && isMoved;
    })
    .map(({ name }) => name);
}

function namesOf(compared: readonly ComparedArgument[]): ReadonlySet<string> {
  return new Set(compared.map(({ name }) => name));
}

export interface Plan {
  /** The arguments as check returns them. */
  readonly args: JsonObject;
  /** `undefined` for a creation. */
  readonly entry: Pick<Entry, "outputs" | "managed"> | undefined;
  /** The value in wire form; `undefined` if it is not known. */
  readonly sent: (name: string, value: JsonValue) => JsonValue | undefined;
}

/**
 * Whether the object will lack the output completely: even null would be marked as a secret by the engine.
 */
export function staysAbsent({ args, entry }: Pick<Plan, "args" | "entry">, name: string): boolean {
  return !Object.hasOwn(args, name) && !Object.hasOwn(entry?.outputs ?? {}, name);
}

/**
 * The known outputs: the program's values, documented defaults, and what an update leaves unchanged in state.
 */
export function foreseenOutputs(definition: DefinitionIn, plan: Plan): JsonObject {
  const { entry, args, sent } = plan;
  const former = entry?.outputs;
  const comparison = entry && compare(definition, entry, args);
  const { changed, managedDiffers = false } = comparison ?? {};
  // An update without changes continues an incomplete operation.
  const continues = changed?.size === 0 && !managedDiffers;

  const kept = (name: string, recomputedBy: RecomputedBy = []): JsonValue | undefined => {
    const moves =
      recomputedBy === true
        ? (comparison?.sent.size ?? 0) > 0 || continues
        : recomputedBy.some((other) => changed?.has(other) === true);
    if (former === undefined || moves) {
      return undefined;
    }
    // Responses can omit the field, so its absence in state is a value.
    return Object.hasOwn(former, name) || continues ? former[name] : null;
  };

  const foreseen = (name: string, argument: ArgumentDefinition): JsonValue | undefined => {
    const desired = args[name];
    const current = former?.[name];
    const isUnchanged = changed?.has(name) === false;
    if (containsUnknown(desired)) {
      return undefined;
    }
    if (argument.local === "state" || argument.told === "never") {
      return (desired === undefined ? current : desired) ?? null;
    }
    if (desired !== undefined && desired !== null) {
      const next = sent(name, desired);
      // Services return whole seconds, and might round or know other units.
      const isRounded =
        argument.isOpaque?.(next) === true || (typeof next === "number" && !Number.isInteger(next));
      const isKept = isUnchanged || (next !== undefined && equivalent(argument, current ?? null, next));
      return isKept && current !== undefined ? current : isRounded ? undefined : next;
    }
    if (argument.default !== undefined) {
      return argument.default;
    }
    if (isUnchanged) {
      return kept(name, argument.recomputedBy);
    }
    const { echoesDefault, cleared } = argument;
    const cleanSlate =
      former !== undefined || (args.adopt !== true && definition.identity?.managesExisting !== true);
    return cleanSlate && echoesDefault === true && cleared !== undefined ? sent(name, cleared) : undefined;
  };

  const orUnknown = (value: JsonValue | undefined): JsonValue => (value === undefined ? unknown : value);
  return {
    ...mapped(definition.arguments, (argument, name) =>
      argument.local === "creation" ? undefined : orUnknown(foreseen(name, argument)),
    ),
    ...mapped(definition.outputs, ({ recomputedBy }, name) => orUnknown(kept(name, recomputedBy))),
  };
}
