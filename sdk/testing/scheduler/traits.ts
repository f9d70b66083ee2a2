import type { Dialect } from "../../base/settings";

/** What the scheduler does in each dialect. */
export const schedulerTraits = {
  documented: {
    /** Whether the service has more than the event stream: tokens, the agent, namespaces. */
    hasApi: false,
    tokenHeader: undefined,
    tokensAreUuids: false,
    /** Whether a region other than its own is rejected. */
    checksRegion: false,
    /** Whether unknown and repeated query parameters, and an empty index, are ignored. */
    ignoresParameters: false,
    /** Whether everything after the first colon is a topic's key. */
    keysHaveColons: true,
    /** Whether the wildcard only has an effect as the only key of its topic; otherwise each matching key sends the event. */
    sendsForEachKey: false,
    /** Whether the newest frame is sent at once if the index is not reached yet. */
    sendsNewest: false,
    /** Whether draining a node causes an event of the topic `Node`. */
    drainsAreNodes: false,
    nodeEvent: "NodeEvent",
    /** Whether the members of events are in alphabetical order. */
    sortsMembers: false,
    /** Whether a stream can be accepted before the request is checked. */
    takesStreamsOver: false,
    /** Whether the service writes the reason why a stream ends into the stream. */
    explainsEnds: false,
    /** Whether a permission in one namespace is enough for nodes in all of them. */
    nodesHaveNoNamespace: false,
    rights: "documented",
  },
  hashicorp: {
    hasApi: true,
    tokenHeader: "x-nomad-token",
    tokensAreUuids: true,
    checksRegion: true,
    ignoresParameters: true,
    keysHaveColons: false,
    sendsForEachKey: true,
    sendsNewest: true,
    drainsAreNodes: true,
    nodeEvent: "NodeStreamEvent",
    sortsMembers: true,
    takesStreamsOver: true,
    explainsEnds: true,
    nodesHaveNoNamespace: true,
    rights: "product",
  },
} as const satisfies Readonly<Record<Dialect, object>>;

export type SchedulerTraits = (typeof schedulerTraits)[Dialect];
