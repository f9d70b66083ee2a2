import type { AnyResourceDefinition } from "../../../sdk/resource/definition";
import { secret } from "../../contract/support/values";
import { encodings, encodingsFound } from "../../support/encodings";
import type { Properties } from "../../support/provider-process";
import { secretArguments, secretOutputs } from "./secret-fields";

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

  /** Looks for canaries in properties that a provider answers, outside the marks of secrets, and for missing marks. */
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

const [signatureKey = ""] = Object.keys(secret(null) as object);

function isMarked(value: unknown): boolean {
  return typeof value === "object" && value !== null && signatureKey in value;
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(withoutSecrets);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return isMarked(value)
    ? "[marked]"
    : Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutSecrets(inner)]));
}
