import type { JsonObject } from "../base/json";
import { processRedactor } from "../base/redactor";
import { generationOf, hiddenInputsOf, hiddenKeys, withoutHidden } from "./hidden";
import { importedKey, managedOf, projectInputs } from "./managed";
import { type ObjectContext, stepOf } from "./object";
import { composeOutputs, withMetadata, wrapSecrets } from "./outputs";

/**
 * Reads the object again: fresh outputs, and inputs which show what moved. `undefined` when it no longer
 * exists.
 */
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
  const managed = managedOf(definition, properties);
  if (managed === undefined) {
    return { outputs: wrapSecrets(definition, outputs) };
  }
  const projection = projectInputs(definition, managed, before, outputs);
  const metadata = {
    managed: projection.managed,
    at: connection.identity,
    memory: step.memory,
    generation: generationOf(properties),
    entry: properties,
  };
  return {
    outputs: wrapSecrets(definition, withMetadata(definition, outputs, metadata)),
    inputs: wrapSecrets(definition, { ...projection.inputs, ...hiddenInputsOf(properties) }),
  };
}

/** What an import left to the stack configuration: the service has these values and never tells them. */
function importedSecrets({ definition, configured }: ObjectContext, properties: JsonObject): JsonObject {
  const found = Object.entries(managedOf(definition, properties) ?? {}).flatMap(([name, marker]) => {
    const key = definition.arguments[name]?.writeOnly === true ? importedKey(marker) : undefined;
    const value = key === undefined ? undefined : configured(key);
    return value === undefined ? [] : [[name, value] as const];
  });
  processRedactor.register(...found.map(([, value]) => value));
  return Object.fromEntries(found);
}
