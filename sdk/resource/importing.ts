import { isObject, type JsonObject, type JsonValue } from "../base/json";
import { validation } from "../base/validation";
import type { ArgumentDefinition } from "./argument";
import { equivalent } from "./canonical";
import { defaultOf, schemaOf } from "./check";
import { argumentsIn } from "./comparison";
import { hiddenKeys } from "./hidden";
import { managedAfter, managedOf } from "./managed";
import { type ObjectContext, stepOf } from "./object";
import { composeOutputs, wrapSecrets } from "./outputs";
import { rememberSecrets } from "./remember-secrets";
import type { AnyResourceDefinition } from "./definition";

/**
 * Reads an object of which nothing but the id is known, for state: its inputs are what a program has to say of it.
 *
 * @returns `undefined` when there is none
 */
export async function importObject(
  context: ObjectContext,
  id: string,
): Promise<{ outputs: JsonObject; inputs: JsonObject } | undefined> {
  const { definition, connection, dialect } = context;
  const step = stepOf(context, {});
  const state = await definition.read(step, id, {});
  if (state === undefined) {
    return undefined;
  }
  rememberSecrets(definition, state);
  const memory = definition.remember?.(step.client, state) ?? {};
  const outputs = composeOutputs(definition, state, {}, {});
  const schema = schemaOf(definition, validation(), dialect);
  const inputs = argumentsIn(definition, outputs).flatMap(([name, argument]) => {
    const value = outputs[name] ?? null;
    const usual = [defaultOf(schema, name), argument.usualIn?.[dialect]];
    return isUsual(argument, value, usual) ? [] : [[name, value] as const];
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

/**
 * The outputs of an object in state. Of one that was imported they do not say how it is managed: that follows from the
 * inputs in state, and what the service does not tell is what the program says.
 *
 * @param former the inputs in state
 * @param inputs what the program says now. Default: what it said
 */
export function asManaged(
  definition: AnyResourceDefinition,
  outputs: JsonObject,
  former: JsonObject,
  inputs: JsonObject = former,
): JsonObject {
  if (managedOf(definition, outputs) !== undefined) {
    return outputs;
  }
  const known = { ...pickArguments(definition, { ...inputs, ...former }), ...outputs };
  const named = argumentsIn(definition, inputs).map(([name]) => [name, former[name] ?? known[name] ?? null]);
  const said = Object.fromEntries(named) as JsonObject;
  return { ...known, [hiddenKeys.managed]: managedAfter(definition, said, known, { taken: false }) };
}

function pickArguments(definition: AnyResourceDefinition, values: JsonObject): JsonObject {
  return Object.fromEntries(argumentsIn(definition, values).map(([name]) => [name, values[name] ?? null]));
}

/** Whether a program need not say it: nothing, or what the service takes where nothing is said. */
export function isUsual(
  argument: ArgumentDefinition,
  value: JsonValue,
  usual: readonly (JsonValue | undefined)[],
): boolean {
  const same = (other: JsonValue | undefined): boolean =>
    other !== undefined && equivalent(argument, value, other);
  return isNothing(value) || [...usual, argument.cleared].some(same);
}

function isNothing(value: JsonValue): boolean {
  return (
    value === null ||
    value === "" ||
    (Array.isArray(value) && value.length === 0) ||
    (isObject(value) && Object.keys(value).length === 0)
  );
}
