export type { ConnectionOptions, LoginOptions } from "./connection";
export { EventGate, type EventGateArgs, type EventGateMatch } from "./event-gate";
export type { Gap } from "./history";
export type { EventMatch } from "./match";
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
export type { Reconnection } from "./reconnection";
export type { StreamOptions } from "./stream-options";
export {
  events,
  readEvents,
  type ReadEventsOptions,
  type ReadUntil,
  streamEvents,
  waitForEvent,
  type WaitForEventOptions,
} from "./functions";
