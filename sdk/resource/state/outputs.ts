import { type AnyResourceDefinition, type RemoteState, withArguments } from "../definition";
import { type JsonObject, type JsonValue, toJson, isObject, sameJson, textsIn } from "../../base/json";
import { generationOf, hiddenInputsOf, hiddenKeys, managesAll, wrapSecret, textsWithin } from "./protocol";
import { processRedactor } from "../../base/redactor";
import { equivalent, type ArgumentDefinition } from "../fields/field";

export function missingOutputs(definition: AnyResourceDefinition, values: RemoteState): readonly string[] {
  return Object.entries(definition.outputs)
    .filter(([name, output]) => output.mayBeMissing !== true && values[name] === undefined)
    .map(([name]) => name);
}

export function missingFields(definition: AnyResourceDefinition, values: RemoteState): readonly string[] {
  return Object.entries(definition.arguments)
    .filter(
      ([name, argument]) =>
        (argument.role ?? "remote") === "remote" && argument.writeOnly !== true && values[name] === undefined,
    )
    .map(([name]) => name);
}

/** Missing fields keep their former values (`before`). `applied` has the values that the service never returns. */
export function composeOutputs(
  definition: AnyResourceDefinition,
  state: RemoteState,
  applied: JsonObject,
  before: JsonObject,
): Record<string, JsonValue> {
  const outputs: Record<string, JsonValue> = {};
  const set = (name: string, ...sources: JsonObject[]): void => {
    const source = sources.find((values) => Object.hasOwn(values, name));
    if (source?.[name] !== undefined) {
      outputs[name] = source[name];
    }
  };
  const current = currentFields(state);
  for (const [name, argument] of Object.entries(definition.arguments)) {
    if (argument.role === "behaviour" || argument.writeOnly === true) {
      set(name, applied, before);
    } else if (argument.role !== "creation") {
      set(name, current, applied, before);
    }
  }
  for (const name of Object.keys(definition.outputs)) {
    set(name, current, before);
  }
  return outputs;
}

function currentFields(state: RemoteState): JsonObject {
  const known = Object.entries(state).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known.map(([name, value]) => [name, toJson(value) ?? null]));
}

export function withMetadata(
  definition: AnyResourceDefinition,
  outputs: JsonObject,
  metadata: {
    readonly managed: Managed;
    readonly at: string;
    readonly memory: JsonObject;
    /** Inputs, or outputs in state: both contain the hidden inputs. */
    readonly entry: JsonObject;
  },
): JsonObject {
  const { at, memory, entry } = metadata;
  const generation = generationOf(entry);
  const managed = storedManaged(definition, metadata.managed, outputs);
  return {
    ...outputs,
    ...hiddenInputsOf(entry),
    ...(managed === managesAll
      ? { [hiddenKeys.at]: managesAll + at }
      : { [hiddenKeys.managed]: managed, [hiddenKeys.at]: at }),
    ...(Object.keys(memory).length === 0 ? {} : { [hiddenKeys.memory]: memory }),
    ...(generation === undefined ? {} : { [hiddenKeys.generation]: generation }),
  };
}

/** The provider receives all values in clear text and would otherwise return the program's secrets unmarked. */
export function withMarkedSecrets(
  definition: AnyResourceDefinition,
  values: JsonObject,
): AnyResourceDefinition {
  const marked = textsIn(values[hiddenKeys.secrets]).filter((name) => name in definition.arguments);
  return withArguments(
    definition,
    marked.map((name) => [name, { ...definition.arguments[name], secret: true }]),
  );
}

export function wrapSecrets(
  definition: AnyResourceDefinition,
  values: JsonObject,
): Record<string, JsonValue> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const secret = definition.arguments[name]?.secret ?? definition.outputs[name]?.secret ?? false;
      return [name, secret && value !== null ? wrapSecret(value) : value];
    }),
  );
}

export function secretNames(definition: AnyResourceDefinition): string[] {
  return [...Object.entries(definition.arguments), ...Object.entries(definition.outputs)]
    .filter(([, field]) => field.secret === true)
    .map(([name]) => name);
}

/** For redaction. */
export function rememberSecrets(definition: AnyResourceDefinition, values: RemoteState): void {
  for (const name of secretNames(definition)) {
    // The parts of a structure, such as the response of a receiver, are common words too.
    if (name in definition.arguments || typeof values[name] === "string") {
      processRedactor.register(...textsWithin(values[name]));
    }
  }
}

/**
 * How one argument is managed:
 * - `1`: the service returns it in the user's spelling; a different value means that it is not applied yet;
 * - `as`: given in this spelling, which is not the service's;
 * - `cleared`: reset to the service's default, which then read as this value.
 */
export type ManagedArgument = 1 | { readonly as: JsonValue } | { readonly cleared: JsonValue };

export type Managed = Readonly<Record<string, ManagedArgument>>;

type Arguments = Pick<AnyResourceDefinition, "arguments">;

/**
 * Reads the managed arguments from state; `undefined` for a resource that was only read. State is written after each
 * step, so the shortest format is used:
 * - only {@link managesAll}, as a prefix of `__at`;
 * - the names of those that are `1`, with commas, or `*`: `"issuer,digits"`;
 * - these names and the others: `["issuer", { "period": { "as": "1m" } }]`;
 * - up to 0.1.0: `Managed` itself. `{ "imported": ... }` is a secret that is managed once it is written.
 */
