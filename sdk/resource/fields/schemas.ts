import type * as Zod from "zod";
import { problemInPath } from "../../base/path";
import type { Validation } from "../../base/validation";
import { parseDuration } from "../../base/duration";

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

/** For a service with a resolution of seconds. */
export function wholeSeconds(z: Validation): Zod.ZodType<number, string | number> {
  return durationInSeconds(z).refine(
    (seconds) => Number.isInteger(seconds),
    "must be a whole number of seconds",
  );
}

/** A path segment, so it must not be empty or resolve to another path. */
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

export function warnOfEmpty(value: unknown): string | undefined {
  if (value === "") {
    return "is empty";
  }
  return Array.isArray(value) && value.includes("") ? "has an empty item" : undefined;
}

const longestName = 1_000;

/** Limited, because it becomes part of requests and messages. */
export function nameInResponse(z: Validation): Zod.ZodType<string, string> {
  // Fast path: lists have many names, and nearly all of them are plain ASCII.
  const isWellFormed = (text: string): boolean => /^[\x20-\x7e]*$/.test(text) || !/\p{Surrogate}/u.test(text);
  return z.string().min(1).max(longestName).refine(isWellFormed);
}
