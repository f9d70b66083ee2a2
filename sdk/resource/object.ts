import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { ServiceConnection } from "../connection/connect";
import { cancellationSignal } from "../engine/cancellation";
import { logToEngine } from "../engine/progress";
import {
  advisedOtherwise,
  CancelledError,
  ConfigurationError,
  ConnectionError,
  ContractError,
  InputError,
  mayHaveBeenProcessed,
  ServiceError,
  TimeoutError,
  TriviumError,
} from "../base/errors";
import { processRedactor } from "../base/redactor";
import { desiredArguments, isHidden } from "./check";
import type { Caller } from "../base/caller";
import type { Dialect } from "../base/settings";
import type { AnyResourceDefinition, RemoteObject, RemoteState, Step } from "./definition";
import { difference } from "./diff";
import { PartialSuccessError, messageOf } from "./failure";
import type { JsonObject, JsonValue } from "../base/json";
import { isObject } from "../base/json";
import {
  type Delivery,
  equivalent,
  hiddenInputsOf,
  hiddenKeys,
  importedKey,
  managedOf,
  noteManaged,
  projectInputs,
} from "./metadata";
import { composeOutputs, missingFields, missingOutputs, withMetadata, wrapSecrets } from "./outputs";
import type { Ownership } from "./ownership";
import { rememberSecrets } from "./remember-secrets";
import { isSendable, movedArguments, remoteChanges } from "./remote-changes";
import type { RunOptions } from "./run-options";

/** What the four operations on a remote object need. */
export interface ObjectContext {
  readonly definition: AnyResourceDefinition;
  readonly connection: ServiceConnection;
  readonly dialect: Dialect;
  /** The resource's URN where it is known, for progress. */
  readonly urn: string | undefined;
  /** What the resources of this operation have made their own. */
  readonly ownership: Ownership;
  /** What only this run knows of the resource. */
  readonly run: RunOptions;
  /** Reads the stack configuration, in the project's own namespace where the key has none. */
  readonly configured: (key: string) => string | undefined;
}

/** How long to look, in milliseconds, for what a cancelled creation has left. The CLI ends within five seconds. */
const lastLook = 1500;

/** Creates the object, or takes over the existing one if the program asks for that. */
export async function createObject(
  context: ObjectContext,
  inputs: JsonObject,
): Promise<{ id: string; outputs: JsonObject }> {
  const { definition, dialect } = context;
  const given = withoutHidden(inputs);
  const desired = desiredArguments(definition, z, dialect, given);
  const adopts = given.adopt === true;
  const entry =
    adopts || definition.inPlace === true
      ? { ...inputs, [hiddenKeys.generation]: randomBytes(4).toString("hex") }
      : inputs;
  const step = stepOf(context, entry);
  const made = await inTurn(definition, step, desired, async () => {
    const existing = await definition.find?.(step, desired, false);
    if (existing === undefined) {
      return createOnce(context, step, desired);
    }
    const { id, remark } = existing;
    context.ownership.assertFree(id, context.urn ?? "");
    if (!adopts) {
      context.ownership.refuse(id, entry);
      throw new TriviumError(
        `${definition.type} already exists (id ${id})${remark === undefined ? "" : `, ${remark}`}; ` +
          "set adopt to take it over. Nothing was changed.",
      );
    }
    context.ownership.take(id, entry);
    return adopt(definition, step, existing, desired);
  });
  context.ownership.take(made.id, entry);
  const memory = made.memory ?? step.memory;
  // What was asked for may never have arrived: only what the service answers as wanted is known to be there.
  const record: ObjectRecord = { entry, before: {}, memory, delivery: { taken: made.failure === undefined } };
  const state = await complete(context, { ...step, memory }, made, record);
  return { id: made.id, outputs: outputsFrom(context, record, state) };
}