export function managedOf(definition: Arguments, outputs: JsonObject): Managed | undefined {
  const { [hiddenKeys.at]: at } = outputs;
  const isAllManaged = typeof at === "string" && at.startsWith(managesAll);
  const stored = outputs[hiddenKeys.managed] ?? (isAllManaged ? managesAll : undefined);
  const parts: readonly unknown[] = Array.isArray(stored) ? stored : [stored];
  const [names, others] = parts;
  if (typeof names !== "string") {
    return isObject(stored) ? withoutImported(stored) : undefined;
  }
  const plain = names === managesAll ? argumentsAmong(definition, outputs) : names.split(",");
  const named = plain.filter((name) => name !== "").map((name) => [name, 1] as const);
  return { ...Object.fromEntries(named), ...(isObject(others) ? withoutImported(others) : {}) };
}

function withoutImported(stored: object): Managed {
  const entries = Object.entries(stored).filter(([, how]) => !(isObject(how) && "imported" in how));
  return Object.fromEntries(entries);
}

/** The inverse of {@link managedOf}. */
export function storedManaged(definition: Arguments, managed: Managed, outputs: JsonObject): JsonValue {
  const entries = Object.entries(managed);
  const plain = entries.filter(([, how]) => how === 1).map(([name]) => name);
  const others = Object.fromEntries(entries.filter(([, how]) => how !== 1)) as JsonObject;
  const among = argumentsAmong(definition, outputs);
  const isAll = plain.every((name) => among.includes(name)) && among.every((name) => name in managed);
  const names = isAll && among.length > 1 ? managesAll : plain.join(",");
  return Object.keys(others).length === 0 ? names : [names, others];
}

function argumentsAmong(definition: Arguments, outputs: JsonObject): readonly string[] {
  return Object.keys(definition.arguments).filter((name) => (outputs[name] ?? null) !== null);
}

export interface Delivery {
  /** Whether the service accepted the request: then a different value in the response is only another spelling. */
  readonly accepted: boolean;
  /** The arguments that were sent; a response proves nothing about others. Default: all. */
  readonly sent?: ReadonlySet<string>;
  readonly former?: Managed;
}

export function managedAfter(
  definition: AnyResourceDefinition,
  inputs: JsonObject,
  outputs: JsonObject,
  { accepted: taken, sent, former = {} }: Delivery = { accepted: true },
): Managed {
  const managed = Object.entries(definition.arguments).filter(([name]) => Object.hasOwn(inputs, name));
  return Object.fromEntries(
    managed.map(([name, argument]) => {
      const desired = inputs[name] ?? null;
      const how = former[name];
      const stays = sent?.has(name) === false && how !== undefined && isSameSpelling(how, desired);
      return [name, stays ? how : managedAs(argument, desired, outputs[name] ?? null, taken)];
    }),
  );
}

function isSameSpelling(how: ManagedArgument, desired: JsonValue): boolean {
  return how !== 1 && (("as" in how && sameJson(how.as, desired)) || ("cleared" in how && desired === null));
}

function managedAs(
  argument: ArgumentDefinition,
  desired: JsonValue,
  current: JsonValue,
  accepted: boolean,
): ManagedArgument {
  if (argument.role === "creation") {
    return { as: desired };
  }
  if (argument.role === "behaviour" || (!accepted && !equivalent(argument, current, desired))) {
    return 1;
  }
  if (desired === null) {
    return { cleared: argument.secret === true ? null : current };
  }
  return argument.secret === true || sameJson(desired, current) ? 1 : { as: desired };
}

/** What a refresh writes to state for the arguments. Keeps the user's spelling of an unchanged value. A drifted value is as returned, so that the next plan shows it. */
export function projectInputs(
  definition: AnyResourceDefinition,
  managed: Managed,
  before: JsonObject,
  after: JsonObject,
) {
  const inputs: Record<string, JsonValue> = {};
  const next: Record<string, ManagedArgument> = {};
  for (const [name, how] of Object.entries(managed)) {
    const argument = definition.arguments[name];
    if (argument !== undefined) {
      [inputs[name], next[name]] = projectArgument(argument, how, before[name] ?? null, after[name] ?? null);
    }
  }
  return { inputs, managed: next };
}

function projectArgument(
  argument: ArgumentDefinition,
  how: ManagedArgument,
  before: JsonValue,
  after: JsonValue,
): [JsonValue, ManagedArgument] {
  if (how !== 1 && "cleared" in how) {
    const unmoved = argument.secret === true || equivalent(argument, after, how.cleared);
    return [unmoved ? null : after, how];
  }
  if (argument.role === "creation" && how !== 1 && "as" in how) {
    return [how.as, how];
  }
  if (!equivalent(argument, before, after)) {
    return [after, 1];
  }
  const spelling = how !== 1 && "as" in how ? how.as : before;
  return [spelling, argument.secret === true || sameJson(spelling, after) ? 1 : { as: spelling }];
}
