import type {
  AnyResourceDefinition,
  DefinitionIn,
  InheritedState,
  PrivateState,
  RemoteState,
} from "../definition";
import {
  isObject,
  type JsonObject,
  type JsonValue,
  mapped,
  namesWhere,
  sameJson,
  toJson,
} from "../../base/json";
import { processRedactor } from "../../base/redactor";
import { equivalent, isOpen, isRemote, type ArgumentDefinition } from "../fields/field";

/**
 * What the library knows about a resource, in plain text. An adapter decodes it from state when a call
 * arrives.
 */
export interface Entry {
  readonly outputs: JsonObject;
  /** `undefined` for an object that was only read. */
  readonly managed: Managed | undefined;
  /** The class's private state about the object; never a secret. */
  readonly privateState: PrivateState;
  /** The identity of the service where the object was created. */
  readonly service: string | undefined;
  readonly urn: string | undefined;
  /** After a manual replacement, distinguishes an adopted object's entry from the former one with the same URN. */
  readonly generation: string | undefined;
  /** The arguments that the program marked as secret. */
  readonly secrets: readonly string[];
}

export const emptyEntry: Entry = {
  outputs: {},
  managed: undefined,
  privateState: {},
  service: undefined,
  urn: undefined,
  generation: undefined,
  secrets: [],
};

/** A resource's arguments and options in the program. */
export interface Program {
  /** In plain text, with {@link unknown} for what a preview does not know yet. */
  readonly args: JsonObject;
  readonly urn: string | undefined;
  /** The arguments that the program marked as secret. */
  readonly secrets: readonly string[];
  readonly run: RunOptions;
}

/** For the provider process in the same run; never in state. */
export interface RunOptions {
  /** From `ignoreChanges`. */
  readonly ignored: readonly string[];
  /** Whether the program asks for a replacement if the connection leads to another service. */
  readonly followsProvider: boolean;
  readonly inherited: readonly InheritedState[];
  /**
   * Whether this is a preview, for classes that would otherwise send requests in one; the engine's calls do
   * not show it.
   */
  readonly phase?: "preview" | "update";
}

export const noRunOptions: RunOptions = { ignored: [], followsProvider: false, inherited: [] };

/** A value that is not known yet. Compared by identity. */
export const unknown: JsonObject = Object.freeze({});

/** The value and all values in it, which can be deeply nested or cyclic. */
export function valuesWithin(value: unknown): readonly unknown[] {
  const found = [value];
  const seen = new Set<unknown>();
  for (const next of found) {
    if ((Array.isArray(next) || isObject(next)) && !seen.has(next)) {
      seen.add(next);
      for (const inner of Object.values(next)) {
        found.push(inner);
      }
    }
  }
  return found;
}

export function textsWithin(value: unknown): string[] {
  return valuesWithin(value).filter((each) => typeof each === "string");
}

export function containsUnknown(value: unknown): boolean {
  // Fast path: most values are strings and numbers.
  return typeof value === "object" && valuesWithin(value).includes(unknown);
}

export function missingOutputs(definition: DefinitionIn, values: RemoteState): readonly string[] {
  return namesWhere(definition.outputs, (output, name) => !isOpen(output) && values[name] === undefined);
}

export function missingFields(definition: DefinitionIn, values: RemoteState): readonly string[] {
  return namesWhere(
    definition.arguments,
    (argument, name) => isRemote(argument) && argument.told !== "never" && values[name] === undefined,
  );
}

/** Missing fields keep their former values (`before`). `applied` has the values that the service never returns. */
export function composeOutputs(
  definition: DefinitionIn,
  state: RemoteState,
  applied: JsonObject,
  before: JsonObject,
): Record<string, JsonValue> {
  const current: JsonObject = mapped(state, (value) =>
    value === undefined ? undefined : (toJson(value) ?? null),
  );
  const first = (name: string, ...sources: JsonObject[]): JsonValue | undefined =>
    sources.find((values) => Object.hasOwn(values, name))?.[name];
  return {
    ...mapped(definition.arguments, ({ local, told }, name) => {
      const isReported = local !== "state" && told !== "never";
      return local === "creation"
        ? undefined
        : first(name, ...(isReported ? [current] : []), applied, before);
    }),
    ...mapped(definition.outputs, (_output, name) => first(name, current, before)),
  };
}

/** What the program marked as secret is treated as the class's own secrets. */
export function withMarkedSecrets<Definition extends AnyResourceDefinition>(
  definition: Definition,
  secrets: readonly string[],
): Definition {
  const marked = <Row extends object>(rows: Readonly<Record<string, Row>>): Record<string, Row> =>
    mapped(rows, (row, name) => (secrets.includes(name) ? { ...row, secret: true } : row));
  return secrets.length === 0
    ? definition
    : { ...definition, arguments: marked(definition.arguments), outputs: marked(definition.outputs) };
}

export function secretNames(definition: AnyResourceDefinition): string[] {
  return namesWhere({ ...definition.arguments, ...definition.outputs }, ({ secret }) => secret === true);
}