/** Reads the object anew: fresh outputs, and inputs which show what moved. `undefined` when it is gone. */
export async function readObject(
  context: ObjectContext,
  id: string,
  properties: JsonObject,
): Promise<{ outputs: JsonObject; inputs?: JsonObject } | undefined> {
  const { definition, connection } = context;
  const before = withoutHidden(properties);
  connection.assertMadeHere(properties[hiddenKeys.at]);
  const step = stepOf(context, properties);
  const state = await definition.read(step, id, before);
  if (state === undefined) {
    return undefined;
  }
  const outputs = composeOutputs(definition, state, importedSecrets(context, properties), before);
  const managed = managedOf(properties);
  if (managed === undefined) {
    return { outputs: wrapSecrets(definition, outputs) };
  }
  const projection = projectInputs(definition, managed, before, outputs);
  const metadata = {
    managed: projection.managed,
    at: connection.identity,
    memory: step.memory,
    generation: generationOf(properties),
    given: properties,
  };
  return {
    outputs: wrapSecrets(definition, withMetadata(outputs, metadata)),
    inputs: wrapSecrets(definition, { ...projection.inputs, ...hiddenInputsOf(properties) }),
  };
}

/** What an import left to the stack configuration: the service has these values and never tells them. */
function importedSecrets({ definition, configured }: ObjectContext, properties: JsonObject): JsonObject {
  const found = Object.entries(managedOf(properties) ?? {}).flatMap(([name, marker]) => {
    const key = definition.arguments[name]?.writeOnly === true ? importedKey(marker) : undefined;
    const value = key === undefined ? undefined : configured(key);
    return value === undefined ? [] : [[name, value] as const];
  });
  processRedactor.register(...found.map(([, value]) => value));
  return Object.fromEntries(found);
}

/** Sends what the service does not have yet; a change that only concerns the library makes no request. */
export async function updateObject(
  context: ObjectContext,
  id: string,
  olds: JsonObject,
  news: JsonObject,
): Promise<JsonObject> {
  const { definition, connection, dialect } = context;
  const before = withoutHidden(olds);
  const given = withoutHidden(news);
  connection.assertMadeHere(olds[hiddenKeys.at]);
  const generation = generationOf(olds);
  const entry = { ...news, ...(generation === undefined ? {} : { [hiddenKeys.generation]: generation }) };
  const changed = remoteChanges(definition, olds, news);
  const step = stepOf(context, olds, news);
  const recorded = { entry, before, memory: step.memory };
  const taken = { ...recorded, delivery: { taken: true } };
  if (changed.size === 0) {
    // The engine asks for an update without any change to continue what could not be completed.
    const unchanged = difference(definition, olds, news);
    const continues = unchanged.changed.size === 0 && !unchanged.marksDiffer;
    const complies = !continues && missingOutputs(definition, before).length === 0;
    const state = complies ? before : await complete(context, step, { id, state: {} }, taken);
    return outputsFrom(context, taken, state);
  }
  const desired = desiredArguments(definition, z, dialect, given);
  /** Sends arguments, and reads what the answer does not say. */
  const send = async (names: ReadonlySet<string>, record: ObjectRecord): Promise<RemoteState> => {
    const whole =
      definition.updatesWholeObject === true ? await currentArguments(definition, step, id, before) : {};
    const wanted = { ...whole, ...desired };
    const state = await unlessGone(context, step, id, before, () =>
      inTurn(definition, step, wanted, () => definition.update(step, id, wanted, names, before)),
    );
    return complete(context, step, { id, state }, record);
  };
  const having = (sent: ReadonlySet<string>): ObjectRecord => ({
    ...recorded,
    delivery: {
      taken: true,
      unsent: new Set(Object.keys(given).filter((name) => !sent.has(name))),
      former: managedOf(olds) ?? {},
    },
  });
  const state = await send(changed, having(changed));
  const moved = movedArguments(definition, news, before, composeOutputs(definition, state, given, before));
  const unsent = moved.filter((name) => !changed.has(name));
  const drifted = unsent.filter(
    (name) => isSendable(definition, name) && !context.run.ignored.includes(name),
  );
  // What the program leaves to others stays in state as it was, so that a refresh shows it.
  const left = pick(
    before,
    unsent.filter((name) => !drifted.includes(name)),
  );
  if (drifted.length === 0) {
    return outputsFrom(context, having(changed), { ...state, ...left });
  }
  const are = drifted.length === 1 ? "is" : "are";
  step.announce(
    "information",
    `${definition.type} ${id}: ${drifted.join(", ")} had been changed in the service and ${are} put back.`,
  );
  const sent = new Set([...changed, ...drifted]);
  const repaired = await send(sent, having(sent)).catch((error: unknown) => {
    throw error instanceof PartialSuccessError
      ? error
      : partialSuccess(context, { ...recorded, delivery: { taken: false } }, { id, state }, messageOf(error));
  });
  return outputsFrom(context, having(sent), { ...state, ...repaired, ...left });
}

