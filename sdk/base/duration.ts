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

const parts = /^(?:(?:\d+(?:\.\d+)?|\.\d+)(?:ns|us|µs|ms|[smhd]))+$/;

/**
 * Accepts what the services accept: seconds (`90`, `"90"`), or units in any order (`"1h30m"`, `"1.5h"`, `"1d"`).
 *
 * @returns seconds; `undefined` for anything else, negative durations included
 */
export function parseDuration(duration: unknown): number | undefined {
  if (typeof duration === "number") {
    return Number.isFinite(duration) && duration >= 0 ? duration : undefined;
  }
  const text = typeof duration === "string" ? duration.trim() : "";
  if (/^\d+(\.\d+)?$/.test(text)) {
    return Number(text);
  }
  const seconds = Array.from(text.matchAll(/([\d.]+)([a-zµ]+)/g)).reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (secondsOf[unit] ?? Number.NaN),
    0,
  );
  // Rounds off errors such as in 0.1 + 0.2. No service is more precise than a nanosecond.
  return parts.test(text) ? Number(seconds.toFixed(9)) : undefined;
}
