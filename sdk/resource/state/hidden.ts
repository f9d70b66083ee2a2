import type { JsonObject } from "../../base/json";
import { isWholeUrn } from "./urn";

/** Hidden inputs and outputs: absent from plans, present in exported state, so never a secret or its hash. */
export const hiddenKeys = {
  /** The managed arguments: see `managed.ts`. */
  managed: "__managed",
  /** The service where the object was created. With the prefix {@link managesAll}, it replaces `managed`. */
  at: "__at",
  /** Data that a definition stores about an object. */
  memory: "__memory",
  /**
   * The resource's URN: whole if it is from the engine's call (`call-urns.ts`), otherwise the short one that the
   * program sends. Only a short one is written to state. A refresh with drift returns it, or it would show as removed.
   */
  urn: "__urn",
  /** Input and output: the names of the arguments that the program marked as secret. */
  secrets: "__secrets",
  /** After a manual replacement, distinguishes an adopted object's entry from the former one with the same URN. */
  generation: "__generation",
  /** Input: the options of this run (`RunOptions`). Check removes it, so it is never in state. */
  run: "__run",
} as const;

/** Prefix of {@link hiddenKeys.at}: the program manages all arguments that the outputs have. */
export const managesAll = "*";

const hiddenNames: ReadonlySet<string> = new Set([...Object.values(hiddenKeys), "__provider"]);

export function isHidden(key: string): boolean {
  return hiddenNames.has(key);
}

export function withoutHidden(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !isHidden(key)));
}

/** From the inputs themselves, or from the outputs in state that store them. */
export function hiddenInputsOf(values: JsonObject): JsonObject {
  const { [hiddenKeys.urn]: urn, [hiddenKeys.secrets]: secrets } = values;
  return {
    ...(urn === undefined || isWholeUrn(urn) ? {} : { [hiddenKeys.urn]: urn }),
    ...(secrets === undefined ? {} : { [hiddenKeys.secrets]: secrets }),
  };
}

export function generationOf(outputs: JsonObject): string | undefined {
  const generation = outputs[hiddenKeys.generation];
  return typeof generation === "string" ? generation : undefined;
}
