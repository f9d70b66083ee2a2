import type * as Zod from "zod";
import type { Validation } from "./definition";
import { parseDuration } from "./duration";

/** A duration in any accepted spelling; it becomes seconds. */
export function durationInSeconds(z: Validation): Zod.ZodType<number, string | number> {
  return z.union([z.string(), z.number()], "must be a duration").transform((value, context) => {
    const seconds = parseDuration(value);
    if (seconds === undefined) {
      context.addIssue({ code: "custom", message: 'must be a duration such as 30, "30s" or "1h30m"' });
      return z.NEVER;
    }
    return seconds;
  });
}
