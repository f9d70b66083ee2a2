import type { AnyResourceDefinition, ArgumentDefinition } from "./definition";
import type { JsonObject, JsonValue } from "../base/json";
import { isObject, sameJson } from "../base/json";

/** Hidden outputs: absent from plans, present in exported state, so never a secret nor its hash. */
export const hiddenKeys = {
  /** What the program manages: {@link Managed}. */
  managed: "__managed",
  /** The identity of the service that the object was made at. */
  at: "__at",
  /** What a definition itself wants to remember about an object, where it wants to. */
  memory: "__memory",
  /**
   * Input and output: where progress is shown, as hooks are not told. A refresh that finds drift gives it back from
   * the outputs; it would show as removed otherwise, and as added in the plan after that.
   */
  urn: "__urn",
  /** Input and output: the names of the arguments which the program itself marked as secret. */
  secrets: "__secrets",
  /**
   * Tells the entry of an object that was adopted from the entry which had it before, where both have one URN: a
   * resource that was replaced by hand.
   */
  generation: "__generation",
  /** Input: what only this run is to know ({@link RunOptions}). Check takes it out, so that state never has it. */
  run: "__run",
} as const;

/**
 * How one argument is managed:
 * - `1`: given, and the service answers it as the user wrote it; where it answers something else, it does not have
 *   it yet;
 * - `as`: given in this spelling, which is not how the service answers it;
 * - `cleared`: brought back to the service's default, which then read as this value;
 * - `imported`: a secret of an object that was imported, and so not written into the file for the import. The next
 *   refresh finds it in the service or, where the service never tells, in the stack configuration under this key.
 */
export type Marker =
  1 | { readonly as: JsonValue } | { readonly cleared: JsonValue } | { readonly imported: string };

/** The arguments that the program gave, cleared ones included. */
export type Managed = Readonly<Record<string, Marker>>;

/** The hidden inputs, from the inputs themselves or from the outputs that they were kept in. */
export function hiddenInputsOf(values: JsonObject): JsonObject {
  const kept = [hiddenKeys.urn, hiddenKeys.secrets].filter((key) => values[key] !== undefined);
  return Object.fromEntries(kept.map((key) => [key, values[key] ?? null]));
}

/** Reads the marks out of a resource's state; `undefined` where the state has none (a resource that was got). */
export function managedOf(outputs: JsonObject): Managed | undefined {
  const stored = outputs[hiddenKeys.managed];
  return isObject(stored) ? (stored as Managed) : undefined;
}

/** The arguments of a resource without the hidden keys. */
export function argumentsOf(
  definition: AnyResourceDefinition,
  values: JsonObject,
): [string, ArgumentDefinition][] {
  return Object.entries(definition.arguments).filter(([name]) => Object.hasOwn(values, name));
}

/** What an operation has told the service of a resource's arguments. */
export interface Delivery {
  /** Whether the service has taken what was sent, so that what it answers otherwise is only another spelling. */
  readonly taken: boolean;
  /** The arguments that were not sent: what an answer says of them proves nothing about the program's values. */
  readonly unsent?: ReadonlySet<string>;
  /** The marks before. */
  readonly former?: Managed;
}

/** Notes what the program gave, after the service has answered with `outputs`. */
export function noteManaged(
  definition: AnyResourceDefinition,
  inputs: JsonObject,
  outputs: JsonObject,
  { taken, unsent = new Set(), former = {} }: Delivery = { taken: true },
): Managed {
  return Object.fromEntries(
    argumentsOf(definition, inputs).map(([name, argument]) => {
      const given = inputs[name] ?? null;
      const marker = former[name];
      const stays = unsent.has(name) && marker !== undefined && says(marker, given);
      return [name, stays ? marker : noteArgument(argument, given, outputs[name] ?? null, taken)];
    }),
  );
}

/** Whether a mark was made for this very spelling. */
function says(marker: Marker, given: JsonValue): boolean {
  return (
    marker !== 1 &&
    (("as" in marker && sameJson(marker.as, given)) || ("cleared" in marker && given === null))
  );
}

function noteArgument(
  argument: ArgumentDefinition,
  given: JsonValue,
  answered: JsonValue,
  applied: boolean,
): Marker {
  if (argument.role === "creation") {
    return { as: given };
  }
  if (argument.role === "behaviour") {
    return 1;
  }
  if (!applied && !equivalent(argument, answered, given)) {
    return 1;
  }
  if (given === null) {
    return { cleared: argument.secret === true ? null : answered };
  }
  return argument.secret === true || sameJson(given, answered) ? 1 : { as: given };
}

/** Whether what is in the service is what the program wants, whatever the spelling of either. */
export function isApplied(
  argument: ArgumentDefinition,
  marker: Marker | undefined,
  answered: JsonValue,
  wanted: JsonValue,
): boolean {
  if (marker === undefined || importedKey(marker) !== undefined) {
    return false;
  }
  if (marker !== 1 && "as" in marker && sameJson(marker.as, wanted)) {
    return true;
  }
  if (marker !== 1 && "cleared" in marker) {
    return wanted === null || equivalent(argument, wanted, null)
      ? argument.secret === true || equivalent(argument, answered, marker.cleared)
      : false;
  }
  return equivalent(argument, answered, wanted);
}

/** Whether two spellings mean the same value. */
export function equivalent(argument: ArgumentDefinition, left: JsonValue, right: JsonValue): boolean {
  const { canonical } = argument;
  return sameJson(left, right) || (canonical !== undefined && sameJson(canonical(left), canonical(right)));
}

/** The configuration key of a secret that was imported and that nothing has told since. */
export function importedKey(marker: Marker | undefined): string | undefined {
  return marker !== undefined && marker !== 1 && "imported" in marker ? marker.imported : undefined;
}

/** What a refresh puts into state for the arguments: their values as inputs and their new marks. */
export interface Projection {
  readonly inputs: JsonObject;
  readonly managed: Managed;
}

/**
 * Projects what the service answered on the arguments that the program manages: in the user's spelling where the
 * value is the same as before, as answered where it moved, so that the next plan shows what moved.
 */
export function projectInputs(
  definition: AnyResourceDefinition,
  managed: Managed,
  before: JsonObject,
  after: JsonObject,
): Projection {
  const inputs: Record<string, JsonValue> = {};
  const markers: Record<string, Marker> = {};
  for (const [name, marker] of Object.entries(managed)) {
    const argument = definition.arguments[name];
    if (argument === undefined || (importedKey(marker) !== undefined && after[name] === undefined)) {
      // What nobody can tell even now is no longer taken to be what the program says.
      continue;
    }
    const [input, nextMarker] = projectArgument(argument, marker, before[name] ?? null, after[name] ?? null);
    inputs[name] = input;
    markers[name] = nextMarker;
  }
  return { inputs, managed: markers };
}

function projectArgument(
  argument: ArgumentDefinition,
  marker: Marker,
  before: JsonValue,
  after: JsonValue,
): [JsonValue, Marker] {
  if (marker !== 1 && "cleared" in marker) {
    const unmoved = argument.secret === true || equivalent(argument, after, marker.cleared);
    return [unmoved ? null : after, marker];
  }
  if (argument.role === "creation" && marker !== 1 && "as" in marker) {
    return [marker.as, marker];
  }
  if (!equivalent(argument, before, after)) {
    return [after, 1];
  }
  const spelling = marker !== 1 && "as" in marker ? marker.as : before;
  return [spelling, argument.secret === true || sameJson(spelling, after) ? 1 : { as: spelling }];
}
