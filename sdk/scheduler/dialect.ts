import type { Dialect } from "../base/settings";

/** The differences between the documented scheduler and Nomad. */
export interface SchedulerDialect {
  readonly name: Dialect;
  readonly authenticationHeader: (token: string) => Readonly<Record<string, string>>;
  /** Documented topics that do not exist on the wire: their events arrive as a type of another topic. */
  readonly foldedTopics: ReadonlyMap<string, FoldedTopic>;
  /** Types with another name on the wire, by their documented names. */
  readonly types: ReadonlyMap<string, string>;
}

export interface FoldedTopic {
  readonly topic: string;
  readonly type: string;
}

export const schedulerDialects: Readonly<Record<Dialect, SchedulerDialect>> = {
  documented: {
    name: "documented",
    authenticationHeader: (token) => ({ authorization: `Bearer ${token}` }),
    foldedTopics: new Map(),
    types: new Map(),
  },
  hashicorp: {
    name: "hashicorp",
    // Releases before 1.3.2 do not support the other header.
    authenticationHeader: (token) => ({ "x-nomad-token": token }),
    foldedTopics: new Map([["NodeDrain", { topic: "Node", type: "NodeDrain" }]]),
    types: new Map([["NodeEvent", "NodeStreamEvent"]]),
  },
};