/** For redaction. */
export function rememberSecrets(definition: AnyResourceDefinition, values: RemoteState): void {
  for (const name of secretNames(definition)) {
    // The parts of a structure, such as a receiver's response, include common words.
    if (name in definition.arguments || typeof values[name] === "string") {
      processRedactor.register(...textsWithin(values[name]));
    }
  }
}

/**
 * How one argument is managed:
 * - `true`: the service returns it as the program wrote it; a different value means that it is not applied yet;
 * - `as`: set in this form, which is not the service's;
 * - `cleared`: reset to the service's default, which then read as this value.
 */
export type ManagedArgument = true | { readonly as: JsonValue } | { readonly cleared: JsonValue };

export type Managed = Readonly<Record<string, ManagedArgument>>;

/** The program's form of the value; `undefined` if the service returns the same. */
export function spellingOf(how: ManagedArgument): JsonValue | undefined {
  return how !== true && "as" in how ? how.as : undefined;
}

/** `undefined` if the argument has a value. */
export function clearedTo(how: ManagedArgument): JsonValue | undefined {
  return how !== true && "cleared" in how ? how.cleared : undefined;
}

export interface Delivery {
  /** Whether the service accepted the request; a different value in the response is then equivalent. */
  readonly accepted: boolean;
  /** The arguments that were sent; a response does not prove anything about others. Default: all. */
  readonly sent?: ReadonlySet<string>;
  readonly former?: Managed;
}

export function managedAfter(
  definition: DefinitionIn,
  args: JsonObject,
  outputs: JsonObject,
  { accepted, sent, former = {} }: Delivery = { accepted: true },
): Managed {
  return mapped(definition.arguments, (argument, name) => {
    if (!Object.hasOwn(args, name)) {
      return undefined;
    }
    const [desired, how = true] = [args[name] ?? null, former[name]];
    const isSame = desired === null ? clearedTo(how) !== undefined : sameJson(spellingOf(how), desired);
    const stays = sent?.has(name) === false && isSame;
    return stays ? how : managedAs(argument, desired, outputs[name] ?? null, accepted);
  });
}

function managedAs(argument: ArgumentDefinition, desired: JsonValue, current: JsonValue, accepted: boolean) {
  if (argument.local === "creation") {
    return { as: desired };
  }
  if (argument.local === "state" || (!accepted && !equivalent(argument, current, desired))) {
    return true;
  }
  if (desired === null) {
    return { cleared: argument.secret === true ? null : current };
  }
  return argument.secret === true || sameJson(desired, current) ? true : { as: desired };
}

/** An imported object's entry does not record managed arguments: they follow from its arguments in state (`former`). */
export function managedLike(
  definition: DefinitionIn,
  entry: Entry,
  former: JsonObject,
  args: JsonObject = former,
): Entry {
  if (entry.managed !== undefined) {
    return entry;
  }
  const picked = (values: JsonObject, valueOf: (name: string) => JsonValue | undefined): JsonObject =>
    mapped(definition.arguments, (_argument, name) =>
      Object.hasOwn(values, name) ? (valueOf(name) ?? null) : undefined,
    );
  // What the service does not return is assumed to equal the program.
  const known = picked({ ...args, ...former }, (name) => former[name] ?? args[name]);
  const outputs = { ...known, ...entry.outputs };
  const given = picked(args, (name) => former[name] ?? outputs[name]);
  const managed = managedAfter(definition, given, outputs, { accepted: false });
  return { ...entry, outputs, managed };
}

/** What a refresh writes to state for the arguments. An unchanged value keeps the program's form. A drifted value is as the service returned it, so that the next plan shows it. */
export function projectArguments(
  definition: DefinitionIn,
  managed: Managed,
  before: JsonObject,
  after: JsonObject,
) {
  const args: Record<string, JsonValue> = {};
  const next: Record<string, ManagedArgument> = {};
  for (const [name, how] of Object.entries(managed)) {
    const argument = definition.arguments[name];
    if (argument !== undefined) {
      [args[name], next[name]] = projectArgument(argument, how, before[name] ?? null, after[name] ?? null);
    }
  }
  return { args, managed: next };
}

function projectArgument(
  argument: ArgumentDefinition,
  how: ManagedArgument,
  before: JsonValue,
  after: JsonValue,
): [JsonValue, ManagedArgument] {
  const [cleared, spelling = before] = [clearedTo(how), spellingOf(how)];
  if (cleared !== undefined) {
    const unmoved = argument.secret === true || equivalent(argument, after, cleared);
    return [unmoved ? null : after, how];
  }
  if (argument.local === "creation" && how !== true) {
    return [spelling, how];
  }
  if (!equivalent(argument, before, after)) {
    return [after, true];
  }
  return [spelling, argument.secret === true || sameJson(spelling, after) ? true : { as: spelling }];
}

export function argumentsIn(definition: DefinitionIn, values: JsonObject) {
  return Object.entries(definition.arguments).filter(([name]) => Object.hasOwn(values, name));
}
