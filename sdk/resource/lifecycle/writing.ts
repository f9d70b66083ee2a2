import { randomBytes } from "node:crypto";
import { z } from "zod";
import {
  mayHaveBeenProcessed,
  messageOf,
  onStatus,
  ServiceError,
  TriviumError,
  advisedOtherwise,
} from "../../base/errors";
import type { JsonObject, JsonValue } from "../../base/json";
import { assertSameService } from "../../connection/connect";
import { equivalent } from "../fields/field";
import { desiredArguments } from "./check";
import {
  afterRename,
  type AnyResourceDefinition,
  type RemoteObject,
  type Step,
  type RemoteState,
} from "../definition";
import { PartialSuccessError } from "../../engine/calls";
import { hiddenKeys, withoutHidden, generationOf } from "../state/protocol";
import {
  complete,
  type ObjectContext,
  type ObjectRecord,
  partialSuccess,
  stepOf,
  wholeObject,
  createAgain,
  toState,
  outputsAfter,
} from "./object";
import { argumentsIn, compare, isSendable, driftedArguments } from "./comparison";
import { managedOf, composeOutputs, missingOutputs } from "../state/outputs";

/** Milliseconds to search for the object of a cancelled creation: the CLI exits within five seconds. */
const lastLook = 1500;

export async function createObject(
  context: ObjectContext,
  news: JsonObject,
): Promise<{ id: string; outs: JsonObject }> {
  const { definition, dialect } = context;
  const inputs = withoutHidden(news);
  const desired = desiredArguments(definition, z, dialect, inputs);
  const adopts = inputs.adopt === true;
  const entry =
    adopts || definition.managesExisting === true
      ? { ...news, [hiddenKeys.generation]: randomBytes(4).toString("hex") }
      : news;
  const step = stepOf(context, entry);
  const make = async (): Promise<RemoteObject> => {
    if (definition.refusesDuplicates === true && !adopts) {
      return createUnlessRefused(context, step, desired, entry);
    }
    const existing = await definition.find?.(step, desired, false);
    if (existing === undefined) {
      return createOnce(context, step, desired);
    }
    if (!adopts) {
      throw alreadyExists(context, existing, entry);
    }
    context.ownership.assertFree(existing.id, context.urn ?? "");
    context.ownership.take(existing.id, entry);
    return adopt(definition, step, existing, desired);
  };
  const created = await (definition.serialize?.(step, desired, make) ?? make());
  context.ownership.take(created.id, entry);
  const privateState = created.privateState ?? step.privateState;
  // If the creation failed, only what the response confirms is known.
  const record: ObjectRecord = {
    entry,
    before: {},
    privateState,
    delivery: { accepted: created.failure === undefined },
  };
  try {
    const state = await complete(context, { ...step, privateState }, created, record);
    return { id: created.id, outs: toState(context, record, outputsAfter(context, record, state)) };
  } catch (error) {
    if (error instanceof PartialSuccessError) {
      throw error;
    }
    // The object exists, so it must get into state even if its response is unreadable.
    const unreadable = `${definition.type} ${created.id} was created, but its response cannot be stored: ${messageOf(error)}`;
    const confirmed = { ...record, delivery: { accepted: false } };
    throw partialSuccess(context, confirmed, { id: created.id, state: {} }, unreadable);
  }
}

function alreadyExists(
  { definition, ownership, urn }: ObjectContext,
  { id, detail }: RemoteObject,
  entry: JsonObject,
): TriviumError {
  ownership.assertFree(id, urn ?? "");
  ownership.refuse(id, entry);
  return new TriviumError(
    `${definition.type} already exists (id ${id})${detail === undefined ? "" : `, ${detail}`}; ` +
      `nothing was changed. To adopt it, set \`adopt: true\`. ${afterRename}`,
  );
}

/** Statuses for a duplicate, and also for other invalid values. */
const refusals = [400, 409, 422];

async function createUnlessRefused(
  context: ObjectContext,
  step: Step<never>,
  desired: Record<string, unknown>,
  entry: JsonObject,
): Promise<RemoteObject> {
  return createOnce(context, step, desired).catch(
    onStatus(refusals, async (error) => {
      const existing = await context.definition.find?.(step, desired, true).catch(() => undefined);
      throw existing === undefined ? error : alreadyExists(context, existing, entry);
    }),
  );
}

