import { isObject } from "../base/json";
import { showable, type ShownText } from "../base/shown-text";
import type { Event } from "../scheduler";

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
  const { index, topic, type, key, namespace } = event;
  const columns = [
    String(index).padStart(8),
    column(topic, 10),
    column(type, 24),
    column(key, 36),
    column(namespace === "" ? "-" : namespace, 10),
    detailsOf(event),
  ];
  return showable(columns.join("  ").trimEnd());
}

export function eventHeading(): ShownText {
  const columns = ["index".padStart(8), column("topic", 10), column("type", 24), column("key", 36)];
  return showable([...columns, column("namespace", 10), "details"].join("  "));
}

function column(text: string, width: number): string {
  return showable(text, longestName).padEnd(width);
}

function detailsOf({ payload, key }: Event): string {
  const object = Object.values(payload).find(isObject) ?? {};
  return telling
    .map((name) => [name, object[name]] as const)
    .filter(([, value]) => typeof value === "string" && value !== "" && value !== key)
    .map(([name, value]) => `${name}=${showable(String(value), longestName)}`)
    .join(" ");
}
