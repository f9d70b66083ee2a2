export type { ConnectionOptions, LoginOptions, Reconnection, StreamOptions } from "./options";
export { EventGate, type EventGateArgs } from "./event-gate";
export type { Gap } from "./history";
export type { EventGateMatch, EventMatch } from "./subscription";
export type * from "./event";
export { EventType, NomadTopic } from "./event";
export type { ReadEventsOptions, ReadUntil, WaitForEventOptions } from "./functions";
export { events, readEvents, streamEvents, waitForEvent } from "./functions";