/** If the response is lost, a new object that did not exist before is ours. */
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
    // After Ctrl-C there is still time to find out the outcome.
    const searching = step.signal.aborted
      ? stepOf({ ...context, signal: AbortSignal.timeout(lastLook) }, {})
      : step;
    const found = await definition.find(searching, desired as never, true).catch((lookup: unknown) => {
      throw new Error(
        `${messageOf(error)} It may nevertheless have been created, but the search for it failed: ${messageOf(lookup)} ` +
          "Run `pulumi up` again with `adopt: true`: this adopts the object if it exists.",
        { cause: error },
      );
    });
    if (found === undefined) {
      throw error;
    }
    if (definition.refusesDuplicates === true) {
      context.ownership.assertFree(found.id, context.urn ?? "");
      step.announce(
        "warning",
        `The response to the creation of ${definition.type} was lost. Exactly one object has its name, ${found.id}: ` +
          "this resource manages it from now on. If it existed before, remove the resource with `pulumi state delete`.",
      );
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
  const changed = argumentsIn(definition, desired as JsonObject)
    .filter(([name, { role = "remote", canonical }]) => {
      const [value, current] = [desired[name] as JsonValue, existing.state[name]];
      const differs = current === undefined || !equivalent({ canonical }, current as JsonValue, value);
      return role === "remote" && differs;
    })
    .map(([name]) => name);
  if (changed.length === 0) {
    return existing;
  }
  const whole = definition.updatesWholeObject === true ? wholeObject(definition, existing.state) : {};
  const values = { ...whole, ...desired };
  const state = await definition.update(step, existing.id, values, new Set(changed), existing.state);
  // The found state is outdated: `complete` reads what the response lacks.
  return { ...existing, state };
}

/** A change that only concerns the library makes no request. `isComplete`: there is nothing to continue. */
export async function updateObject(
  context: ObjectContext,
  id: string,
  olds: JsonObject,
  news: JsonObject,
  isComplete = false,
): Promise<JsonObject> {
  const { definition, connection, dialect } = context;
  const before = withoutHidden(olds);
  const inputs = withoutHidden(news);
  assertSameService(connection.settings, olds[hiddenKeys.at]);
  const generation = generationOf(olds);
  const entry = { ...news, ...(generation === undefined ? {} : { [hiddenKeys.generation]: generation }) };
  const comparison = compare(definition, olds, news);
  const changed = comparison.sent;
  const step = stepOf(context, olds, news);
  const record = { entry, before, privateState: step.privateState, delivery: { accepted: true } };
  if (changed.size === 0) {
    // The engine calls update without changes to continue an incomplete operation.
    const continues = !isComplete && comparison.changed.size === 0 && !comparison.managedDiffers;
    const complies = !continues && missingOutputs(definition, before).length === 0;
    const state = complies ? before : await complete(context, step, { id, state: {} }, record);
    return toState(context, record, outputsAfter(context, record, state));
  }
  const desired = desiredArguments(definition, z, dialect, inputs);
  const recordOf = (sent: ReadonlySet<string>): ObjectRecord => ({
    ...record,
    delivery: { accepted: true, sent, former: managedOf(definition, olds) ?? {} },
  });
  const send = async (names: ReadonlySet<string>): Promise<RemoteState> => {
    const whole =
      definition.updatesWholeObject === true ? await currentArguments(definition, step, id, before) : {};
    const values = { ...whole, ...desired };
    const update = async () => definition.update(step, id, values, names, before);
    const state = await (definition.serialize?.(step, values, update) ?? update()).catch(
      explainRefusal(definition, step, id, before),
    );
    return complete(context, step, { id, state }, recordOf(names));
  };
  const state = await send(changed);
  const outputs = outputsAfter(context, record, state);
  const unsent = driftedArguments(comparison, outputs).filter((name) => !changed.has(name));
  const drifted = unsent.filter(
    (name) => isSendable(definition.arguments[name] ?? {}) && !context.run.ignored.includes(name),
  );
  // Drift that is not restored stays unchanged in state, so that a refresh shows it.
  const left = Object.fromEntries(
    unsent.filter((name) => !drifted.includes(name)).map((name) => [name, before[name] ?? null]),
  );
  if (drifted.length === 0) {
    return toState(context, recordOf(changed), { ...outputs, ...left });
  }
  const are = drifted.length === 1 ? "is" : "are";
  step.announce(
    "information",
    `${definition.type} ${id}: ${drifted.join(", ")} had drifted and ${are} restored.`,
  );
  const sent = new Set([...changed, ...drifted]);
  const repaired = await send(sent).catch((error: unknown) => {
    throw error instanceof PartialSuccessError
      ? error
      : partialSuccess(
          context,
          { ...record, delivery: { accepted: false } },
          { id, state },
          messageOf(error),
        );
  });
  return toState(context, recordOf(sent), outputsAfter(context, record, { ...state, ...repaired, ...left }));
}

/** Services report an update of a deleted object in many ways; a read confirms it. */
function explainRefusal(
  definition: AnyResourceDefinition,
  step: Step<never>,
  id: string,
  before: JsonObject,
) {
  return async (error: unknown): Promise<never> => {
    const isGone =
      isRefusal(error) &&
      error.advice?.includes("pulumi refresh") !== true &&
      (await definition.read(step, id, before).catch(() => before)) === undefined;
    throw isGone
      ? advisedOtherwise(error, `${definition.type} ${id} no longer exists. ${createAgain}`)
      : error;
  };
}

/** A definition may have converted the service's error. */
function isRefusal(error: unknown): error is TriviumError {
  return (
    TriviumError.isInstance(error) &&
    ["ServiceError", "NotFoundError", "TriviumError"].includes(error.name) &&
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
    throw new Error(`${definition.type} ${id} no longer exists and cannot be updated. ${createAgain}`);
  }
  return wholeObject(definition, composeOutputs(definition, state, {}, before));
}
