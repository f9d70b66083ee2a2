import { isObject } from "../base/json";
import { showable, showableJson, type ShownText } from "../base/shown-text";
import type { Event } from "../scheduler";
import { exactIndex, markedInteger, withNumbers } from "../scheduler/exact-numbers";

const longestName = 200;

const telling = [
  "Name",
  "JobID",
  "Status",
  "ClientStatus",
  "DesiredStatus",
  "SchedulingEligibility",
  "StatusDescription",
];

export function eventLine(event: Event): ShownText {
  const { topic, type, key, namespace } = event;
  return inColumns(String(exactIndex(event)), [topic, type, key, namespace || "-"], detailsOf(event));
}

/** Numbers have exactly the scheduler's digits. */
export function eventJson(event: Event): ShownText {
  return showableJson({ ...event, index: markedInteger(exactIndex(event)) }, withNumbers);
}

export function eventHeading(): ShownText {
  return inColumns("index", ["topic", "type", "key", "namespace"], "details");
}

const widths = [10, 24, 36, 10];

function inColumns(index: string, columns: readonly string[], details: string): ShownText {
  const padded = columns.map((text, position) => showable(text, longestName).padEnd(widths[position] ?? 0));
  return showable([index.padStart(8), ...padded, details].join("  ").trimEnd());
}

function detailsOf({ payload, key }: Event): string {
  const object = Object.values(payload).find(isObject) ?? {};
  return telling
    .map((name) => [name, object[name]] as const)
    .filter(([, value]) => typeof value === "string" && value !== "" && value !== key)
    .map(([name, value]) => `${name}=${showable(String(value), longestName)}`)
    .join(" ");
}
