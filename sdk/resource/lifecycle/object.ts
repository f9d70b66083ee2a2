import type { Caller } from "../../base/caller";
import { isObject, type JsonObject } from "../../base/json";
import type { Dialect } from "../../base/settings";
import type { ServiceConnection } from "../../connection/connect";
import { logToEngine } from "../../engine/progress";
import type { AnyResourceDefinition, RemoteObject, RemoteState, Step } from "../definition";
import { messageOf } from "../../base/errors";
import { validation } from "../../base/validation";
import { sentArguments } from "./check";
import { PartialSuccessError } from "./failure";
import { generationOf, hiddenKeys, withoutHidden } from "../state/hidden";
import { type Delivery, managedAfter, managedOf } from "../state/managed";
import {
  composeOutputs,
  missingFields,
  missingOutputs,
  withMetadata,
  wrapSecrets,
  rememberSecrets,
} from "../state/outputs";
import type { Ownership } from "./ownership";
import type { RunOptions } from "../program/run-options";

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

/** What is written to state besides the response. */
export interface ObjectRecord {
  /** The inputs and the identity of the entry in state, hidden keys included. */
  readonly entry: JsonObject;
  /** The outputs in state; empty after a creation. */
  readonly before: JsonObject;
  readonly memory: JsonObject;
  readonly delivery: Delivery;
}

/** `entry` is an entry in state, or the inputs of a creation. Reads and deletions have no `inputs`. */
export function stepOf(
  context: ObjectContext,
  entry: JsonObject,
  inputs: JsonObject = {},
  signal = context.signal,
): Step<never> {
  const { connection, urn, ownership, run } = context;
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
    memory: isObject(memory) ? memory : {},
    others: {
      inherited: run.inherited.find(({ at }) => connection.isSameService(at)),
      isElsewhere: (part) => ownership.isElsewhere(part, present),
      move: (part) => ownership.move(part, present),
      refuse: (id) => ownership.refuse(id, present),
    },
  };
}

export function inTurn<Result>(
  definition: AnyResourceDefinition,
  step: Step<never>,
  desired: Record<string, unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  return definition.inTurn === undefined ? work() : definition.inTurn(step, desired, work);
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
    state = await definition.read(step, made.id, valuesFrom(context, record, made.state));
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
  return new PartialSuccessError(
    id,
    { ...outputsFrom(context, record, state), __provider: provider },
    reason,
  );
}

export function valuesFrom(
  { definition, dialect }: ObjectContext,
  { entry, before }: ObjectRecord,
  state: RemoteState,
) {
  const inputs = withoutHidden(entry);
  const unreadable = missingFields(definition, state).filter((name) => (inputs[name] ?? null) !== null);
  const sent = sentArguments(definition, validation(), dialect, inputs, unreadable);
  return composeOutputs(definition, state, { ...inputs, ...sent }, before);
}

export function outputsFrom(context: ObjectContext, record: ObjectRecord, state: RemoteState): JsonObject {
  return recorded(context, record, valuesFrom(context, record, state));
}

export function recorded(context: ObjectContext, record: ObjectRecord, outputs: JsonObject): JsonObject {
  const { definition, connection } = context;
  const { entry, memory, delivery } = record;
  const managed = managedAfter(definition, entry, outputs, delivery);
  const at = connection.identity;
  const metadata = { managed, at, memory, generation: generationOf(entry), entry };
  return wrapSecrets(definition, withMetadata(definition, outputs, metadata));
}

export const createAgain = "Run `pulumi refresh`: the next `pulumi up` then creates it again.";

export function wholeObject(definition: AnyResourceDefinition, values: RemoteState): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(definition.arguments)
      .filter(([name, argument]) => argument.role === undefined && values[name] !== undefined)
      .map(([name]) => [name, values[name]]),
  );
}
