import { z } from "zod";
import {
  advisedOtherwise,
  CancelledError,
  ConfigurationError,
  ConnectionError,
  ContractError,
  InputError,
  messageOf,
  ServiceError,
  TimeoutError,
  TriviumError,
} from "../../base/errors";
import type { JsonObject } from "../../base/json";
import { desiredArguments } from "./check";
import { compare, isSendable, movedArguments } from "./comparison";
import type { AnyResourceDefinition, RemoteState, Step } from "../definition";
import { PartialSuccessError } from "./failure";
import { generationOf, hiddenKeys, withoutHidden } from "../state/hidden";
import { managedOf } from "../state/managed";
import {
  complete,
  createAgain,
  inTurn,
  type ObjectContext,
  type ObjectRecord,
  outputsFrom,
  partialSuccess,
  recorded,
  stepOf,
  valuesFrom,
  wholeObject,
} from "./object";
import { composeOutputs, missingOutputs } from "../state/outputs";

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
  connection.assertSameService(olds[hiddenKeys.at]);
  const generation = generationOf(olds);
  const entry = { ...news, ...(generation === undefined ? {} : { [hiddenKeys.generation]: generation }) };
  const comparison = compare(definition, olds, news);
  const changed = comparison.sent;
  const step = stepOf(context, olds, news);
  const record = { entry, before, memory: step.memory };
  const taken = { ...record, delivery: { taken: true } };
  if (changed.size === 0) {
    // The engine calls update without changes to continue an incomplete operation.
    const continues = !isComplete && comparison.changed.size === 0 && !comparison.managedDiffers;
    const complies = !continues && missingOutputs(definition, before).length === 0;
    const state = complies ? before : await complete(context, step, { id, state: {} }, taken);
    return outputsFrom(context, taken, state);
  }
  const desired = desiredArguments(definition, z, dialect, inputs);
  const send = async (names: ReadonlySet<string>, record: ObjectRecord): Promise<RemoteState> => {
    const whole =
      definition.updatesWholeObject === true ? await currentArguments(definition, step, id, before) : {};
    const values = { ...whole, ...desired };
    const state = await unlessGone(context, step, id, before, () =>
      inTurn(definition, step, values, () => definition.update(step, id, values, names, before)),
    );
    return complete(context, step, { id, state }, record);
  };
  const having = (sent: ReadonlySet<string>): ObjectRecord => ({
    ...record,
    delivery: { taken: true, sent, former: managedOf(definition, olds) ?? {} },
  });
  const state = await send(changed, having(changed));
  const outputs = valuesFrom(context, having(changed), state);
  const moved = movedArguments(comparison, outputs);
  const unsent = moved.filter((name) => !changed.has(name));
  const drifted = unsent.filter(
    (name) => isSendable(definition.arguments[name] ?? {}) && !context.run.ignored.includes(name),
  );
  // Drift that is not restored stays unchanged in state, so that a refresh shows it.
  const left = pick(
    before,
    unsent.filter((name) => !drifted.includes(name)),
  );
  if (drifted.length === 0) {
    return recorded(context, having(changed), { ...outputs, ...left });
  }
  const are = drifted.length === 1 ? "is" : "are";
  step.announce(
    "information",
    `${definition.type} ${id}: ${drifted.join(", ")} had drifted and ${are} restored.`,
  );
  const sent = new Set([...changed, ...drifted]);
  const repaired = await send(sent, having(sent)).catch((error: unknown) => {
    throw error instanceof PartialSuccessError
      ? error
      : partialSuccess(context, { ...record, delivery: { taken: false } }, { id, state }, messageOf(error));
  });
  return outputsFrom(context, having(sent), { ...state, ...repaired, ...left });
}

function pick(values: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}

/** Services report an update of a deleted object in many ways; a read confirms it. */
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
    if (!isRefusal(error) || error.advice?.includes("pulumi refresh") === true) {
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

/** A definition may have converted the service's error, so this excludes all other causes. */
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
    throw new Error(`${definition.type} ${id} no longer exists and cannot be updated. ${createAgain}`);
  }
  return wholeObject(definition, composeOutputs(definition, state, {}, before));
}
