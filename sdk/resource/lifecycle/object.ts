import type { Caller } from "../../base/caller";
import { isObject, type JsonObject, type JsonValue } from "../../base/json";
import type { Dialect } from "../../base/settings";
import { assertSameService, isSameService, type ServiceConnection } from "../../connection/connect";
import { PartialSuccessError, logToEngine } from "../../engine/calls";
import type { AnyResourceDefinition, RemoteObject, RemoteState, Step } from "../definition";
import { messageOf, TriviumError } from "../../base/errors";
import { sentValue } from "./check";
import { hiddenKeys, withoutHidden, type RunOptions, hiddenInputsOf } from "../state/protocol";
import {
  type Delivery,
  managedAfter,
  managedOf,
  composeOutputs,
  missingFields,
  missingOutputs,
  withMetadata,
  wrapSecrets,
  rememberSecrets,
  projectInputs,
} from "../state/outputs";
import type { Ownership } from "./ownership";
import { type ArgumentDefinition, equivalent, inDialect, validation } from "../fields/field";
import { nothingIsNull } from "../fields/kinds";
import { argumentsIn } from "./comparison";

export interface ObjectContext {
  readonly definition: AnyResourceDefinition;
  readonly connection: ServiceConnection;
  readonly dialect: Dialect;
  readonly urn: string | undefined;
  readonly ownership: Ownership;
  readonly run: RunOptions;
  /** Aborted when the user cancels, or at the operation's time limit. */
  readonly signal: AbortSignal;
}

export interface FoundResource {
  readonly id: string;
  readonly props: JsonObject;
  readonly inputs?: JsonObject;
}

/** What is written to state besides the response. */
export interface ObjectRecord {
  /** The inputs and the identity of the entry in state, hidden keys included. */
  readonly entry: JsonObject;
  /** The outputs in state; empty after a creation. */
  readonly before: JsonObject;
  readonly privateState: JsonObject;
  readonly delivery: Delivery;
}

/** `entry` is an entry in state, or the inputs of a creation. Reads and deletions have no `inputs`. */
export function stepOf(context: ObjectContext, entry: JsonObject, inputs: JsonObject = {}): Step<never> {
  const { connection, urn, ownership, run, signal } = context;
  const caller: Caller = {
    signal,
    progress: (message) => logToEngine("progress", urn, message),
    announce: (kind, message) => logToEngine(kind, urn, message),
  };
  const memory = entry[hiddenKeys.memory];
  const { [hiddenKeys.urn]: ownUrn = entry[hiddenKeys.urn] ?? null } = inputs;
  const present = { ...entry, [hiddenKeys.urn]: ownUrn };
  return {
    ...caller,
    client: connection.clientFor(caller) as never,
    managed: new Set(Object.keys(managedOf(context.definition, entry) ?? {})),
    privateState: isObject(memory) ? memory : {},
    others: {
      inherited: run.inherited.find(({ at }) => isSameService(connection.settings, at)),
      isElsewhere: (part) => ownership.isElsewhere(part, present),
      move: (part) => ownership.move(part, present),
      refuse: (id) => ownership.refuse(id, present),
    },
  };
}

/** Reads what the response lacks. The object exists, so a failure must not lose it. */
export async function complete(
  context: ObjectContext,
  step: Step<never>,
  made: RemoteObject,
  record: ObjectRecord,
): Promise<RemoteState> {
  const { definition } = context;
  rememberSecrets(definition, made.state);
  const partial = (reason: string): PartialSuccessError => partialSuccess(context, record, made, reason);
  if (made.failure !== undefined) {
    throw partial(made.failure);
  }
  const missing = [...missingOutputs(definition, made.state), ...missingFields(definition, made.state)];
  if (missing.length === 0) {
    return made.state;
  }
  let state: RemoteState | undefined;
  try {
    state = await definition.read(step, made.id, outputsAfter(context, record, made.state));
  } catch (error) {
    throw partial(
      `${definition.type} ${made.id} was written, but reading it back failed: ${messageOf(error)}`,
    );
  }
  if (state === undefined) {
    const gone =
      `${definition.type} ${made.id} was written, but no longer exists: another client has deleted it. ` +
      createAgain;
    // Do not record an update of a deleted object. A new object may appear late, so it is kept.
    throw Object.keys(record.before).length === 0 ? partial(gone) : new Error(gone);
  }
  return { ...made.state, ...state };
}

