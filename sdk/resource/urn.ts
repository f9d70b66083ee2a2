import type { JsonObject } from "../base/json";
import { typeToken } from "./stub";

const prefix = "urn:pulumi:";
const separator = "::";

/**
 * A URN without what all have and what the resource's type says: `dev::shop::acme:Team::payments`, or
 * `dev::shop::::payments` where it has no parent. It stands twice in the state of every resource.
 */
export function shortUrn(urn: string): string {
  if (!urn.startsWith(prefix)) {
    return urn;
  }
  const [stack = "", project = "", types = "", ...name] = urn.slice(prefix.length).split(separator);
  const end = types.lastIndexOf("$");
  if (!types.slice(end + 1).startsWith(typeToken(""))) {
    // The plugin's: nothing keeps it in state.
    return urn;
  }
  const parents = types.slice(0, Math.max(0, end));
  return [stack, project, parents, ...name].join(separator);
}

/**
 * A resource's own URN, as the hidden input says, or the output that keeps it.
 *
 * @param type of the resource, for a URN in short; versions up to 0.1.0 wrote whole ones
 */
export function urnIn(values: JsonObject, type: string): string | undefined {
  const { __urn: said } = values;
  if (typeof said !== "string") {
    return undefined;
  }
  const [stack = "", project = "", parents, ...name] = said.split(separator);
  return said.startsWith(prefix) || parents === undefined || name.length === 0
    ? said
    : [
        prefix + stack,
        project,
        (parents === "" ? "" : `${parents}$`) + typeToken(type),
        name.join(separator),
      ].join(separator);
}
