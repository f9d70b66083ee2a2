import { randomBytes } from "node:crypto";
import { z } from "zod";
import { signalAfterwards } from "../../base/caller";
import {
  advisedOtherwise,
  mayHaveBeenProcessed,
  messageOf,
  ServiceError,
  TriviumError,
} from "../../base/errors";
import { type JsonObject, type JsonValue, mapped } from "../../base/json";
import { assertSameService } from "../../connection/connect";
import {
  adviceOnHolder,
  alreadyExists,
  type DefinitionIn,
  type Look,
  type RemoteObject,
  type RemoteState,
  type Step,
  type PrivateState,
} from "../definition";
import { equivalent, isRemote } from "../fields/field";
import { isGiven } from "../fields/kinds";
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
import { type Context, createAgain, stepOf, wholeObject } from "./object";
import { requireKnown, withoutIgnored } from "./ignored";
import { inTurn } from "./turn";

export interface WriteRequest {
  /** The ID of the object; missing if the object will be created or adopted. */
  readonly id: string | undefined;
  /** The entry in state; without an ID, empty except for the URN and the program's secrets. */
  readonly entry: Entry;
  readonly args: JsonObject;
  /** The arguments of the object that a creation replaces. */
  readonly replaced?: JsonObject | undefined;
  /**
   * Whether only state is rewritten if there are no changes. Default: an incomplete operation is continued.
   */
  readonly isComplete?: boolean;
}

/** The object after a write. The engine must keep it in state even if a step failed. */
export interface Written {
  readonly id: string;
  readonly entry: Entry;
  /** Why a step failed after the object existed. */
  readonly failure?: string | undefined;
}

interface Write extends WriteRequest {
  readonly context: Context;
  readonly definition: DefinitionIn;
  readonly step: Step<never>;
  /** In wire form. */
  readonly desired: Record<string, unknown>;
  readonly comparison: Comparison;
  /** The private state, if the class has changed it. */
  readonly remembered: { privateState?: PrivateState };
}

interface Sent extends RemoteObject {
  readonly delivery: Delivery;
}

