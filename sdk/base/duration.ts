const secondsOf: Readonly<Record<string, number>> = {
  ns: 1e-9,
  us: 1e-6,
  µs: 1e-6,
  ms: 1e-3,
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
};

const part = /(\d+(?:\.\d+)?|\.\d+)(ns|us|µs|ms|s|m|h|d)/y;

/**
 * Accepts what the services accept: seconds (`90`, `"90"`), or units in any order (`"1h30m"`, `"1.5h"`, `"1d"`).
 *
 * @returns seconds; `undefined` for anything else, negative durations included
 */
export function parseDuration(duration: unknown): number | undefined {
  if (typeof duration === "number") {
    return Number.isFinite(duration) && duration >= 0 ? duration : undefined;
  }
  if (typeof duration !== "string") {
    return undefined;
  }
  const text = duration.trim();
  if (/^\d+(\.\d+)?$/.test(text)) {
    return Number(text);
  }
  let seconds = 0;
  part.lastIndex = 0;
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    if (match === null) {
      return undefined;
    }
    seconds += Number(match[1]) * (secondsOf[match[2] ?? ""] ?? Number.NaN);
  }
  // Rounds off errors such as in 0.1 + 0.2. No service is more precise than a nanosecond.
  return text === "" ? undefined : Number(seconds.toFixed(9));
}
