import type { JsonObject } from "../base/json";
import { typeToken } from "./stub";

const prefix = "urn:pulumi:";
const separator = "::";

/**
 * A URN without the parts that are constant or implied by the type of the resource:
 * `dev::shop::acme:Team::payments`, or `dev::shop::::payments` without a parent. It is stored twice in the
 * state of every resource.
 */
export function shortUrn(urn: string): string {
  if (!urn.startsWith(prefix)) {
    return urn;
  }
  const [stack = "", project = "", types = "", ...name] = urn.slice(prefix.length).split(separator);
  const end = types.lastIndexOf("$");
  if (!types.slice(end + 1).startsWith(typeToken(""))) {
    // A URN of the plugin: it is not stored in state.
    return urn;
  }
  const parents = types.slice(0, Math.max(0, end));
  return [stack, project, parents, ...name].join(separator);
}

/**
 * The resource's own URN, from the hidden input or output.
 *
 * @param type of the resource, for a short URN; versions up to 0.1.0 wrote the whole one
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
