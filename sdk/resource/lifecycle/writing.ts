import { randomBytes } from "node:crypto";
import { z } from "zod";
import {
  advisedOtherwise,
  mayHaveBeenProcessed,
  messageOf,
  ServiceError,
  TriviumError,
} from "../../base/errors";
import type { JsonObject, JsonValue } from "../../base/json";
import { assertSameService } from "../../connection/connect";
import {
  alreadyExists,
  type DefinitionIn,
  isUsual,
  type Look,
  type RemoteObject,
  type RemoteState,
  type Step,
} from "../definition";
import { equivalent, isRemote } from "../fields/field";
import {
  argumentsIn,
  composeOutputs,
  type Delivery,
  type Entry,
  managedAfter,
  missingFields,
  missingOutputs,
  rememberSecrets,
} from "../state/entry";
import { desiredArguments, sentValue } from "./check";
import { compare, type Comparison, driftedArguments, isSendable } from "./comparison";
import { type Context, createAgain, PartialWriteError, stepOf, wholeObject } from "./object";

/** Milliseconds to search for the object of a cancelled creation: the CLI exits within five seconds. */
const lastLook = 1500;

export interface WriteRequest {
  /** Missing: the object is to be created, or adopted. */
  readonly id: string | undefined;
  /** In state; empty but for URN and secrets of the program without an id. */
  readonly entry: Entry;
  readonly args: JsonObject;
  /** Without changes, only state is rewritten. Default: an incomplete operation is continued. */
  readonly isComplete?: boolean;
}

interface Write extends WriteRequest {
  readonly context: Context;
  readonly definition: DefinitionIn;
  readonly step: Step<never>;
  /** In wire form. */
  readonly desired: Record<string, unknown>;
  readonly comparison: Comparison;
  /** The private state, if the class has replaced it. */
  readonly remembered: { privateState?: JsonObject };
}

interface Sent extends RemoteObject {
  readonly delivery: Delivery;
}

/** Creates, adopts, updates, or continues: observe, compare, send what differs, read what the response lacks, compose. */
export async function writeObject(context: Context, request: WriteRequest) {
  const write = begin(context, request);
  const { definition, step, desired, comparison, id } = write;
  const isSettled = id !== undefined && comparison.sent.size === 0;
  const work = async (): Promise<Sent> => send(write, await observe(write), comparison.sent);
  const sent = isSettled ? settled(write, id) : await (definition.serialize?.(step, desired, work) ?? work());
  const entry = id === undefined || isSettled ? compose(write, sent) : restoreDrift(write, sent);
  return { id: sent.id, entry: await entry };
}

function begin(context: Context, { entry, ...request }: WriteRequest): Write {
  const { definition, connection } = context;
  assertSameService(connection.settings, entry.service);
  const mayExist = request.args.adopt === true || definition.identity?.managesExisting === true;
  const generation = request.id === undefined && mayExist ? randomBytes(4).toString("hex") : entry.generation;
  const own = { ...entry, generation };
  const remembered: Write["remembered"] = {};
  return {
    ...request,
    context,
    definition,
    entry: own,
    remembered,
    step: stepOf(context, own, (privateState) => (remembered.privateState = privateState)),
    desired: desiredArguments(definition, z, request.args),
    comparison: compare(definition, entry, request.args),
  };
}

/** A change that only concerns the library makes no request. The engine also calls update to continue what is incomplete. */
function settled({ definition, entry, comparison, isComplete = false }: Write, id: string): Sent {
  const continues = !isComplete && comparison.changed.size === 0 && !comparison.managedDiffers;
  const complies = !continues && missingOutputs(definition, entry.outputs).length === 0;
  return { id, state: complies ? entry.outputs : {}, delivery: { accepted: true } };
}

/** What the service has before a write; without an existing object, one is to be created. */
async function observe({ context, definition, step, desired, id, entry, args }: Write): Promise<Look> {
  if (id !== undefined) {
    return { existing: { id, state: entry.outputs } };
  }
  const { ownership, urn = "" } = context;
  const look: Look = (await definition.find?.(step, desired)) ?? {};
  const { existing } = look;
  if (existing !== undefined) {
    ownership.assertFree(existing.id, urn);
    if (args.adopt !== true) {
      ownership.refuse(existing.id, entry);
      throw alreadyExists(definition.type, existing);
    }
    ownership.take(existing.id, entry);
  }
  return look;
}

/** Has the current values of fields that the write must repeat. What is adopted has just been read. */
async function currentState({ definition, step, id }: Write, object: RemoteObject): Promise<JsonObject> {
  const before = object.state as JsonObject;
  const state = id === undefined ? before : await definition.read(step, id, before);
  if (state === undefined) {
    throw new Error(`${definition.type} ${object.id} no longer exists and cannot be updated. ${createAgain}`);
  }
  return composeOutputs(definition, state, {}, before);
}

