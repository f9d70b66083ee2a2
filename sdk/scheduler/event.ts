/** The common members of events of all topics. */
interface AnyEvent {
  /**
   * What happened: `NodeRegistration`, `JobRegistered`, `PlanResult` and so on. It does not imply the topic: the same
   * type occurs in several topics. The name is the documented one in both dialects: `NodeEvent`, even if the wire has
   * `NodeStreamEvent`. Undocumented types are passed through.
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

/** Topics that only Nomad has: the first ones are those of older releases, `Operator` and `Variable` those of 2.0. */
export type NomadTopic =
  | "ACLRole"
  | "ACLAuthMethod"
  | "ACLBindingRule"
  | "Service"
  | "NodePool"
  | "HostVolume"
  | "CSIVolume"
  | "CSIPlugin"
  | "Operator"
  | "Variable";

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
  | NomadTopic
  | "*"
  | (string & {});

/** What happened. Those after `PlanResult` are Nomad's, up to 2.0. Undocumented types are passed through. */
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
  | "NodePoolUpserted"
  | "NodePoolDeleted"
  | "ACLRoleUpserted"
  | "ACLRoleDeleted"
  | "ACLAuthMethodUpserted"
  | "ACLAuthMethodDeleted"
  | "ACLBindingRuleUpserted"
  | "ACLBindingRuleDeleted"
  | "ServiceRegistration"
  | "ServiceDeregistration"
  | "HostVolumeRegistered"
  | "HostVolumeDeleted"
  | "CSIVolumeRegistered"
  | "CSIVolumeDeregistered"
  | "CSIVolumeClaim"
  | "UtilizationSnapshotUpserted"
  | "VariableUpdated"
  | (string & {});

/** An event of any other topic. */
export interface OtherEvent extends AnyEvent {
  /**
   * A documented topic, or one of Nomad's. Other topics are passed through; to compare it with one, widen it first:
   * `const topic: string = event.topic`.
   */
  readonly topic: PlainTopic | NomadTopic;
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

/** Undocumented members, passed through. */
export interface Undocumented {
  readonly [member: string]: unknown;
}

/** A node of the scheduler: a machine that runs allocations. Its members have the scheduler's own names. */
export interface Node extends Undocumented {
  readonly ID: string;
  readonly Datacenter: string;
  readonly Name: string;
  readonly HTTPAddr: string;
  readonly TLSEnabled: boolean;
  /** What the node detected about itself: `cpu.arch`, `driver.exec`, `nomad.version` and so on. */
  readonly Attributes: Readonly<Record<string, string>>;
  readonly NodeResources: NodeResources;
  readonly ReservedResources: NodeReservedResources;
  readonly Resources: NodeResourceTotals;
  readonly Reserved: NodeResourceTotals;
  readonly Links: Readonly<Record<string, unknown>> | null;
  readonly Meta: Readonly<Record<string, string>>;
  readonly NodeClass: string;
  readonly ComputedClass: string;
  readonly Drain: boolean;
  readonly DrainStrategy: Undocumented | null;
  /** `eligible`, or another string: the documentation names no others. */
  readonly SchedulingEligibility: string;
  /** `initializing`, or another string: the documentation names no others. */
  readonly Status: string;
  readonly StatusDescription: string;
  /** Seconds since 1970. */
  readonly StatusUpdatedAt: number;
  readonly Events: readonly NodeLogEntry[];
  /** By driver name. */
  readonly Drivers: Readonly<Record<string, NodeDriver>>;
  readonly CSIControllerPlugins: Readonly<Record<string, unknown>> | null;
  readonly CSINodePlugins: Readonly<Record<string, unknown>> | null;
  readonly HostVolumes: Readonly<Record<string, unknown>> | null;
  readonly CreateIndex: number;
  readonly ModifyIndex: number;
}

/** The resources of a node. */
export interface NodeResources extends Undocumented {
  readonly Cpu: Undocumented & { readonly CpuShares: number };
  readonly Memory: Undocumented & { readonly MemoryMB: number };
  readonly Disk: Undocumented & { readonly DiskMB: number };
  readonly Networks: readonly Network[] | null;
  readonly NodeNetworks: readonly NodeNetwork[] | null;
  readonly Devices: unknown;
}

/** The reserved resources of a node. */
export interface NodeReservedResources extends Undocumented {
  readonly Cpu: Undocumented;
  readonly Memory: Undocumented;
  readonly Disk: Undocumented;
  readonly Networks: Undocumented & { readonly ReservedHostPorts: string };
}

/** The resources of a node, or its reserved resources, in the older format. */
export interface NodeResourceTotals extends Undocumented {
  readonly CPU: number;
  readonly MemoryMB: number;
  readonly DiskMB: number;
  readonly IOPS: number;
  readonly Networks: readonly Network[] | null;
  readonly Devices: unknown;
}

/** A network of a node. */
export interface Network extends Undocumented {
  readonly Mode: string;
  readonly Device: string;
  readonly CIDR: string;
  readonly IP: string;
  readonly MBits: number;
  readonly DNS: unknown;
  readonly ReservedPorts: unknown;
  readonly DynamicPorts: unknown;
}

/** A network interface of a node. */
export interface NodeNetwork extends Undocumented {
  readonly Mode: string;
  readonly Device: string;
  readonly MacAddress: string;
  readonly Speed: number;
  readonly Addresses: readonly NodeNetworkAddress[] | null;
}

/** An address of a network interface. */
export interface NodeNetworkAddress extends Undocumented {
  readonly Family: string;
  readonly Alias: string;
  readonly Address: string;
  readonly ReservedPorts: string;
  readonly Gateway: string;
}

/** An event in the node's own list. */
export interface NodeLogEntry extends Undocumented {
  readonly Message: string;
  readonly Subsystem: string;
  readonly Details: unknown;
  readonly Timestamp: string;
  readonly CreateIndex: number;
}

/** A driver of a node, and its health. */
export interface NodeDriver extends Undocumented {
  readonly Attributes: Readonly<Record<string, string>> | null;
  readonly Detected: boolean;
  readonly Healthy: boolean;
  readonly HealthDescription: string;
  readonly UpdateTime: string;
}
