import type { Node } from "./node";

/** The common members of events of all topics. */
interface AnyEvent {
  /**
   * What happened: `NodeRegistration`, `JobRegistered`, `PlanResult` and so on. It does not imply the topic:
   * the same type occurs in several. The name is the documented one in both dialects: `NodeEvent`, even if
   * the wire has `NodeStreamEvent`. Undocumented types are passed through.
   */
  readonly type: EventType;
  /** Identifies the object: the node id for events of nodes. */
  readonly key: string;
  /** Empty for objects without a namespace, such as nodes. */
  readonly namespace: string;
  /** Additional keys by which a subscription can select the event, such as the job name for deployments. */
  readonly filterKeys: readonly string[] | null;
  /** The position in the scheduler's history; events that happened together share one. */
  readonly index: number;
}

/**
 * An event of a node: a registration (`NodeRegistration`) has the topic `Node`. In the hashicorp dialect the scheduler sends drains among the events of `Node`: they
 * have the topic `NodeDrain` if the subscription includes that topic or all, and `Node` if it only names
 * `Node`. Releases without a separate type for changes of eligibility send those as drains too.
 */
export interface NodeEvent extends AnyEvent {
  readonly topic: "Node" | "NodeDrain";
  /** The node at that time. */
  readonly payload: { readonly Node: Node; readonly [member: string]: unknown };
}

/** The documented topics with undocumented payloads. */
export type PlainTopic = "ACLToken" | "ACLPolicy" | "Allocation" | "Job" | "Evaluation" | "Deployment";

/** A topic to subscribe to (`"Node"`), optionally with a key (`"Deployment:web"`); `"*"` for all. */
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

/** What happened. Undocumented types are passed through. */
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
   * A documented topic, or another topic of the scheduler, which is passed through. To compare it with an
   * undocumented topic, widen it first: `const topic: string = event.topic`.
   */
  readonly topic: PlainTopic;
  /**
   * The object, below its own name: `{ Job: { ... } }`. Members have the scheduler's own names. An allocation has no
   * information about its job. Numbers above 2^53, such as times in nanoseconds, lose precision.
   */
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * An event of the scheduler. Its topic determines the type of its payload:
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
  /** The position in the scheduler's history; to resume after this frame, pass it as `index`. */
  readonly index: number;
  /** Never empty. */
  readonly events: readonly Event[];
}
