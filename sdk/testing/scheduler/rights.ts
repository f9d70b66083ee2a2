import type { TokenOptions } from "../tokens";
import type { TopicRights } from "./dialect";

/** What a token may see of the scheduler: everything, or the listed parts. */
export type SchedulerAccess =
  | "management"
  | {
      /** Nodes. Default false. */
      readonly readNodes?: boolean;
      /** Jobs and what belongs to them, in these namespaces; `"*"` for all of them, present and future. Default none. */
      readonly readJobs?: "*" | readonly string[];
      /** What the agent returns about itself, which the hashicorp dialect knows. Default false. */
      readonly readAgent?: boolean;
    };

/** Options of an additional token of the scheduler. */
export interface SchedulerTokenOptions extends TokenOptions {
  /** Default `"management"`. */
  readonly access?: SchedulerAccess;
}

/** The rights of one token. */
export class SchedulerPermissions {
  /** @param access a function where it changes while the token is valid */
  constructor(private readonly access: SchedulerAccess | (() => SchedulerAccess) = "management") {}

  /** Whether it may do everything. */
  get isManagement(): boolean {
    return this.currentAccess() === "management";
  }

  /** Whether it may see what the agent returns about itself. */
  get mayReadAgent(): boolean {
    const access = this.currentAccess();
    return access === "management" || access.readAgent === true;
  }

  /**
   * Whether it may subscribe to a topic in a namespace, `*` standing for all topics or all namespaces.
   *
   * @param needed what it takes
   */
  maySubscribe(topic: string, namespace: string, needed: TopicRights): boolean {
    const access = this.currentAccess();
    if (access === "management") {
      return true;
    }
    const { readNodes = false, readJobs = [] } = access;
    if (namespace === "*" && readJobs !== "*") {
      return false;
    }
    if (needed.nodes.includes(topic)) {
      return readNodes;
    }
    return needed.jobs.includes(topic) && (readJobs === "*" || readJobs.includes(namespace));
  }

  private currentAccess(): SchedulerAccess {
    return typeof this.access === "function" ? this.access() : this.access;
  }
}
