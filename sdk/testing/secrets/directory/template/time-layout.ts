const months = "January February March April May June July August September October November December".split(
  " ",
);
const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

const padded = (value: number, width: number, filler = "0"): string => String(value).padStart(width, filler);

function dayOfYear(time: Date): number {
  return Math.floor((time.getTime() - Date.UTC(time.getUTCFullYear(), 0, 1)) / 86_400_000) + 1;
}

const hour12 = (time: Date): number => time.getUTCHours() % 12 || 12;
const half = (time: Date): string => (time.getUTCHours() < 12 ? "AM" : "PM");

/** Elements of Go's reference time, Mon Jan 2 15:04:05 MST 2006; longer ones before those that they begin with. */
const elements: readonly (readonly [string, (time: Date) => string])[] = [
  ["January", (time) => months[time.getUTCMonth()] ?? ""],
  ["Jan(?![a-z])", (time) => (months[time.getUTCMonth()] ?? "").slice(0, 3)],
  ["Monday", (time) => days[time.getUTCDay()] ?? ""],
  ["Mon(?![a-z])", (time) => (days[time.getUTCDay()] ?? "").slice(0, 3)],
  ["MST", () => "UTC"],
  ["01", (time) => padded(time.getUTCMonth() + 1, 2)],
  ["02", (time) => padded(time.getUTCDate(), 2)],
  ["03", (time) => padded(hour12(time), 2)],
  ["04", (time) => padded(time.getUTCMinutes(), 2)],
  ["05", (time) => padded(time.getUTCSeconds(), 2)],
  ["06", (time) => padded(time.getUTCFullYear() % 100, 2)],
  ["002", (time) => padded(dayOfYear(time), 3)],
  ["15", (time) => padded(time.getUTCHours(), 2)],
  ["1", (time) => String(time.getUTCMonth() + 1)],
  ["2006", (time) => padded(time.getUTCFullYear(), 4)],
  ["2", (time) => String(time.getUTCDate())],
  ["_2006", (time) => `_${padded(time.getUTCFullYear(), 4)}`],
  ["_2", (time) => padded(time.getUTCDate(), 2, " ")],
  ["__2", (time) => padded(dayOfYear(time), 3, " ")],
  ["3", (time) => String(hour12(time))],
  ["4", (time) => String(time.getUTCMinutes())],
  ["5", (time) => String(time.getUTCSeconds())],
  ["PM", half],
  ["pm", (time) => half(time).toLowerCase()],
  ["-070000", () => "+000000"],
  ["-07:00:00", () => "+00:00:00"],
  ["-0700", () => "+0000"],
  ["-07:00", () => "+00:00"],
  ["-07", () => "+00"],
  ["Z070000|Z07:00:00|Z0700|Z07:00|Z07", () => "Z"],
];

const pattern = new RegExp(
  [...elements.map(([source]) => `(${source})`), "([.,])(0+|9+)(?!\\d)"].join("|"),
  "g",
);

/**
 * As `time.Format` of Go.
 *
 * @param time counts as UTC
 * @param layout bytes
 */
export function formatTime(time: Date, layout: string): string {
  return layout.replace(pattern, (...match: (string | undefined)[]) => {
    const index = elements.findIndex((_element, position) => match[position + 1] !== undefined);
    const [separator = "", digits = ""] = match.slice(elements.length + 1);
    const element = elements[index];
    return element === undefined ? fraction(time, separator, digits) : element[1](time);
  });
}

/** Zeros in the layout keep trailing zeros, nines omit them. */
function fraction(time: Date, separator: string, digits: string): string {
  const nanoseconds = padded(time.getUTCMilliseconds(), 3).padEnd(9, "0");
  const shown = nanoseconds.slice(0, digits.length);
  const kept = digits.startsWith("9") ? shown.replace(/0+$/, "") : shown;
  return kept === "" ? "" : separator + kept;
}
