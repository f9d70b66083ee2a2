export type { ConnectionOptions, LoginOptions } from "./connection";
export type { Event, EventTopic, EventType, Frame, NodeEvent, OtherEvent, PlainTopic } from "./event";
export { EventGate, type EventGateArgs, type EventGateMatch } from "./event-gate";
export type { Gap } from "./history";
export type { EventMatch } from "./match";
export type {
  Network,
  Node,
  NodeDriver,
  NodeLogEntry,
  NodeNetwork,
  NodeNetworkAddress,
  NodeReservedResources,
  NodeResources,
  NodeResourceTotals,
  Undocumented,
} from "./node";
export { readEvents, type ReadEventsOptions, type ReadUntil } from "./read-events";
export type { Reconnection } from "./reconnection";
export type { StreamOptions } from "./stream-options";
export { events, streamEvents } from "./stream-events";
export { waitForEvent, type WaitForEventOptions } from "./wait-for-event";