/** @param names for an object in state: those that differ */
async function send(write: Write, look: Look, names: ReadonlySet<string>): Promise<Sent> {
  const { context, definition, step, desired, entry, id } = write;
  const { existing: object } = look;
  if (object === undefined) {
    const created = await createOnce(write, look);
    context.ownership.take(created.id, entry);
    // If the creation failed, only what the response confirms is known.
    return { ...created, delivery: { accepted: created.failure === undefined } };
  }
  const changed = id === undefined ? differing(definition, desired, object.state) : names;
  const delivery =
    id === undefined ? { accepted: true } : { accepted: true, sent: changed, former: entry.managed ?? {} };
  if (changed.size === 0) {
    return { ...object, delivery };
  }
  const current = definition.updatesWholeObject === true ? await currentState(write, object) : undefined;
  const whole = current === undefined ? {} : wholeObject(definition, current);
  const ignored = Object.entries(whole).filter(([name]) => context.run.ignored.includes(name));
  const values = { ...whole, ...desired, ...Object.fromEntries(ignored) };
  const state = await definition
    .update(step, object.id, values, changed, current ?? object.state)
    .catch((error: unknown) => explainRefusal(write, object, error));
  // What was found is outdated: `complete` reads what the response lacks.
  return { ...object, state, delivery };
}

/** If the response is lost, a new object that did not exist before is ours. */
async function createOnce({ context, definition, step, desired, entry }: Write, look: Look) {
  try {
    return await definition.create(step, desired, look.seen);
  } catch (error) {
    if (definition.find === undefined || !mayHaveBeenProcessed(error)) {
      throw error;
    }
    // After Ctrl-C there is still time to find out the outcome.
    const searching = step.signal.aborted
      ? stepOf({ ...context, signal: AbortSignal.timeout(lastLook) }, entry)
      : step;
    const { existing } = await definition.find(searching, desired, look).catch((lookup: unknown) => {
      throw definition.arguments.adopt === undefined && TriviumError.isInstance(error)
        ? advisedOtherwise(error, messageOf(lookup))
        : new Error(
            `${messageOf(error)} It may nevertheless have been created, but the search for it failed: ${messageOf(lookup)} ` +
              "Run `pulumi up` again with `adopt: true`: this adopts the object if it exists.",
            { cause: error },
          );
    });
    if (existing === undefined) {
      throw error;
    }
    context.ownership.assertFree(existing.id, context.urn ?? "");
    const { failure } = existing;
    return failure === undefined ? existing : { ...existing, failure: `${messageOf(error)} ${failure}` };
  }
}

/** The arguments of the program that an object to adopt does not have yet. */
function differing(definition: DefinitionIn, desired: Record<string, unknown>, state: RemoteState) {
  const changed = argumentsIn(definition, desired as JsonObject).filter(([name, argument]) => {
    const [value, current] = [desired[name] as JsonValue, state[name]];
    const differs = current === undefined || !equivalent(argument, current as JsonValue, value);
    return isRemote(argument) && differs;
  });
  return new Set(changed.map(([name]) => name));
}

/** Services report an update of a deleted object in many ways; a read confirms it. */
async function explainRefusal(
  { definition, step }: Write,
  { id, state }: RemoteObject,
  error: unknown,
): Promise<never> {
  const isGone =
    isRefusal(error) &&
    error.advice?.includes("pulumi refresh") !== true &&
    (await definition.read(step, id, state).catch(() => state)) === undefined;
  throw isGone ? advisedOtherwise(error, `${definition.type} ${id} no longer exists. ${createAgain}`) : error;
}

/** A definition may have converted the service's error. */
function isRefusal(error: unknown): error is TriviumError {
  return (
    TriviumError.isInstance(error) &&
    ["ServiceError", "NotFoundError", "TriviumError"].includes(error.name) &&
    !(ServiceError.isInstance(error) && [401, 403, 429, 502, 503, 504].includes(error.status))
  );
}

/** Reads what the response lacks. The object exists, so a failure must not lose it. */
async function complete(write: Write, sent: Sent): Promise<RemoteState> {
  const { definition, step, id } = write;
  const { type } = definition;
  const own = sent.privateState === undefined ? step : { ...step, privateState: sent.privateState };
  rememberSecrets(definition, sent.state);
  if (sent.failure !== undefined) {
    throw partialSuccess(write, sent, sent.failure);
  }
  const fields = missingFields(definition, sent.state).filter(
    // An older service never returns it.
    (name) => definition.arguments[name]?.since === undefined || Object.hasOwn(write.args, name),
  );
  const missing = [...missingOutputs(definition, sent.state), ...fields];
  // The service has been asked before for what settled outputs lack.
  if (missing.length === 0 || sent.state === write.entry.outputs) {
    return sent.state;
  }
  let state: RemoteState | undefined;
  try {
    state = await definition.read(own, sent.id, outputsAfter(write, sent.state));
  } catch (error) {
    const unread = `${type} ${sent.id} was written, but reading it back failed: ${messageOf(error)}`;
    throw partialSuccess(write, sent, unread);
  }
  if (state === undefined) {
    const gone = `${type} ${sent.id} was written, but no longer exists: another client has deleted it. ${createAgain}`;
    // Do not record an update of a deleted object. A new object may appear late, so it is kept.
    throw id === undefined ? partialSuccess(write, sent, gone) : new Error(gone);
  }
  return { ...sent.state, ...state };
}

