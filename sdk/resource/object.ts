import { z } from "zod";
import type { ServiceConnection } from "../connection/clients";
import { cancellationSignal } from "../engine/cancellation";
import { logToEngine } from "../engine/progress";
import { mayHaveBeenProcessed } from "../http/errors";
import { processRedactor } from "../http/redactor";
import { desiredArguments, isHidden } from "./check";
import type { AnyResourceDefinition, Caller, Dialect, RemoteObject, RemoteState, Step } from "./definition";
import { difference } from "./diff";
import { PartialSuccessError, messageOf } from "./failure";
import type { JsonObject, JsonValue } from "./json";
import { isObject } from "./json";
import {
  equivalent,
  hiddenInputsOf,
  hiddenKeys,
  importedKey,
  managedOf,
  noteManaged,
  projectInputs,
} from "./metadata";
import { composeOutputs, missingFields, missingOutputs, withMetadata, wrapSecrets } from "./outputs";
import { rememberSecrets } from "./remember-secrets";
import { remoteChanges } from "./remote-changes";

/** What the four operations on a remote object need. */
export interface ObjectContext {
  readonly definition: AnyResourceDefinition;
  readonly connection: ServiceConnection;
  readonly dialect: Dialect;
  /** The resource's URN where it is known, for progress. */
  readonly urn: string | undefined;
  /** The objects of this type that this process has taken over; a process lives for one operation of the CLI. */
  readonly takenOver: Set<string>;
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
  const step = stepOf(context, {});
  const made = await inTurn(definition, step, desired, async () => {
    const existing = await definition.find?.(step, desired, false);
    if (existing === undefined) {
      return createOnce(context, step, desired);
    }
    if (given.adopt === true) {
      context.takenOver.add(placeOf(context, existing.id));
      return adopt(definition, step, existing, desired);
    }
    const { id, remark } = existing;
    throw new Error(
      `${definition.type} already exists (id ${id})${remark === undefined ? "" : `, ${remark}`}; ` +
        "set adopt to take it over. Nothing was changed.",
    );
  });
  return { id: made.id, outputs: await complete(context, step, made, given, {}, inputs) };
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
  const changed = remoteChanges(definition, olds, news);
  const step = stepOf(context, olds);
  if (changed.size === 0) {
    // The engine asks for an update without any change to continue what could not be completed.
    const unchanged = difference(definition, olds, news);
    const continues = unchanged.changed.size === 0 && !unchanged.marksDiffer;
    return !continues && missingOutputs(definition, before).length === 0
      ? finish(context, composeOutputs(definition, before, given, before), news, { memory: step.memory })
      : complete(context, step, { id, state: {} }, given, before, news);
  }
  const desired = desiredArguments(definition, z, dialect, given);
  const whole =
    definition.updatesWholeObject === true ? await currentArguments(definition, step, id, before) : {};
  const wanted = { ...whole, ...desired };
  const state = await inTurn(definition, step, wanted, () =>
    definition.update(step, id, wanted, changed, before),
  );
  return complete(context, step, { id, state }, given, before, news);
}

/**
 * Deletes the object; that it is gone already counts as done.
 *
 * What another resource of the program has taken over in this operation stays: the engine makes first and deletes
 * then, so that a resource which got another name, or is replaced by hand, would delete what is its own again.
 */
export async function deleteObject(
  context: ObjectContext,
  id: string,
  properties: JsonObject,
): Promise<void> {
  const { definition, connection, takenOver } = context;
  connection.assertMadeHere(properties[hiddenKeys.at]);
  const step = stepOf(context, properties);
  if (takenOver.has(placeOf(context, id))) {
    step.announce("information", `${definition.type} ${id} is kept: it was taken over in this run (adopt).`);
    return;
  }
  await definition.delete(step, id, withoutHidden(properties));
}

function placeOf({ connection }: ObjectContext, id: string): string {
  return `${connection.identity} ${id}`;
}

function stepOf(context: ObjectContext, properties: JsonObject, signal = cancellationSignal()): Step<never> {
  const { connection, urn } = context;
  const caller: Caller = {
    signal,
    progress: (message) => logToEngine("progress", urn, message),
    announce: (kind, message) => logToEngine(kind, urn, message),
  };
  const memory = properties[hiddenKeys.memory];
  return {
    ...caller,
    client: connection.clientFor(caller) as never,
    managed: new Set(Object.keys(managedOf(properties) ?? {})),
    memory: isObject(memory) ? memory : {},
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
    const searching = step.signal.aborted ? stepOf(context, {}, AbortSignal.timeout(lastLook)) : step;
    const found = await definition.find(searching, desired as never, true).catch((lookup: unknown) => {
      throw new Error(
        `${messageOf(error)} It may have been created all the same, and looking for it failed: ${messageOf(lookup)} ` +
          "Run `pulumi up` again: if the object exists by then, the error names its id, and `adopt: true` takes it over.",
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

/** Reads what the answer did not say. From here on the object exists, so a failure must not lose it. */
async function complete(
  context: ObjectContext,
  step: Step<never>,
  made: RemoteObject,
  given: JsonObject,
  before: JsonObject,
  inputs: JsonObject,
): Promise<JsonObject> {
  const { definition } = context;
  rememberSecrets(definition, made.state);
  const outputsFrom = (state: RemoteState): JsonObject =>
    finish(context, composeOutputs(definition, state, given, before), inputs, {
      memory: made.memory ?? step.memory,
      // What was asked for may never have arrived: only what the service answers as wanted is known to be there.
      applied: made.failure === undefined,
    });
  const partial = (reason: string): PartialSuccessError =>
    new PartialSuccessError(
      made.id,
      { ...outputsFrom(made.state), __provider: inputs.__provider ?? null },
      reason,
    );
  if (made.failure !== undefined) {
    throw partial(made.failure);
  }
  const missing = [...missingOutputs(definition, made.state), ...missingFields(definition, made.state)];
  if (missing.length === 0) {
    return outputsFrom(made.state);
  }
  let state: RemoteState | undefined;
  try {
    const reading = { ...step, memory: made.memory ?? step.memory };
    state = await definition.read(reading, made.id, composeOutputs(definition, made.state, given, before));
  } catch (error) {
    throw partial(
      `${definition.type} ${made.id} was written, but reading it back failed: ${messageOf(error)}`,
    );
  }
  if (state === undefined) {
    const gone =
      `${definition.type} ${made.id} was written, but is gone when read back: somebody else has deleted it. ` +
      "Run `pulumi refresh`: the next `pulumi up` then makes it again.";
    // State must not say of an object that is gone that it has been updated. One just made may only be late to show.
    throw Object.keys(before).length === 0 ? partial(gone) : new Error(gone);
  }
  return outputsFrom({ ...made.state, ...state });
}

/** @param inputs the hidden ones included */
function finish(
  { definition, connection }: ObjectContext,
  outputs: JsonObject,
  inputs: JsonObject,
  { memory, applied = true }: { readonly memory: JsonObject; readonly applied?: boolean },
): JsonObject {
  const managed = noteManaged(definition, inputs, outputs, applied);
  const metadata = { managed, at: connection.identity, memory, given: inputs };
  return wrapSecrets(definition, withMetadata(outputs, metadata));
}

async function currentArguments(
  definition: AnyResourceDefinition,
  step: Step<never>,
  id: string,
  before: JsonObject,
): Promise<Record<string, unknown>> {
  const state = await definition.read(step, id, before);
  if (state === undefined) {
    throw new Error(
      `${definition.type} ${id} no longer exists, so there is nothing to update. ` +
        "Run `pulumi refresh`: the next `pulumi up` then makes it again.",
    );
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
