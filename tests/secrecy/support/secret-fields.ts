import assert from "node:assert/strict";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import { textsWithin } from "../../../sdk/resource/secret";
import type { Values } from "../../cases/support/case";
import { certificates } from "../../support/certificates";
import type { Properties } from "../../support/provider-process";

/** Characters that encoders, patterns and markup make something of. */
const awkward = `"q'<a&b>/c+d=e%20\\n.*(f)[g]{h}$^|~\u00e9\u20ac#;,`;

/** The names of the secret arguments of a class. */
export function secretArguments(definition: AnyResourceDefinition): string[] {
  return Object.entries(definition.arguments).flatMap(([name, { secret }]) =>
    secret === true ? [name] : [],
  );
}

/** The names of the secret outputs of a class. */
export function secretOutputs(definition: AnyResourceDefinition): string[] {
  return Object.entries(definition.outputs).flatMap(([name, { secret }]) => (secret === true ? [name] : []));
}

/**
 * The arguments of a case with a canary of its own in each secret one: as awkward as the argument allows. A key stays
 * what it is, since it has to fit its certificate; its lines are canaries.
 *
 * @returns the arguments, and every text that may be seen nowhere
 */
export function withCanaries(
  definition: AnyResourceDefinition,
  values: Values,
  round: string,
): { readonly args: Values; readonly canaries: readonly string[] } {
  const given = secretArguments(definition).map((name): [string, string] => {
    const value = values[name];
    assert.ok(
      typeof value === "string",
      `the case of ${definition.type} has no value for the secret ${name}`,
    );
    return [name, canaryLike(value, `${round}-${definition.type}-${name}`)];
  });
  const canaries = given.flatMap(([, value]) => (isKey(value) ? linesOfKey(value) : [secretPartOf(value)]));
  return { args: { ...values, ...Object.fromEntries(given) }, canaries };
}

/** What may be seen nowhere of the outputs that a service has given. */
export function canariesIn(definition: AnyResourceDefinition, outputs: Properties): string[] {
  return secretOutputs(definition)
    .filter((name) => definition.outputs[name]?.commonWords !== true)
    .flatMap((name) => textsWithin(outputs[name]));
}

/** The lines that make a key secret. */
export function linesOfKey(key: string): string[] {
  return key.split("\n").filter((line) => line.length >= 16 && !line.startsWith("-----"));
}

/** A client key that fits its certificate, and another one for arguments. */
export const keyPair = certificates().client;

function isKey(value: string): boolean {
  return value.includes("PRIVATE KEY-----");
}

function canaryLike(value: string, name: string): string {
  if (isKey(value)) {
    return value;
  }
  const canary = `canary-${name.replace(/[^\w-]/g, "-")}`;
  return URL.canParse(value) ? `${new URL(value).origin}/${canary}?a=1&b=%20` : `${canary}-${awkward}`;
}

/** Of an address the host is no secret. */
function secretPartOf(value: string): string {
  return URL.canParse(value) ? value.slice(new URL(value).origin.length + 1) : value;
}
