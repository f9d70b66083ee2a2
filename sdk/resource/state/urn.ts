import type { JsonObject } from "../../base/json";
import { typeToken } from "./stub";

const prefix = "urn:pulumi:";
const separator = "::";

export function isWholeUrn(value: unknown): boolean {
  return typeof value === "string" && value.startsWith(prefix);
}

/** `dev::shop::acme:Team::payments`, or `dev::shop::::payments` without a parent: the resource's type is implied. */
export function shortUrn(urn: string): string {
  if (!urn.startsWith(prefix)) {
    return urn;
  }
  const [stack = "", project = "", types = "", ...name] = urn.slice(prefix.length).split(separator);
  const end = types.lastIndexOf("$");
  const parents = types.slice(0, Math.max(0, end));
  return [stack, project, parents, ...name].join(separator);
}

/** Completes a short URN with the type; versions up to 0.1.0 wrote the whole one. */
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
