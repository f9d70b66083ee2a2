import { isObject } from "../resource/json";
import type { Event } from "../scheduler";
import { visible } from "./terminal";

/** Members of the objects in payloads that tell most in the least space. */
const telling = [
  "Name",
  "JobID",
  "Status",
  "ClientStatus",
  "DesiredStatus",
  "SchedulingEligibility",
  "StatusDescription",
];

/** An event on one line, for people. */
export function eventLine(event: Event): string {
  const { index, topic, type, key, namespace } = event;
  const columns = [
    String(index).padStart(8),
    topic.padEnd(10),
    type.padEnd(24),
    key.padEnd(36),
    (namespace === "" ? "-" : namespace).padEnd(10),
    detailsOf(event),
  ];
  return visible(columns.join("  ").trimEnd());
}

function detailsOf({ payload, key }: Event): string {
  const object = Object.values(payload).find(isObject) ?? {};
  return telling
    .map((name) => [name, object[name]] as const)
    .filter(([, value]) => typeof value === "string" && value !== "" && value !== key)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(" ");
}