/** Creates, adopts or updates the object, or continues an incomplete operation. */
export async function writeObject(context: Context, request: WriteRequest): Promise<Written> {
  const write = begin(context, request);
  const { comparison, id } = write;
  const isSettled = id !== undefined && comparison.sent.size === 0;
  const sent = isSettled ? settled(write, id) : await observeAndSend(write, comparison.sent);
  const known = await withoutIgnored(write, await complete(write, sent));
  const restored = id === undefined || isSettled ? known : await restoreDrift(write, id, known);
  return compose(write, restored);
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

/**
 * A change that only concerns the library does not send a request. The engine also calls update to continue
 * an incomplete operation.
 */
function settled({ definition, entry, comparison, isComplete = false }: Write, id: string): Sent {
  const continues = !isComplete && comparison.changed.size === 0 && !comparison.managedDiffers;
  const complies = !continues && missingOutputs(definition, entry.outputs).length === 0;
  return { id, state: complies ? entry.outputs : {}, delivery: { accepted: true } };
}

function observeAndSend(write: Write, names: ReadonlySet<string>): Promise<Sent> {
  const { definition, context, step, desired } = write;
  return inTurn(definition, context.connection, step, desired, async () =>
    send(write, await observe(write), names),
  );
}

/** What exists in the service before a write; without an existing object, one will be created. */
async function observe(write: Write): Promise<Look> {
  const { context, definition, step, desired, id, entry, args } = write;
  if (id !== undefined) {
    return { existing: { id, state: entry.outputs } };
  }
  const { ownership, urn = "" } = context;
  const look: Look = (await definition.look?.(step, desired)) ?? {};
  const { existing } = look;
  if (existing !== undefined) {
    if (args.adopt !== true) {
      throw refused(write, existing);
    }
    ownership.assertFree(existing.id, urn);
    ownership.take(existing.id, entry);
  }
  return look;
}

function refused({ context, definition, entry, replaced }: Write, existing: RemoteObject): TriviumError {
  const holder = context.ownership.holderOf(existing.id, entry);
  const isReplaced = replaced !== undefined && resembles(definition, replaced, existing.state);
  context.ownership.refuse(existing.id, entry);
  return alreadyExists(definition.type, existing, holder ?? (isReplaced ? "itself" : undefined));
}

/** Contains the current values of fields that the write must repeat. An adopted object has just been read. */
async function currentState({ definition, step, id }: Write, object: RemoteObject): Promise<JsonObject> {
  const before = object.state as JsonObject;
  const state = id === undefined ? before : await definition.read(step, id, before);
  if (state === undefined) {
    throw new Error(`${definition.type} ${object.id} no longer exists and cannot be updated. ${createAgain}`);
  }
  return composeOutputs(definition, state, {}, before);
}

/** @param names for an object in state, the arguments that differ */
async function send(write: Write, look: Look, names: ReadonlySet<string>): Promise<Sent> {
  const { context, definition, step, desired, entry, id } = write;
  const { existing: object } = look;
  const isAdopted = id === undefined && object !== undefined;
  const changed = isAdopted ? differing(definition, desired, object.state) : names;
  await requireKnown(write, object === undefined ? write.comparison.changed : changed);
  if (object === undefined) {
    const created = await createOnce(write, look);
    context.ownership.take(created.id, entry);
    // If the creation failed, only what the response confirms is certain.
    return { ...created, delivery: { accepted: created.failure === undefined } };
  }
  const delivery =
    id === undefined ? { accepted: true } : { accepted: true, sent: changed, former: entry.managed ?? {} };
  if (changed.size === 0) {
    return { ...object, delivery };
  }
  const current = definition.updatesWholeObject === true ? await currentState(write, object) : undefined;
  const whole = current === undefined ? {} : wholeObject(definition, current);
  const ignored = Object.entries(whole).filter(([name]) => context.run.ignored.includes(name));
  const fixed = fixedValues(definition, desired, (current ?? object.state) as JsonObject);
  const values = { ...whole, ...desired, ...fixed, ...Object.fromEntries(ignored) };
  const state = await definition
    .update?.(step, object.id, values, changed, current ?? object.state)
    .catch((error: unknown) => explainRefusal(write, object, error));
  // What was found before is outdated: `complete` reads what the response lacks.
  return { ...object, state: state ?? {}, delivery };
}

/** If the response is lost, an object that did not exist before is the created one. */
async function createOnce(write: Write, look: Look) {
  const { context, definition, step, desired, entry, args } = write;
  try {
    return await definition.create(step, desired, look.seen);
  } catch (error) {
    if (meansTaken(error)) {
      const other = args.adopt === true ? undefined : await otherObject(write, undefined);
      throw other === undefined ? advisedOfOthers(error) : refused(write, other);
    }
    if (definition.recover === undefined || !mayHaveBeenProcessed(error)) {
      throw error;
    }
    const afterwards = { ...context, signal: signalAfterwards(step.signal) };
    const searching = definition.recover(stepOf(afterwards, entry), desired, look.seen);
    const existing = await searching.catch((lookup: unknown) => {
      throw definition.arguments.adopt === undefined && TriviumError.isInstance(error)
        ? advisedOtherwise(error, messageOf(lookup))
        : new Error(
            `${messageOf(error)} The object might still have been created, but looking for it failed: ${messageOf(lookup)} ` +
              "Run `pulumi up` again with `adopt: true` to adopt the object if it exists.",
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

/**
 * Fields that cannot be changed are sent with the service's value, because an equivalent value would be
 * rejected.
 */
function fixedValues(definition: DefinitionIn, desired: Record<string, unknown>, current: JsonObject) {
  return mapped(definition.arguments, (argument, name) => {
    const [value, present] = [desired[name], current[name]];
    const isFixed = argument.replaces === true || argument.replaces === "presence";
    const isSame = isGiven(value) && isGiven(present) && equivalent(argument, present, value);
    return isFixed && isSame && isRemote(argument) ? present : undefined;
  });
}

/** Whether an object has the known values of these arguments. */
function resembles(definition: DefinitionIn, args: JsonObject, state: RemoteState): boolean {
  const known = argumentsIn(definition, args).filter(([name]) => isGiven(state[name]));
  return (
    known.length > 0 &&
    known.every(([name, argument]) => equivalent(argument, state[name] as JsonValue, args[name] ?? null))
  );
}

/** The program's arguments that an adopted object does not have yet. */
function differing(definition: DefinitionIn, desired: Record<string, unknown>, state: RemoteState) {
  const changed = argumentsIn(definition, desired as JsonObject).filter(([name, argument]) => {
    const [value, current] = [desired[name] as JsonValue, state[name]];
    const differs = current === undefined || !equivalent(argument, current as JsonValue, value);
    return isRemote(argument) && differs;
  });
  return new Set(changed.map(([name]) => name));
}

/** Services report an update of a deleted object in many ways; a read confirms it. */
async function explainRefusal(write: Write, { id, state }: RemoteObject, error: unknown): Promise<never> {
  const { definition, step, context, entry } = write;
  if (meansTaken(error)) {
    const other = await otherObject(write, id);
    if (other === undefined) {
      throw advisedOfOthers(error);
    }
    // The class itself has found the other object, so its error is more specific.
    if (error.message.includes(other.id)) {
      throw error;
    }
    const holder = context.ownership.holderOf(other.id, entry);
    const advice = adviceOnHolder(holder, "Choose another name.");
    throw advisedOtherwise(error, `${definition.type} ${other.id} already has this name. ${advice}`);
  }
  const isGone =
    mayMeanGone(error) &&
    error.advice?.includes("pulumi refresh") !== true &&
    (await definition.read(step, id, state).catch(() => state)) === undefined;
  throw isGone ? advisedOtherwise(error, `${definition.type} ${id} no longer exists. ${createAgain}`) : error;
}

/** Recognizes a duplicate by status and message, because 400 and 422 also mean other invalid values. */
function meansTaken(error: unknown): error is ServiceError {
  return (
    ServiceError.isInstance(error) &&
    error.foreign === undefined &&
    (error.status === 409 ||
      ([400, 422].includes(error.status) &&
        /\b(?:already|taken|exists|unique|duplicate)\b/i.test(error.messages.join(" "))))
  );
}

/** What a write collides with, if objects can be found by their names. A failed search must not hide the error. */
async function otherObject({ definition, step, desired }: Write, id: string | undefined) {
  const look = await definition.look?.(step, { ...desired, adopt: true }).catch((): Look => ({}));
  return look?.existing?.id === id ? undefined : look?.existing;
}

/** Advice of the class itself is more specific. */
function advisedOfOthers(error: ServiceError): ServiceError {
  return error.advice === undefined ? advisedOtherwise(error, adviceOnHolder(undefined, "").trim()) : error;
}

/** A definition might have converted the service's error. */
function mayMeanGone(error: unknown): error is TriviumError {
  return (
    TriviumError.isInstance(error) &&
    ["ServiceError", "NotFoundError", "TriviumError"].includes(error.name) &&
    !(ServiceError.isInstance(error) && [401, 403, 429, 502, 503, 504].includes(error.status))
  );
}

/** Reads what the response lacks. */
async function complete(write: Write, sent: Sent): Promise<Sent> {
  const { definition, step, id } = write;
  const { type } = definition;
  const own = sent.privateState === undefined ? step : { ...step, privateState: sent.privateState };
  rememberSecrets(definition, sent.state);
  const fields = missingFields(definition, sent.state).filter(
    // An older service never returns the field.
    (name) => definition.arguments[name]?.since === undefined || Object.hasOwn(write.args, name),
  );
  const missing = [...missingOutputs(definition, sent.state), ...fields];
  // The service was already asked for what settled outputs lack.
  if (sent.failure !== undefined || missing.length === 0 || sent.state === write.entry.outputs) {
    return sent;
  }
  try {
    const state = await definition.read(own, sent.id, outputsAfter(write, sent.state));
    if (state !== undefined) {
      return { ...sent, state: { ...sent.state, ...state } };
    }
  } catch (error) {
    const unread = `${type} ${sent.id} was written, but reading it back failed: ${messageOf(error)}`;
    return { ...sent, failure: unread };
  }
  const gone = `${type} ${sent.id} was written, but no longer exists: another client has deleted it. ${createAgain}`;
  // A new object might appear late, so it is kept.
  if (id === undefined) {
    return { ...sent, failure: gone };
  }
  throw new Error(gone);
}

/** Sends again what differs in the response from both the state and the program. */
async function restoreDrift(write: Write, id: string, sent: Sent): Promise<Sent> {
  const { definition, context, comparison, entry, step } = write;
  if (sent.failure !== undefined) {
    return sent;
  }
  const outputs = outputsAfter(write, sent.state);
  const unsent = driftedArguments(comparison, outputs).filter((name) => !comparison.sent.has(name));
  const drifted = unsent.filter(
    (name) => isSendable(definition.arguments[name] ?? {}) && !context.run.ignored.includes(name),
  );
  // For drift that is not reverted, state stays unchanged, so that a refresh shows the drift.
  const left = Object.fromEntries(
    unsent.filter((name) => !drifted.includes(name)).map((name) => [name, entry.outputs[name] ?? null]),
  );
  if (drifted.length === 0) {
    return { ...sent, state: { ...sent.state, ...left } };
  }

  step.announce("information", `${definition.type} ${id}: reverting drift in ${drifted.join(", ")}.`);
  try {
    const repaired = await complete(
      write,
      await observeAndSend(write, new Set([...comparison.sent, ...drifted])),
    );
    return { ...repaired, state: { ...sent.state, ...repaired.state, ...left } };
  } catch (error) {
    return { ...sent, delivery: { accepted: false }, failure: messageOf(error) };
  }
}

/** A new object must get into state even if its response is unreadable. */
function compose(write: Write, sent: Sent): Written {
  const { definition, id } = write;
  try {
    return { id: sent.id, entry: entryAfter(write, sent), failure: sent.failure };
  } catch (error) {
    if (id !== undefined) {
      throw error;
    }
    const failure = `${definition.type} ${sent.id} was created, but its response cannot be stored: ${messageOf(error)}`;
    const entry = entryAfter(write, { ...sent, state: {}, delivery: { accepted: false } });
    return { id: sent.id, entry, failure };
  }
}

/** The outputs, without the library's own data. */
function outputsAfter({ definition, args, entry }: Write, state: RemoteState) {
  const unreadable = missingFields(definition, state).filter((name) => (args[name] ?? null) !== null);
  const schema = definition.schema(z);
  const sent = unreadable.map((name) => [name, sentValue(schema, z, name, args[name]) ?? args[name] ?? null]);
  const applied = { ...args, ...(Object.fromEntries(sent) as JsonObject) };
  return composeOutputs(definition, state, applied, entry.outputs);
}

function entryAfter(write: Write, sent: Sent): Entry {
  const { definition, context, args, entry, remembered } = write;
  const outputs = outputsAfter(write, sent.state);
  return {
    ...entry,
    outputs,
    managed: managedAfter(definition, args, outputs, sent.delivery),
    privateState: sent.privateState ?? remembered.privateState ?? entry.privateState,
    service: context.connection.identity,
  };
}
