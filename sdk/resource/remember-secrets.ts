import { processRedactor } from "../base/redactor";
import type { AnyResourceDefinition, RemoteState } from "./definition";
import { secretNames } from "./outputs";
import { textsWithin } from "./secret";

/** Registers the secrets among the values for redaction. */
export function rememberSecrets(definition: AnyResourceDefinition, values: RemoteState): void {
  for (const name of secretNames(definition)) {
    if (definition.outputs[name]?.commonWords !== true) {
      processRedactor.register(...textsWithin(values[name]));
    }
  }
}
