import type { JsonObject } from "../../base/json";
import { isWholeUrn } from "./urn";

/** Hidden inputs and outputs: absent from plans, present in exported state, so never a secret or its hash. */
export const hiddenKeys = {
  /** The managed arguments: see `managed.ts`. */
  managed: "__managed",
  /** The service where the object was created; with {@link managesAll} before it instead of `managed`. */
  at: "__at",
  /** What a definition stores about an object. */
  memory: "__memory",
  /**
   * The URN of the resource: whole if the call of the engine has it. The program sends a short one, which is only in
   * state if the process cannot take it from the calls (`call-urns.ts`). State of earlier versions has one too. A
   * refresh that finds drift returns it from the outputs: otherwise it would show as removed.
   */
  urn: "__urn",
  /** Input and output: the names of the arguments that the program marked as secret. */
  secrets: "__secrets",
  /**
   * Distinguishes the entry of an adopted object from its former entry with the same URN, after a replacement
   * by hand.
   */
  generation: "__generation",
  /** Input: the options of this run (`RunOptions`). Check removes it, so that it is never in state. */
  run: "__run",
} as const;

/** Before the place in {@link hiddenKeys.at}: the program manages all arguments that the outputs have. */
export const managesAll = "*";

const hiddenNames: ReadonlySet<string> = new Set([...Object.values(hiddenKeys), "__provider"]);

/** Whether a key is neither an argument nor an output that users see. */
export function isHidden(key: string): boolean {
  return hiddenNames.has(key);
}

/** The arguments or outputs without the hidden ones. */
export function withoutHidden(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !isHidden(key)));
}

/** The hidden inputs in state, from the inputs themselves or from the outputs that store them. */
export function hiddenInputsOf(values: JsonObject): JsonObject {
  const { [hiddenKeys.urn]: urn, [hiddenKeys.secrets]: secrets } = values;
  return {
    ...(urn === undefined || isWholeUrn(urn) ? {} : { [hiddenKeys.urn]: urn }),
    ...(secrets === undefined ? {} : { [hiddenKeys.secrets]: secrets }),
  };
}

/** What distinguishes an entry in state from a former one of the same object, if anything. */
export function generationOf(outputs: JsonObject): string | undefined {
  const generation = outputs[hiddenKeys.generation];
  return typeof generation === "string" ? generation : undefined;
}
