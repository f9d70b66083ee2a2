import { parseDuration } from "../base/timing";

/** A length of time: a number of milliseconds, or a string of numbers with units, such as `"30s"` or `"1h30m"`. */
export type Duration = number | string;

/** @throws RangeError for a negative or invalid duration */
export function toMilliseconds(duration: Duration): number {
  if (typeof duration === "number" && Number.isFinite(duration) && duration >= 0) {
    return duration;
  }
  // A string without a unit would mean seconds, while numbers are milliseconds.
  const isText = typeof duration === "string" && /^\S+[a-z]$/.test(duration);
  const seconds = isText ? parseDuration(duration) : undefined;
  if (seconds === undefined) {
    throw new RangeError(
      `${JSON.stringify(duration)} is not a duration: give milliseconds, or a string such as "500ms", "30s" or "1h30m".`,
    );
  }
  return seconds * 1_000;
}
