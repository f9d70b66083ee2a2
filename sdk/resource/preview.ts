import type { JsonObject, JsonValue } from "../base/json";
import { toJson } from "../base/json";
import type { Dialect } from "../base/settings";
import type { Validation } from "../base/validation";
import { schemaOf } from "./check";
import type { AnyResourceDefinition } from "./definition";
import { wrapSecrets } from "./outputs";
import { containsUnknown, unknownValue } from "./unknown";

/**
 * The outputs of a resource before it is created or updated: arguments are known as far as the program says them.
 *
 * @param inputs the checked inputs
 */
export function foreseenOutputs(
  definition: AnyResourceDefinition,
  z: Validation,
  dialect: Dialect,
  inputs: JsonObject,
): JsonObject {
  const schema = schemaOf(definition, z, dialect);
  const foreseen: Record<string, JsonValue> = {};
  for (const [name, { role, writeOnly }] of Object.entries(definition.arguments)) {
    const value = inputs[name] ?? null;
    const field = schema[name];
    if (role === "behaviour" || writeOnly === true) {
      foreseen[name] = value;
    } else if (role !== "creation" && field !== undefined) {
      const result = containsUnknown(value) || value === null ? undefined : z.safeParse(field, value);
      foreseen[name] = (result?.success === true ? toJson(result.data) : undefined) ?? unknownValue;
    }
  }
  for (const name of Object.keys(definition.outputs)) {
    foreseen[name] = unknownValue;
  }
  return wrapSecrets(definition, foreseen);
}
