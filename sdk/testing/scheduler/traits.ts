import type { Dialect } from "../../base/settings";

/** What the scheduler of a dialect does. */
export const schedulerTraits = {
  documented: {
    /** Whether there is more than the event stream: tokens, the agent, namespaces. */
    hasApi: false,
    tokenHeader: undefined,
    tokensAreUuids: false,
    /** Whether another region than its own is refused. */
    checksRegion: false,
    /** Whether unknown and repeated query parameters are ignored, and an empty index. */
    ignoresParameters: false,
    /** Whether all after the first colon is the key of a topic. */
    keysHaveColons: true,
    /** Whether the wildcard only counts as the only key of its topic, and each other key that fits sends the event. */
    sendsForEachKey: false,
    /** Whether the newest frame is sent at once if the index is not reached yet. */
    sendsNewest: false,
    /** Whether the draining of a node is an event of the topic `Node`. */
    drainsAreNodes: false,
    nodeEvent: "NodeEvent",
    /** Whether the members of events are in alphabetical order. */
    sortsMembers: false,
    /** Whether a stream can be accepted before the request is checked. */
    takesStreamsOver: false,
    /** Whether the reason for the end of a stream is written into it. */
    explainsEnds: false,
    /** Whether a right in one namespace is enough for nodes in all. */
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