export function partialSuccess(
  context: ObjectContext,
  record: ObjectRecord,
  { id, state }: RemoteObject,
  reason: string,
): PartialSuccessError {
  const { __provider: provider = null } = record.entry;
  const outputs = toState(context, record, outputsAfter(context, record, state));
  return new PartialSuccessError(id, { ...outputs, __provider: provider }, reason);
}

/** The outputs, without what only the library knows. */
export function outputsAfter(
  { definition, dialect }: ObjectContext,
  { entry, before }: Pick<ObjectRecord, "entry" | "before">,
  state: RemoteState,
): JsonObject {
  const inputs = withoutHidden(entry);
  const unreadable = missingFields(definition, state).filter((name) => (inputs[name] ?? null) !== null);
  const z = validation();
  const schema = definition.schema(z, dialect);
  const sent = unreadable.map((name) => [
    name,
    sentValue(schema, z, name, inputs[name]) ?? inputs[name] ?? null,
  ]);
  const applied = { ...inputs, ...(Object.fromEntries(sent) as JsonObject) };
  return composeOutputs(definition, state, applied, before);
}

/** As state stores them. */
export function toState(
  context: ObjectContext,
  { entry, privateState: memory, delivery }: ObjectRecord,
  outputs: JsonObject,
): JsonObject {
  const managed = managedAfter(context.definition, entry, outputs, delivery);
  return stored(context, outputs, { managed, memory, entry });
}

function stored(
  { definition, connection }: ObjectContext,
  outputs: JsonObject,
  metadata: Omit<Parameters<typeof withMetadata>[2], "at">,
): JsonObject {
  const all = { ...metadata, at: connection.identity };
  return wrapSecrets(definition, withMetadata(definition, outputs, all));
}

export const createAgain = "Run `pulumi refresh`: the next `pulumi up` then creates it again.";

export function wholeObject(definition: AnyResourceDefinition, values: RemoteState): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(definition.arguments)
      .filter(([name, argument]) => argument.role === undefined && values[name] !== undefined)
      .map(([name]) => [name, values[name]]),
  );
}

/** The inputs show drift. `undefined` if the object no longer exists. */
export async function readObject(
  context: ObjectContext,
  id: string,
  properties: JsonObject,
): Promise<FoundResource | undefined> {
  const { definition, connection } = context;
  const before = withoutHidden(properties);
  assertSameService(connection.settings, properties[hiddenKeys.at]);
  const step = stepOf(context, properties);
  const state = await definition.read(step, id, before);
  if (state === undefined) {
    return undefined;
  }
  const outputs = composeOutputs(definition, state, {}, before);
  const managed = managedOf(definition, properties);
  if (managed === undefined) {
    return { id, props: wrapSecrets(definition, outputs) };
  }
  const projection = projectInputs(definition, managed, before, outputs);
  const { privateState: memory } = step;
  return {
    id,
    props: stored(context, outputs, { managed: projection.managed, memory, entry: properties }),
    inputs: wrapSecrets(definition, { ...projection.inputs, ...hiddenInputsOf(properties) }),
  };
}

