import { isObject } from "../base/json";
import { MalformedStreamError, type WireObject } from "./decoder";
import type { Event, Frame } from "./event";

/**
 * The frame in an object of the stream.
 *
 * @returns `undefined` for a heartbeat, which has no events
 * @throws MalformedStreamError
 */
export function readFrame({ Index: index, Events: events }: WireObject): Frame | undefined {
  if (events === undefined || events === null || (Array.isArray(events) && events.length === 0)) {
    return undefined;
  }
  if (!Array.isArray(events)) {
    throw unexpected("Events", "a list");
  }
  if (!isIndex(index)) {
    throw unexpected("Index", "a whole number");
  }
  return { index, events: events.map((event, position) => readEvent(event, position, index)) };
}

/** Payloads are passed through: there are more topics and members than documented. */
function readEvent(sent: unknown, position: number, frameIndex: number): Event {
  if (!isObject(sent)) {
    throw unexpected(at(position, ""), "an object");
  }
  const { Topic, Type, Key } = sent;
  const Namespace = sent.Namespace ?? "";
  const FilterKeys = sent.FilterKeys ?? null;
  const Index = sent.Index ?? frameIndex;
  const Payload = sent.Payload ?? {};
  if (typeof Topic !== "string" || typeof Type !== "string" || typeof Key !== "string") {
    throw unexpected(`Topic, Type and Key of ${at(position, "")}`, "strings");
  }
  if (typeof Namespace !== "string") {
    throw unexpected(at(position, ".Namespace"), "a string");
  }
  if (!isIndex(Index)) {
    throw unexpected(at(position, ".Index"), "a whole number");
  }
  if (FilterKeys !== null && !isListOfTexts(FilterKeys)) {
    throw unexpected(at(position, ".FilterKeys"), "a list of strings or null");
  }
  if (!isObject(Payload)) {
    throw unexpected(at(position, ".Payload"), "an object");
  }
  const event: Readonly<Record<keyof Event, unknown>> = {
    topic: Topic,
    type: Type,
    key: Key,
    namespace: Namespace,
    filterKeys: FilterKeys,
    index: Index,
    payload: Payload,
  };
  return event as Event;
}

function at(position: number, member: string): string {
  return `Events[${position}]${member}`;
}

/** Whether a stream can be resumed from the value. */
function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function unexpected(what: string, expected: string): MalformedStreamError {
  return new MalformedStreamError(`expected ${what} of a frame to be ${expected}`);
}