/** Says what an older release or another edition has ignored. State then has null, unless that would be a change. */
function withoutIgnored(
  { definition, step, args, comparison, desired }: Write,
  id: string,
  state: RemoteState,
): RemoteState {
  const others = state as JsonObject;
  const recent = argumentsIn(definition, args).flatMap(([name, argument]) => {
    const since = argument.told === "never" ? undefined : argument.since;
    const isUnset = (value: unknown): boolean => isUsual(argument, value as JsonValue, others);
    const isIgnored = !isUnset(desired[name] ?? null) && isUnset(state[name] ?? null);
    return since === undefined || !isIgnored ? [] : [{ name, since, argument }];
  });
  for (const { name, since } of recent.filter((each) => comparison.changed.has(each.name))) {
    step.announce(
      "warning",
      `${definition.type} ${id}: the service ignored ${name}, which needs ${since}. Remove the argument, or upgrade ` +
        "the service. It is sent again when its value changes.",
    );
  }
  const absent = recent.filter(({ name, argument }) => state[name] === undefined && argument.secret !== true);
  return { ...Object.fromEntries(absent.map(({ name }) => [name, null])), ...state };
}

function partialSuccess(write: Write, sent: Sent, reason: string): PartialWriteError {
  return new PartialWriteError(sent.id, entryAfter(write, sent, outputsAfter(write, sent.state)), reason);
}

/** Other differences in the response are drift, which the same write restores. */
async function restoreDrift(write: Write, sent: Sent): Promise<Entry> {
  const { definition, context, comparison, entry, step } = write;
  const state = withoutIgnored(write, sent.id, await complete(write, sent));
  const outputs = outputsAfter(write, state);
  const unsent = driftedArguments(comparison, outputs).filter((name) => !comparison.sent.has(name));
  const drifted = unsent.filter(
    (name) => isSendable(definition.arguments[name] ?? {}) && !context.run.ignored.includes(name),
  );
  // Drift that is not restored stays unchanged in state, so that a refresh shows it.
  const left = Object.fromEntries(
    unsent.filter((name) => !drifted.includes(name)).map((name) => [name, entry.outputs[name] ?? null]),
  );
  if (drifted.length === 0) {
    return entryAfter(write, sent, { ...outputs, ...left });
  }
  const are = drifted.length === 1 ? "is" : "are";
  step.announce(
    "information",
    `${definition.type} ${sent.id}: ${drifted.join(", ")} had drifted and ${are} restored.`,
  );
  const names = new Set([...comparison.sent, ...drifted]);
  const again = async (): Promise<Sent> => send(write, await observe(write), names);
  try {
    const repaired = await (definition.serialize?.(step, write.desired, again) ?? again());
    const restored = { ...state, ...(await complete(write, repaired)), ...left };
    return entryAfter(write, repaired, outputsAfter(write, restored));
  } catch (error) {
    throw error instanceof PartialWriteError
      ? error
      : partialSuccess(write, { id: sent.id, state, delivery: { accepted: false } }, messageOf(error));
  }
}

async function compose(write: Write, sent: Sent): Promise<Entry> {
  try {
    const state = withoutIgnored(write, sent.id, await complete(write, sent));
    return entryAfter(write, sent, outputsAfter(write, state));
  } catch (error) {
    if (write.id !== undefined || error instanceof PartialWriteError) {
      throw error;
    }
    // The object exists, so it must get into state even if its response is unreadable.
    const unreadable = `${write.definition.type} ${sent.id} was created, but its response cannot be stored: ${messageOf(error)}`;
    throw partialSuccess(write, { ...sent, state: {}, delivery: { accepted: false } }, unreadable);
  }
}

/** The outputs, without what only the library knows. */
function outputsAfter({ definition, args, entry }: Write, state: RemoteState) {
  const unreadable = missingFields(definition, state).filter((name) => (args[name] ?? null) !== null);
  const schema = definition.schema(z);
  const sent = unreadable.map((name) => [name, sentValue(schema, z, name, args[name]) ?? args[name] ?? null]);
  const applied = { ...args, ...(Object.fromEntries(sent) as JsonObject) };
  return composeOutputs(definition, state, applied, entry.outputs);
}

function entryAfter(write: Write, sent: Sent, outputs: JsonObject): Entry {
  const { definition, context, args, entry, remembered } = write;
  return {
    ...entry,
    outputs,
    managed: managedAfter(definition, args, outputs, sent.delivery),
    privateState: sent.privateState ?? remembered.privateState ?? entry.privateState,
    service: context.connection.identity,
  };
}
