import assert from "node:assert/strict";
import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import { textsWithin } from "../../../sdk/resource/state/entry";
import type { Values } from "../../cases/support/case";
import { certificates } from "../../support/certificates";
import { encodings, encodingsFound } from "../../support/texts";
import type { Properties } from "../../support/provider-process";
import { isMarked, withoutSecrets } from "../../support/values";

/** What is wrong with what was shown, and how much was looked at. */
export class Exposure {
  private readonly found = new Set<string>();
  /** How many texts have been searched. */
  searched = 0;
  readonly canaries = new Set<string>();

  /** Notes something that is wrong. */
  report(...problems: readonly string[]): void {
    problems.forEach((problem) => this.found.add(problem));
  }

  /** What is wrong so far, which is forgotten. */
  take(): string[] {
    const problems = [...this.found];
    this.found.clear();
    return problems;
  }

  /**
   * Looks for canaries in a text, in every encoding.
   *
   * @param where names the text in a report
   */
  search(where: string, text: string, canaries: readonly string[]): void {
    this.searched += 1;
    for (const canary of canaries) {
      this.canaries.add(canary);
      const names = encodingsFound(text, canary);
      if (names.length > 0) {
        const at = text.indexOf(encodings[names[0] ?? ""]?.(canary) ?? "");
        const around = text.slice(Math.max(0, at - 80), at + canary.length + 40);
        this.report(`${where} shows ${canary} (${names.join(", ")}): ...${around}...`);
      }
    }
  }

  /** Looks for canaries in properties that a provider returns, outside the marks of secrets, and for missing marks. */
  searchProperties(
    where: string,
    definition: AnyResourceDefinition,
    properties: Properties,
    canaries: readonly string[],
  ): void {
    for (const name of [...secretArguments(definition), ...secretOutputs(definition)]) {
      const value = properties[name];
      if (value !== undefined && value !== null && !isMarked(value)) {
        this.report(`${where} has ${name} without the mark of a secret`);
      }
    }
    this.search(where, JSON.stringify(withoutSecrets(properties)), canaries);
  }
}

/** Characters that encoders, patterns and markup make something of. */
const awkward = `"q'<a&b>/c+d=e%20\\n.*(f)[g]{h}$^|~\u00e9\u20ac#;,`;

function secretsIn(
  properties: Readonly<Record<string, { readonly secret?: boolean | undefined }>>,
): string[] {
  return Object.keys(properties).filter((name) => properties[name]?.secret === true);
}

/** The names of the secret arguments of a class. */
export const secretArguments = (definition: AnyResourceDefinition) => secretsIn(definition.arguments);

/** The names of the secret outputs of a class. */
export const secretOutputs = (definition: AnyResourceDefinition) => secretsIn(definition.outputs);

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
    assert.ok(typeof value === "string", `the case of ${definition.type} has no value for ${name}`);
    return [name, canaryLike(value, `${round}-${definition.type}-${name}`)];
  });
  const canaries = given.flatMap(([, value]) => (isKey(value) ? linesOfKey(value) : [secretPartOf(value)]));
  return { args: { ...values, ...Object.fromEntries(given) }, canaries };
}

/** What may be seen nowhere of the outputs that a service has given. */
export function canariesIn(definition: AnyResourceDefinition, outputs: Properties): string[] {
  // The parts of a structure are common words too.
  const texts = secretOutputs(definition).filter((name) => typeof outputs[name] === "string");
  return texts.flatMap((name) => textsWithin(outputs[name]));
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
