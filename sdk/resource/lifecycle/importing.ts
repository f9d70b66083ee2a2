import type { Dialect } from "../../base/settings";
import { isObject, type JsonObject, type JsonValue } from "../../base/json";
import type { ArgumentDefinition } from "../fields/argument";
import { equivalent } from "../fields/canonical";
import { argumentsIn } from "./comparison";
import { hiddenKeys, withoutHidden } from "../state/hidden";
import { managedAfter, managedOf } from "../state/managed";
import { type ObjectContext, stepOf } from "./object";
import { composeOutputs, wrapSecrets, rememberSecrets } from "../state/outputs";
import type { AnyResourceDefinition } from "../definition";

export interface ImportedState {
  readonly outputs: JsonObject;
  readonly inputs: JsonObject;
}

/** Returns the inputs that a program must declare. `before` provides what the service does not return. */
export async function importObject(
  context: ObjectContext,
  id: string,
  before?: ImportedState,
): Promise<ImportedState | undefined> {
  const { definition, connection, dialect } = context;
  const known = before?.outputs ?? {};
  connection.assertSameService(known[hiddenKeys.at]);
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
      const isSaid =
        former !== undefined && (!Object.hasOwn(outputs, name) || equivalent(argument, former, value));
      return former === undefined ? [] : [[name, isSaid ? former : value] as const];
    }
    return isUsual(argument, value, { dialect, others: outputs }) ? [] : [[name, value] as const];
  });
  return {
    outputs: wrapSecrets(definition, {
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
  const said = Object.fromEntries(named) as JsonObject;
  return { ...known, [hiddenKeys.managed]: managedAfter(definition, said, known, { taken: false }) };
}

function pickArguments(definition: AnyResourceDefinition, values: JsonObject): JsonObject {
  return Object.fromEntries(argumentsIn(definition, values).map(([name]) => [name, values[name] ?? null]));
}

/** Whether a program can omit it: empty, or the service's default. */
export function isUsual(
  argument: ArgumentDefinition,
  value: JsonValue,
  where: {
    readonly dialect: Dialect;
    readonly others: JsonObject;
  },
): boolean {
  const { cleared, usualIn, usualBeside } = argument;
  const usual = [
    argument.default?.[where.dialect],
    usualIn?.[where.dialect],
    usualBeside?.(where.others),
    cleared,
  ];
  const same = (other: JsonValue | undefined): boolean =>
    other !== undefined && equivalent(argument, value, other);
  return isNothing(value) || usual.some(same);
}

function isNothing(value: JsonValue): boolean {
  return (
    value === null ||
    value === "" ||
    (Array.isArray(value) && value.length === 0) ||
    (isObject(value) && Object.keys(value).length === 0)
  );
}
