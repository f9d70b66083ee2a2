import type { Node } from "./node";

/** What events of every topic have. */
interface AnyEvent {
  /**
   * What happened: `NodeRegistration`, `JobRegistered`, `PlanResult` and so on. It does not tell the topic: one and
   * the same type comes with several. It is the word of the documents in both dialects: `NodeEvent`, also where the
   * wire has `NodeStreamEvent`. Types that the documents do not list come as they were sent.
   */
  readonly type: EventType;
  /** Identifies the subject: a node's id for events of nodes. */
  readonly key: string;
  /** Empty for what belongs to no namespace, such as nodes. */
  readonly namespace: string;
  /** Other texts by which a subscription can select the event, such as the job's name for deployments. */
  readonly filterKeys: readonly string[] | null;
  /** Where the event stands in the scheduler's history; events that happened together share one. */
  readonly index: number;
}

/**
 * Something has happened to a node. In the hashicorp dialect the scheduler sends drains among the events of `Node`:
 * they have the topic `NodeDrain` where the subscription includes that topic or all, and `Node` where it names only
 * `Node`. Releases without a type of their own for changes of eligibility send those as drains too.
 */
export interface NodeEvent extends AnyEvent {
  readonly topic: "Node" | "NodeDrain";
  /** The node as it was then. */
  readonly payload: { readonly Node: Node; readonly [member: string]: unknown };
}

/** The documented topics whose payloads are not. */
export type PlainTopic = "ACLToken" | "ACLPolicy" | "Allocation" | "Job" | "Evaluation" | "Deployment";

/** A topic to subscribe to, whole (`"Node"`) or by subject (`"Deployment:web"`); `"*"` for all. */
export type EventTopic =
  | "Node"
  | "NodeDrain"
  | "ACLToken"
  | "ACLPolicy"
  | "Allocation"
  | "Job"
  | "Evaluation"
  | "Deployment"
  | "*"
  | (string & {});

/** What happened. Types that the documents do not list come as they were sent. */
export type EventType =
  | "ACLTokenUpserted"
  | "ACLTokenDeleted"
  | "ACLPolicyUpserted"
  | "ACLPolicyDeleted"
  | "AllocationCreated"
  | "AllocationUpdated"
  | "AllocationUpdateDesiredStatus"
  | "DeploymentStatusUpdate"
  | "DeploymentPromotion"
  | "DeploymentAllocHealth"
  | "EvaluationUpdated"
  | "JobRegistered"
  | "JobDeregistered"
  | "JobBatchDeregistered"
  | "NodeRegistration"
  | "NodeDeregistration"
  | "NodeEligibility"
  | "NodeDrain"
  | "NodeEvent"
  | "PlanResult"
  | (string & {});

/** An event of any other topic. */
export interface OtherEvent extends AnyEvent {
  /**
   * One of the documented topics, or another one that the scheduler has: those come as they are. To compare it with such
   * a one, make it a plain text first: `const topic: string = event.topic`.
   */
  readonly topic: PlainTopic;
  /**
   * The object concerned, below its own name: `{ Job: { ... } }`. Members have the scheduler's own names. Numbers
   * beyond 2^53, such as times in nanoseconds, are not exact.
   */
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * An event of the scheduler. Its topic tells what the payload holds:
 *
 * ```typescript
 * for await (const event of trivium.scheduler.events({ topics: ["Node"] })) {
 *   if (event.topic === "Node") {
 *     console.log(event.payload.Node.Name, event.payload.Node.Status);
 *   }
 * }
 * ```
 */
export type Event = NodeEvent | OtherEvent;

/** Events that the scheduler sent together. */
export interface Frame {
  /** Where the events stand in the scheduler's history; to resume after this frame, pass it as `index`. */
  readonly index: number;
  /** At least one. */
  readonly events: readonly Event[];
}
