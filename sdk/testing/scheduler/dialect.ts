import type { EmulatorDialect } from "../dialect";

/** What differs between the documented scheduler and the product with nearly the same wire. */
export interface SchedulerDialect {
  /** The version of the product; the documented scheduler does not say, and has no endpoints to ask. */
  readonly version: string | undefined;
  /** Headers that carry the token as it is; the first that is there counts, and before a bearer token. */
  readonly tokenHeaders: readonly string[];
  /** What the documentation' topics and event types are called on the wire, where it is something else. */
  readonly topics: ReadonlyMap<string, string>;
  readonly types: ReadonlyMap<string, string>;
  /** Topics, as on the wire, of what belongs to no namespace. */
  readonly topicsWithoutNamespace: readonly string[];
  readonly rights: TopicRights;
  /** Parameters that the event stream does not know or that are given twice, and topics without a name or key. */
  readonly looseQueries: "refused" | "accepted";
  /** What somebody gets at once who asks for an index that is not reached yet. */
  readonly beforeIndexIsReached: "nothing" | "newest frame";
  /** How often an event comes that several filters of one subscription select. */
  readonly selectedTwice: "once" | "for each filter";
  /** The order of members in frames and events. */
  readonly memberOrder: "as documented" | "alphabetical";
}

/** What it takes to subscribe to topics; all others need a management token. */
export interface TopicRights {
  /** Those that need the right to read nodes. */
  readonly nodes: readonly string[];
  /** Those that need the right to read jobs in the namespace. */
  readonly jobs: readonly string[];
}

/** Both dialects. */
export const schedulerDialects: Readonly<Record<EmulatorDialect, SchedulerDialect>> = {
  documented: {
    version: undefined,
    tokenHeaders: [],
    topics: new Map(),
    types: new Map(),
    topicsWithoutNamespace: ["Node", "NodeDrain", "ACLToken", "ACLPolicy"],
    rights: { nodes: ["Node", "NodeDrain"], jobs: ["Job", "Allocation", "Deployment", "Evaluation"] },
    looseQueries: "refused",
    beforeIndexIsReached: "nothing",
    selectedTwice: "once",
    memberOrder: "as documented",
  },
  hashicorp: {
    version: "1.10.5",
    tokenHeaders: ["x-nomad-token"],
    topics: new Map([["NodeDrain", "Node"]]),
    types: new Map([["NodeEvent", "NodeStreamEvent"]]),
    topicsWithoutNamespace: [
      "Node",
      "ACLToken",
      "ACLPolicy",
      "ACLRole",
      "ACLAuthMethod",
      "ACLBindingRule",
      "NodePool",
    ],
    rights: { nodes: ["Node"], jobs: ["Job", "Allocation", "Deployment", "Evaluation", "Service"] },
    looseQueries: "accepted",
    beforeIndexIsReached: "newest frame",
    selectedTwice: "for each filter",
    memberOrder: "alphabetical",
  },
};