/**
 * Deletes the object; that it is gone already counts as done.
 *
 * What another resource of the operation has made its own stays: the engine creates before it deletes, so that a
 * resource which was renamed, or is replaced by hand, would delete what is its own again.
 */
export async function deleteObject(
  context: ObjectContext,
  id: string,
  properties: JsonObject,
): Promise<void> {
  const { definition, connection, ownership } = context;
  connection.assertMadeHere(properties[hiddenKeys.at]);
  const step = stepOf(context, properties);
  const heir = ownership.heirOf(id, properties);
  if (heir !== undefined) {
    step.announce("information", `${definition.type} ${id} was kept: the resource ${heir} manages it.`);
    return;
  }
  const refused = ownership.refusedTo(id, properties);
  if (refused !== undefined) {
    throw new TriviumError(
      `${definition.type} ${id} was not deleted: the resource ${refused} of this program was not created because of it.`,
      {
        hint: "If that one is to manage it, set adopt there, or name the former resource in its option aliases.",
      },
    );
  }
  await definition.delete(step, id, withoutHidden(properties));
}

function generationOf(outputs: JsonObject): string | undefined {
  const generation = outputs[hiddenKeys.generation];
  return typeof generation === "string" ? generation : undefined;
}

/**
 * @param entry the entry of the state that the step is for, or the inputs that it is made from
 * @param inputs what the program says now. Default: nothing, as while it is read or deleted
 */
function stepOf(
  context: ObjectContext,
  entry: JsonObject,
  inputs: JsonObject = {},
  signal = cancellationSignal(),
): Step<never> {
  const { connection, urn, ownership, run } = context;
  const caller: Caller = {
    signal,
    progress: (message) => logToEngine("progress", urn, message),
    announce: (kind, message) => logToEngine(kind, urn, message),
  };
  const memory = entry[hiddenKeys.memory];
  const present = { ...entry, ...hiddenInputsOf(inputs) };
  return {
    ...caller,
    client: connection.clientFor(caller) as never,
    managed: new Set(Object.keys(managedOf(entry) ?? {})),
    memory: isObject(memory) ? memory : {},
    others: {
      inherited: run.inherited.find(({ at }) => connection.wasMadeHere(at)),
      isElsewhere: (part) => ownership.isElsewhere(part, present),
      move: (part) => ownership.move(part, present),
      refuse: (id) => ownership.refuse(id, present),
    },
  };
}

function inTurn<Result>(
  definition: AnyResourceDefinition,
  step: Step<never>,
  desired: Record<string, unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  return definition.inTurn === undefined ? work() : definition.inTurn(step, desired, work);
}

function pick(values: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}

function withoutHidden(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !isHidden(key)));
}

/** When the answer to a creation is lost, the object that now exists and did not before is ours. */
async function createOnce(
  context: ObjectContext,
  step: Step<never>,
  desired: Record<string, unknown>,
): Promise<RemoteObject> {
  const { definition } = context;
  try {
    return await definition.create(step, desired);
  } catch (error) {
    if (definition.find === undefined || !mayHaveBeenProcessed(error)) {
      throw error;
    }
    // After Ctrl-C there is still time to find out what became of it.
    const searching = step.signal.aborted ? stepOf(context, {}, {}, AbortSignal.timeout(lastLook)) : step;
    const found = await definition.find(searching, desired as never, true).catch((lookup: unknown) => {
      throw new Error(
        `${messageOf(error)} It may have been created all the same, but was not found: ${messageOf(lookup)} ` +
          "Run `pulumi up` again with `adopt: true`: that takes the object over if it exists by then.",
        { cause: error },
      );
    });
    if (found === undefined) {
      throw error;
    }
    return found;
  }
}

