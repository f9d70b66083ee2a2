const months = "January February March April May June July August September October November December".split(
  " ",
);
const weekdays = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

const elements =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|-07:00:00|-07:00|-070000|-0700|-07|Z07:00:00|Z07:00|Z070000|Z0700|Z07|002|__2|_2(?!006)|01|02|03|04|05|06|15|PM|pm|[.,](?:0+|9+)(?!\d)|[1-5]/g;

/**
 * The time, in UTC, in the form of a layout that shows the moment Mon Jan 2 15:04:05 MST 2006 as the result is to look,
 * for instance `2006-01-02T15:04:05Z07:00`.
 */
export function formatTime(time: Date, layout: string): string {
  return layout.replace(
    elements,
    (element) => formats[element]?.(time) ?? formatZoneOrFraction(time, element),
  );
}

const two = (value: number): string => String(value).padStart(2, "0");
const hourOf = (time: Date): number => time.getUTCHours() % 12 || 12;
const half = (time: Date): string => (time.getUTCHours() < 12 ? "AM" : "PM");

const formats: Readonly<Record<string, (time: Date) => string>> = {
  January: (time) => months[time.getUTCMonth()] ?? "",
  Jan: (time) => (months[time.getUTCMonth()] ?? "").slice(0, 3),
  "1": (time) => String(time.getUTCMonth() + 1),
  "01": (time) => two(time.getUTCMonth() + 1),
  Monday: (time) => weekdays[time.getUTCDay()] ?? "",
  Mon: (time) => (weekdays[time.getUTCDay()] ?? "").slice(0, 3),
  "2": (time) => String(time.getUTCDate()),
  _2: (time) => String(time.getUTCDate()).padStart(2, " "),
  "02": (time) => two(time.getUTCDate()),
  "002": (time) => String(dayOfYear(time)).padStart(3, "0"),
  __2: (time) => String(dayOfYear(time)).padStart(3, " "),
  "2006": (time) => String(time.getUTCFullYear()).padStart(4, "0"),
  "06": (time) => two(time.getUTCFullYear() % 100),
  "15": (time) => two(time.getUTCHours()),
  "3": (time) => String(hourOf(time)),
  "03": (time) => two(hourOf(time)),
  "4": (time) => String(time.getUTCMinutes()),
  "04": (time) => two(time.getUTCMinutes()),
  "5": (time) => String(time.getUTCSeconds()),
  "05": (time) => two(time.getUTCSeconds()),
  PM: half,
  pm: (time) => half(time).toLowerCase(),
  MST: () => "UTC",
};

function formatZoneOrFraction(time: Date, element: string): string {
  if (element.startsWith("Z")) {
    return "Z";
  }
  if (element.startsWith("-")) {
    return element.replace("-", "+").replace("7", "0");
  }
  const digits = String(time.getUTCMilliseconds())
    .padStart(3, "0")
    .padEnd(9, "0")
    .slice(0, element.length - 1);
  if (element.includes("0")) {
    return element.slice(0, 1) + digits;
  }
  const significant = digits.replace(/0+$/, "");
  return significant === "" ? "" : element.slice(0, 1) + significant;
}

function dayOfYear(time: Date): number {
  const start = Date.UTC(time.getUTCFullYear(), 0, 1);
  return Math.floor((time.getTime() - start) / 86_400_000) + 1;
}
