import type * as Zod from "zod";
import { problemInPath } from "../base/path";
import type { Validation } from "../base/validation";
import { parseDuration } from "../base/duration";

/** A duration in any accepted spelling; it becomes seconds. */
export function durationInSeconds(z: Validation): Zod.ZodType<number, string | number> {
  const error = ({ input }: { readonly input?: unknown }): string =>
    input === undefined ? "is required" : "must be a duration";
  return z.union([z.string(), z.number()], { error }).transform((value, context) => {
    const seconds = parseDuration(value);
    if (seconds === undefined) {
      context.addIssue({ code: "custom", message: 'must be a duration such as 30, "30s" or "1h30m"' });
      return z.NEVER;
    }
    return seconds;
  });
}

/** A duration for a service that counts whole seconds only: in any spelling. */
export function wholeSeconds(z: Validation): Zod.ZodType<number, string | number> {
  return durationInSeconds(z).refine((seconds) => Number.isInteger(seconds), "must be whole seconds");
}

/** A name or an id that becomes a part of a path, and so is neither empty nor anything that would lead elsewhere. */
export function nameInPath(z: Validation): Zod.ZodString {
  return z
    .string()
    .min(1, "must not be empty")
    .superRefine((value, context) => {
      const problem = value === "" ? undefined : problemInPath(value);
      if (problem !== undefined) {
        context.addIssue({ code: "custom", message: problem });
      }
    });
}

/** Warns of a text, or an item of a list, that is empty. */
export function warnOfEmpty(value: unknown): string | undefined {
  if (value === "") {
    return "is empty";
  }
  return Array.isArray(value) && value.includes("") ? "has an empty item" : undefined;
}

const longestName = 1_000;

/** An id or a name in an answer that becomes part of a request and stands in messages. */
export function nameInAnswer(z: Validation): Zod.ZodType<string, string> {
  // Lists have many names, and nearly all of them are plain.
  const isWellFormed = (text: string): boolean => /^[\x20-\x7e]*$/.test(text) || !/\p{Surrogate}/u.test(text);
  return z.string().min(1).max(longestName).refine(isWellFormed);
}