async function adopt(
  definition: AnyResourceDefinition,
  step: Step<never>,
  existing: RemoteObject,
  desired: Record<string, unknown>,
): Promise<RemoteObject> {
  const changed = Object.entries(definition.arguments)
    .filter(([name, argument]) => {
      const wanted = desired[name];
      const remote = argument.role === undefined || argument.role === "remote";
      const there = existing.state[name];
      return (
        remote &&
        wanted !== undefined &&
        (there === undefined || !equivalent(argument, there as JsonValue, wanted as JsonValue))
      );
    })
    .map(([name]) => name);
  if (changed.length === 0) {
    return existing;
  }
  const whole = definition.updatesWholeObject === true ? argumentsIn(definition, existing.state) : {};
  const wanted = { ...whole, ...desired };
  const state = await definition.update(step, existing.id, wanted, new Set(changed), existing.state);
  // What was found is no longer true: what the answer does not say is read.
  return { ...existing, state };
}

/** What goes into state beside what the service has answered. */
interface ObjectRecord {
  /** The inputs, and what identifies the entry of the state, the hidden ones included. */
  readonly entry: JsonObject;
  /** The outputs in state; empty when the object was just made. */
  readonly before: JsonObject;
  readonly memory: JsonObject;
  readonly delivery: Delivery;
}

/** Reads what the answer did not say. From here on the object exists, so a failure must not lose it. */
async function complete(
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
      `${definition.type} ${made.id} was written, but is gone when read back: somebody else has deleted it. ` +
      createAgain;
    // State must not say of an object that is gone that it has been updated. One just made may only be late to show.
    throw Object.keys(record.before).length === 0 ? partial(gone) : new Error(gone);
  }
  return { ...made.state, ...state };
}

function partialSuccess(
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

function valuesFrom({ definition }: ObjectContext, { entry, before }: ObjectRecord, state: RemoteState) {
  return composeOutputs(definition, state, withoutHidden(entry), before);
}

/** What state is to hold of an object. */
function outputsFrom(context: ObjectContext, record: ObjectRecord, state: RemoteState): JsonObject {
  const { definition, connection } = context;
  const { entry, memory, delivery } = record;
  const outputs = valuesFrom(context, record, state);
  const managed = noteManaged(definition, entry, outputs, delivery);
  const at = connection.identity;
  const metadata = { managed, at, memory, generation: generationOf(entry), given: entry };
  return wrapSecrets(definition, withMetadata(outputs, metadata));
}

const createAgain = "Run `pulumi refresh`: the next `pulumi up` then creates it again.";

/** Services refuse to update what somebody has deleted in many ways: a read proves that it is that. */
async function unlessGone<Result>(
  { definition }: ObjectContext,
  step: Step<never>,
  id: string,
  before: JsonObject,
  update: () => Promise<Result>,
): Promise<Result> {
  try {
    return await update();
  } catch (error) {
    if (!isRefusal(error) || error.hint?.includes("pulumi refresh") === true) {
      throw error;
    }
    const isGone = await definition.read(step, id, before).then(
      (state) => state === undefined,
      () => false,
    );
    throw isGone
      ? advisedOtherwise(error, `${definition.type} ${id} no longer exists. ${createAgain}`)
      : error;
  }
}

/** Whether the service has refused to do it, whatever a definition has made of the refusal. */
function isRefusal(error: unknown): error is TriviumError {
  return (
    TriviumError.isInstance(error) &&
    ![ConnectionError, TimeoutError, CancelledError, ConfigurationError, ContractError, InputError].some(
      (other) => other.isInstance(error),
    ) &&
    !(ServiceError.isInstance(error) && [401, 403, 429, 502, 503, 504].includes(error.status))
  );
}

async function currentArguments(
  definition: AnyResourceDefinition,
  step: Step<never>,
  id: string,
  before: JsonObject,
): Promise<Record<string, unknown>> {
  const state = await definition.read(step, id, before);
  if (state === undefined) {
    throw new Error(`${definition.type} ${id} no longer exists, so it cannot be updated. ${createAgain}`);
  }
  return argumentsIn(definition, composeOutputs(definition, state, {}, before));
}

/** The fields that a request for the whole object names. */
function argumentsIn(definition: AnyResourceDefinition, values: RemoteState): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(definition.arguments)
      .filter(([name, argument]) => argument.role === undefined && values[name] !== undefined)
      .map(([name]) => [name, values[name]]),
  );
}