/** Keeps an object that another resource manages now: the engine creates a renamed one before it deletes the former. */
export async function deleteObject(
  context: ObjectContext,
  id: string,
  properties: JsonObject,
): Promise<void> {
  const { definition, connection, ownership } = context;
  assertSameService(connection.settings, properties[hiddenKeys.at]);
  const step = stepOf(context, properties);
  const successor = ownership.successorOf(id, properties);
  if (successor !== undefined) {
    step.announce(
      "information",
      `${definition.type} ${id} was not deleted: the resource ${successor} manages it.`,
    );
    return;
  }
  const refused = ownership.refusedTo(id, properties);
  if (refused !== undefined) {
    throw new TriviumError(
      `${definition.type} ${id} was not deleted: the resource ${refused} of this program could not be created because it exists.`,
      {
        advice:
          "To manage it with that resource, set `adopt: true` there, or name this resource in its option `aliases`.",
      },
    );
  }
  await definition.delete(step, id, withoutHidden(properties));
}

/** Returns the inputs that a program must declare. `before` provides what the service does not return. */
export async function importObject(
  context: ObjectContext,
  id: string,
  before?: { readonly outputs: JsonObject; readonly inputs: JsonObject },
): Promise<FoundResource | undefined> {
  const { definition, connection, dialect } = context;
  const known = before?.outputs ?? {};
  assertSameService(connection.settings, known[hiddenKeys.at]);
  const step = stepOf(context, known);
  const state = await definition.read(step, id, withoutHidden(known));
  if (state === undefined) {
    return undefined;
  }
  rememberSecrets(definition, state);
  const remembered = known[hiddenKeys.memory];
  const memory = isObject(remembered) ? remembered : (definition.remember?.(step.client, state) ?? {});
  const outputs = composeOutputs(definition, state, {}, withoutHidden(known));
  const inputs = Object.entries(definition.arguments).flatMap(([name, argument]) => {
    const former = before?.inputs[name];
    const value = outputs[name] ?? null;
    if (before !== undefined) {
      const isUnchanged =
        former !== undefined && (!Object.hasOwn(outputs, name) || equivalent(argument, former, value));
      return former === undefined ? [] : [[name, isUnchanged ? former : value] as const];
    }
    return isUsual(argument, value, { dialect, others: outputs }) ? [] : [[name, value] as const];
  });
  return {
    id,
    props: wrapSecrets(definition, {
      ...outputs,
      [hiddenKeys.at]: connection.identity,
      ...(Object.keys(memory).length === 0 ? {} : { [hiddenKeys.memory]: memory }),
    }),
    inputs: wrapSecrets(definition, Object.fromEntries(inputs)),
  };
}

/** An imported object's state does not record managed arguments: they follow from its inputs in state (`former`). */
export function asManaged(
  definition: AnyResourceDefinition,
  outputs: JsonObject,
  former: JsonObject,
  inputs: JsonObject = former,
): JsonObject {
  if (managedOf(definition, outputs) !== undefined) {
    return outputs;
  }
  // What the service does not return is assumed to equal the program.
  const known = { ...pickArguments(definition, { ...inputs, ...former }), ...outputs };
  const named = argumentsIn(definition, inputs).map(([name]) => [name, former[name] ?? known[name] ?? null]);
  const given = Object.fromEntries(named) as JsonObject;
  return { ...known, [hiddenKeys.managed]: managedAfter(definition, given, known, { accepted: false }) };
}

function pickArguments(definition: AnyResourceDefinition, values: JsonObject): JsonObject {
  return Object.fromEntries(argumentsIn(definition, values).map(([name]) => [name, values[name] ?? null]));
}

/** Whether a program can omit it: empty, or the service's default. */
export function isUsual(
  argument: ArgumentDefinition,
  value: JsonValue,
  { dialect, others }: { readonly dialect: Dialect; readonly others: JsonObject },
): boolean {
  const usual = [
    inDialect(argument.default, dialect),
    argument.serviceDefault?.(others, dialect),
    argument.cleared,
  ];
  return (
    emptyAsNull(value) === null ||
    usual.some((other) => other !== undefined && equivalent(argument, value, other))
  );
}

const emptyAsNull = nothingIsNull();
