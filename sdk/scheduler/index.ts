export type { ConnectionOptions, LoginOptions, StreamOptions } from "./options";
export { EventGate, type EventGateArgs, type EventGateMatch } from "./event-gate";
export type { Gap } from "./history";
export type { EventMatch } from "./subscription";
export type {
  Event,
  EventTopic,
  EventType,
  Frame,
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
  NodeEvent,
  OtherEvent,
  PlainTopic,
} from "./event";
export type { Reconnection } from "./follow";
export {
  events,
  readEvents,
  type ReadEventsOptions,
  type ReadUntil,
  streamEvents,
  waitForEvent,
  type WaitForEventOptions,
} from "./functions";
