import type * as Zod from "zod";
import type { Validation } from "../../resource/definition";
import { durationInSeconds } from "../../resource/schemas";

/** A duration as the engine takes it: in any spelling, but of whole seconds. */
export function wholeSeconds(z: Validation): Zod.ZodType<number, string | number> {
  return durationInSeconds(z).refine((seconds) => Number.isInteger(seconds), "must be whole seconds");
}
