import type { JsonObject } from "../../base/json";
import { generationOf, hiddenInputsOf, hiddenKeys, withoutHidden } from "../state/hidden";
import { managedOf, projectInputs } from "../state/managed";
import { type ObjectContext, stepOf } from "./object";
import { composeOutputs, withMetadata, wrapSecrets } from "../state/outputs";

/** The inputs show drift. `undefined` if the object no longer exists. */
export async function readObject(
  context: ObjectContext,
  id: string,
  properties: JsonObject,
): Promise<{ outputs: JsonObject; inputs?: JsonObject } | undefined> {
  const { definition, connection } = context;
  const before = withoutHidden(properties);
  connection.assertSameService(properties[hiddenKeys.at]);
  const step = stepOf(context, properties);
  const state = await definition.read(step, id, before);
  if (state === undefined) {
    return undefined;
  }
  const outputs = composeOutputs(definition, state, {}, before);
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
