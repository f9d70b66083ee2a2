import type { TokenOptions } from "../tokens";

/** What a token may see of the scheduler: everything, or the listed parts. */
export type SchedulerAccess =
  | "management"
  | {
      /** Nodes. Default false. */
      readonly readNodes?: boolean;
      /** Jobs and what belongs to them, in these namespaces; `"*"` for all of them, present and future. Default none. */
      readonly readJobs?: "*" | readonly string[];
    };

/** Options of an additional token of the scheduler. */
export interface SchedulerTokenOptions extends TokenOptions {
  /** Default `"management"`. */
  readonly access?: SchedulerAccess;
}

/** The rights of one token. */
export class SchedulerPermissions {
  constructor(private readonly access: SchedulerAccess = "management") {}

  /** Whether it may subscribe to a topic in a namespace, `*` standing for all topics or all namespaces. */
  maySubscribe(topic: string, namespace: string): boolean {
    if (this.access === "management") {
      return true;
    }
    const { readNodes = false, readJobs = [] } = this.access;
    if (namespace === "*" && readJobs !== "*") {
      return false;
    }
    if (topic === "Node" || topic === "NodeDrain") {
      return readNodes;
    }
    const ofJobs = ["Job", "Allocation", "Deployment", "Evaluation"].includes(topic);
    return ofJobs && (readJobs === "*" || readJobs.includes(namespace));
  }
}
