const secondsOf: ReadonlyMap<string, number> = new Map([
  ["ns", 1e-9],
  ["us", 1e-6],
  ["ms", 1e-3],
  ["s", 1],
  ["m", 60],
  ["h", 3_600],
  ["d", 86_400],
]);

/**
 * A length of time as the service accepts it: a whole number of seconds, the same as a text, or numbers with units.
 *
 * @returns whole seconds, a fraction cut off; `undefined` when it is no such value or negative
 */
export function readDuration(value: unknown): number | undefined {
  const seconds = typeof value === "string" ? parseDuration(value.trim()) : value;
  return typeof seconds === "number" && Number.isSafeInteger(seconds) && seconds >= 0 ? seconds : undefined;
}

function parseDuration(text: string): number | undefined {
  if (/^\d+$/.test(text)) {
    return Number(text);
  }
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|ms|s|m|h|d))+$/.test(text)) {
    return undefined;
  }
  let total = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|ms|s|m|h|d)/g)) {
    total += Number(count) * (secondsOf.get(unit ?? "") ?? Number.NaN);
  }
  // Fractions such as 1.1h must not lose a second to the arithmetic.
  return Math.floor(Number(total.toFixed(6)));
}
