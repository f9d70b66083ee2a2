const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

const elements =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|2006|-07:00:00|-07:00|-070000|-0700|-07|Z07:00:00|Z07:00|Z070000|Z0700|Z07|002|__2|_2(?!006)|01|02|03|04|05|06|15|PM|pm|[.,](?:0+|9+)(?!\d)|[1-5]/g;

/**
 * The time, in UTC, in the form of a layout that shows the moment Mon Jan 2 15:04:05 MST 2006 as the result is to look,
 * for instance `2006-01-02T15:04:05Z07:00`.
 */
export function formatTime(time: Date, layout: string): string {
  return layout.replace(elements, (element) => formatElement(time, element));
}

function formatElement(time: Date, element: string): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const hour = time.getUTCHours() % 12 || 12;
  const month = months[time.getUTCMonth()] ?? "";
  const weekday = weekdays[time.getUTCDay()] ?? "";
  switch (element) {
    case "January":
      return month;
    case "Jan":
      return month.slice(0, 3);
    case "1":
      return String(time.getUTCMonth() + 1);
    case "01":
      return two(time.getUTCMonth() + 1);
    case "Monday":
      return weekday;
    case "Mon":
      return weekday.slice(0, 3);
    case "2":
      return String(time.getUTCDate());
    case "_2":
      return String(time.getUTCDate()).padStart(2, " ");
    case "02":
      return two(time.getUTCDate());
    case "002":
      return String(dayOfYear(time)).padStart(3, "0");
    case "__2":
      return String(dayOfYear(time)).padStart(3, " ");
    case "2006":
      return String(time.getUTCFullYear()).padStart(4, "0");
    case "06":
      return two(time.getUTCFullYear() % 100);
    case "15":
      return two(time.getUTCHours());
    case "3":
      return String(hour);
    case "03":
      return two(hour);
    case "4":
      return String(time.getUTCMinutes());
    case "04":
      return two(time.getUTCMinutes());
    case "5":
      return String(time.getUTCSeconds());
    case "05":
      return two(time.getUTCSeconds());
    case "PM":
      return time.getUTCHours() < 12 ? "AM" : "PM";
    case "pm":
      return time.getUTCHours() < 12 ? "am" : "pm";
    case "MST":
      return "UTC";
    default:
      return formatZoneOrFraction(time, element);
  }
}

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
