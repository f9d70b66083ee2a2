import type { JsonObject } from "../base/json";
import { shortUrn } from "./urn";

/** Hidden inputs and outputs: absent from plans, present in exported state, so never a secret nor its hash. */
export const hiddenKeys = {
  /** What the program manages: see `managed.ts`. */
  managed: "__managed",
  /** The identity of the service that the object was made at. */
  at: "__at",
  /** What a definition itself wants to remember about an object, where it wants to. */
  memory: "__memory",
  /**
   * Input and output, in short: where progress is shown, as hooks are not told. A refresh that finds drift gives it back from
   * the outputs; it would show as removed otherwise, and as added in the plan after that.
   */
  urn: "__urn",
  /** Input and output: the names of the arguments which the program itself marked as secret. */
  secrets: "__secrets",
  /**
   * Tells the entry of an object that was adopted from the entry which had it before, where both have one URN: a
   * resource that was replaced by hand.
   */
  generation: "__generation",
  /** Input: what only this run is to know (`RunOptions`). Check takes it out, so that state never has it. */
  run: "__run",
} as const;

/** Whether a key is none of the arguments and outputs that users see. */
export function isHidden(key: string): boolean {
  return Object.values<string>(hiddenKeys).includes(key) || key === "__provider";
}

/** The arguments or outputs without the hidden ones. */
export function withoutHidden(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !isHidden(key)));
}

/** The hidden inputs, from the inputs themselves or from the outputs that they were kept in. */
export function hiddenInputsOf(values: JsonObject): JsonObject {
  const { [hiddenKeys.urn]: urn, [hiddenKeys.secrets]: secrets } = values;
  return {
    ...(urn === undefined ? {} : { [hiddenKeys.urn]: typeof urn === "string" ? shortUrn(urn) : urn }),
    ...(secrets === undefined ? {} : { [hiddenKeys.secrets]: secrets }),
  };
}

/** What tells an entry of the state from a former one of the same object, if anything. */
export function generationOf(outputs: JsonObject): string | undefined {
  const generation = outputs[hiddenKeys.generation];
  return typeof generation === "string" ? generation : undefined;
}
