/** A length of time: a number of milliseconds, or a text of numbers with units, such as `"30s"` or `"1h30m"`. */
export type Duration = number | string;

const millisecondsOf: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);

/**
 * @returns milliseconds
 * @throws RangeError when it is negative or not a duration
 */
export function toMilliseconds(duration: Duration): number {
  if (typeof duration === "number") {
    if (Number.isFinite(duration) && duration >= 0) {
      return duration;
    }
  } else if (/^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/.test(duration)) {
    let total = 0;
    for (const [, count, unit] of duration.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
      total += Number(count) * (millisecondsOf.get(unit ?? "") ?? Number.NaN);
    }
    return total;
  }
  throw new RangeError(
    `${JSON.stringify(duration)} is not a duration: give milliseconds, or a text such as "500ms", "30s" or "1h30m".`,
  );
}
