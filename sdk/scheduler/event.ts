/** The members that events of all topics have in common. */
interface AnyEvent {
  /**
   * What happened: `NodeRegistration`, `JobRegistered`, `PlanResult` and so on. The type does not imply the
   * topic, because the same type occurs in several topics. In both dialects, the name is the documented one:
   * `NodeEvent`, even if the scheduler sends `NodeStreamEvent`. Undocumented types are passed through.
   */
  readonly type: EventType;
  /** The key of the object: for events about nodes, the node ID. */
  readonly key: string;
  /** Empty for objects without a namespace, such as nodes. */
  readonly namespace: string;
  /** Additional keys that a subscription can match, such as the job name for deployments. */
  readonly filterKeys: readonly string[] | null;
  /**
   * The position in the scheduler's history. Events that happened together have the same index. Above 2^53,
   * this is the nearest number that JavaScript can represent; the stream still resumes from the exact index.
   */
  readonly index: number;
}

/**
 * An event about a node, such as a registration (`NodeRegistration`), which has the topic `Node`. In the
 * hashicorp dialect, the scheduler sends drains among the events of `Node`: they have the topic `NodeDrain`
 * if the subscription includes that topic or all topics, and `Node` if the subscription only names `Node`.
 * Releases without a separate type for changes of eligibility send these changes as drains too.
 */
export interface NodeEvent extends AnyEvent {
  readonly topic: "Node" | "NodeDrain";
  /** The node at the time of the event. */
  readonly payload: { readonly Node: Node; readonly [member: string]: unknown };
}

/** The documented topics whose payloads are not documented. */
export type PlainTopic = "ACLToken" | "ACLPolicy" | "Allocation" | "Job" | "Evaluation" | "Deployment";

/**
 * Topics that only Nomad has. `Operator` and `Variable` were added in 2.0; older releases have the others.
 */
export type NomadTopic = (typeof NomadTopic)[keyof typeof NomadTopic];

/** The values of the type of this name, as generated programs write them. */
export const NomadTopic = {
  ACLRole: "ACLRole",
  ACLAuthMethod: "ACLAuthMethod",
  ACLBindingRule: "ACLBindingRule",
  Service: "Service",
  NodePool: "NodePool",
  HostVolume: "HostVolume",
  CSIVolume: "CSIVolume",
  CSIPlugin: "CSIPlugin",
  Operator: "Operator",
  Variable: "Variable",
} as const;

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

/**
 * What happened. The types after `PlanResult` are Nomad's, up to release 2.0. Undocumented types are passed
 * through.
 */
export type EventType = (typeof EventType)[keyof typeof EventType] | (string & {});

/** The values of the type of this name, as generated programs write them. */
export const EventType = {
  ACLTokenUpserted: "ACLTokenUpserted",
  ACLTokenDeleted: "ACLTokenDeleted",
  ACLPolicyUpserted: "ACLPolicyUpserted",
  ACLPolicyDeleted: "ACLPolicyDeleted",
  AllocationCreated: "AllocationCreated",
  AllocationUpdated: "AllocationUpdated",
  AllocationUpdateDesiredStatus: "AllocationUpdateDesiredStatus",
  DeploymentStatusUpdate: "DeploymentStatusUpdate",
  DeploymentPromotion: "DeploymentPromotion",
  DeploymentAllocHealth: "DeploymentAllocHealth",
  EvaluationUpdated: "EvaluationUpdated",
  JobRegistered: "JobRegistered",
  JobDeregistered: "JobDeregistered",
  JobBatchDeregistered: "JobBatchDeregistered",
  NodeRegistration: "NodeRegistration",
  NodeDeregistration: "NodeDeregistration",
  NodeEligibility: "NodeEligibility",
  NodeDrain: "NodeDrain",
  NodeEvent: "NodeEvent",
  PlanResult: "PlanResult",
  NodePoolUpserted: "NodePoolUpserted",
  NodePoolDeleted: "NodePoolDeleted",
  ACLRoleUpserted: "ACLRoleUpserted",
  ACLRoleDeleted: "ACLRoleDeleted",
  ACLAuthMethodUpserted: "ACLAuthMethodUpserted",
  ACLAuthMethodDeleted: "ACLAuthMethodDeleted",
  ACLBindingRuleUpserted: "ACLBindingRuleUpserted",
  ACLBindingRuleDeleted: "ACLBindingRuleDeleted",
  ServiceRegistration: "ServiceRegistration",
  ServiceDeregistration: "ServiceDeregistration",
  HostVolumeRegistered: "HostVolumeRegistered",
  HostVolumeDeleted: "HostVolumeDeleted",
  CSIVolumeRegistered: "CSIVolumeRegistered",
  CSIVolumeDeregistered: "CSIVolumeDeregistered",
  CSIVolumeClaim: "CSIVolumeClaim",
  UtilizationSnapshotUpserted: "UtilizationSnapshotUpserted",
  VariableUpdated: "VariableUpdated",
} as const;

/**
 * The payload of each topic: a member with the name of the object's kind contains the object. Members have
 * the names that Nomad sends; the API documentation of the documented dialect does not describe them. Numbers
 * above 2^53, such as times in nanoseconds, lose precision. The event of a deletion contains the object as it
 * was before.
 */
export interface EventPayloads {
  /** The token without its secret. */
  readonly ACLToken: Undocumented & { readonly ACLToken: ACLToken };
  /** The policy. */
  readonly ACLPolicy: Undocumented & { readonly ACLPolicy: ACLPolicy };
  /** The role. */
  readonly ACLRole: Undocumented & { readonly ACLRole: ACLRole };
  /** The method, below `AuthMethod`, without its secrets. */
  readonly ACLAuthMethod: Undocumented & { readonly AuthMethod: ACLAuthMethod };
  /** The rule. */
  readonly ACLBindingRule: Undocumented & { readonly ACLBindingRule: ACLBindingRule };
  /** The job. `Deleted` is only set in events of deregistrations, from Nomad 1.11.3. */
  readonly Job: Undocumented & { readonly Job: Job; readonly Deleted?: boolean };
  /** The evaluation. */
  readonly Evaluation: Undocumented & { readonly Evaluation: Evaluation };
  /** The allocation, without its job. `Timeout` and `TimeoutReason` are set if it exceeded its time limit. */
  readonly Allocation: Undocumented & {
    readonly Allocation: Allocation;
    readonly Timeout?: boolean;
    readonly TimeoutReason?: string;
  };
  /** The deployment. */
  readonly Deployment: Undocumented & { readonly Deployment: Deployment };
  /** The registration of a service. */
  readonly Service: Undocumented & { readonly Service: Service };
  /** The node pool. */
  readonly NodePool: Undocumented & { readonly NodePool: NodePool };
  /** The volume, below `Volume`. */
  readonly HostVolume: Undocumented & { readonly Volume: HostVolume };
  /** The volume, below `Volume`. */
  readonly CSIVolume: Undocumented & { readonly Volume: CSIVolume };
  /** The plugin, below `Plugin`. */
  readonly CSIPlugin: Undocumented & { readonly Plugin: CSIPlugin };
  /** The variable's metadata, without its items. */
  readonly Variable: Undocumented & { readonly Metadata: VariableMetadata; readonly Deleted: boolean };
}

/** An event of a topic whose payload is known. */
export interface TopicEvent<Topic extends keyof EventPayloads> extends AnyEvent {
  /** The topic. */
  readonly topic: Topic;
  /** The object, in a member with the name of its kind. */
  readonly payload: EventPayloads[Topic];
}

/** An event of any other topic. */
export interface OtherEvent extends AnyEvent {
  /**
   * A topic whose payload Nomad does not describe. Unknown topics are passed through. To compare `topic` with
   * one of them, widen its type first: `const topic: string = event.topic`.
   */
  readonly topic: "Operator";
  /** The payload as it was sent. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * An event of the scheduler. Allocations do not contain their job. A number in a payload that JavaScript
 * cannot represent, such as a time in nanoseconds, is rounded to the nearest one that it can;
 * `npx pulumi-trivium events --json` prints all digits. The topic determines the type of the payload:
 *
 * ```typescript
 * for await (const event of trivium.scheduler.events({ topics: ["Node"] })) {
 *   if (event.topic === "Node") {
 *     console.log(event.payload.Node.Name, event.payload.Node.Status);
 *   }
 * }
 * ```
 */
export type Event =
  NodeEvent | { [Topic in keyof EventPayloads]: TopicEvent<Topic> }[keyof EventPayloads] | OtherEvent;

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

interface Indexed extends Undocumented {
  readonly CreateIndex: number;
  readonly ModifyIndex: number;
}

/** A token of the scheduler. Its members have the scheduler's own names. */
export interface ACLToken extends Indexed {
  readonly AccessorID: string;
  readonly Name: string;
  /** `client` or `management`. */
  readonly Type: string;
  readonly Policies: readonly string[] | null;
  readonly Global: boolean;
  readonly CreateTime: string;
  readonly ExpirationTime: string | null;
}

/** A policy of the scheduler. Its members have the scheduler's own names. */
export interface ACLPolicy extends Indexed {
  readonly Name: string;
  readonly Description: string;
  readonly Rules: string;
}

/** A role of the scheduler. Its members have the scheduler's own names. */
export interface ACLRole extends Indexed {
  readonly ID: string;
  readonly Name: string;
  readonly Description: string;
  readonly Policies: readonly (Undocumented & { readonly Name: string })[] | null;
}

/** A method of authentication. Its members have the scheduler's own names. */
export interface ACLAuthMethod extends Indexed {
  readonly Name: string;
  /** `OIDC` or `JWT`. */
  readonly Type: string;
  readonly TokenLocality: string;
  readonly Default: boolean;
}

/**
 * A binding rule, which grants permissions to the users of an auth method. Its members have the scheduler's
 * own names.
 */
export interface ACLBindingRule extends Indexed {
  readonly ID: string;
  readonly Description: string;
  readonly AuthMethod: string;
  readonly Selector: string;
  readonly BindType: string;
  readonly BindName: string;
}

/** A job. Its members have the scheduler's own names. */
export interface Job extends Indexed {
  readonly ID: string;
  readonly Name: string;
  readonly Namespace: string;
  readonly Region: string;
  readonly ParentID: string;
  /** `service`, `batch`, `system` or `sysbatch`. */
  readonly Type: string;
  readonly Priority: number;
  readonly Datacenters: readonly string[] | null;
  readonly NodePool: string;
  readonly TaskGroups: readonly (Undocumented & { readonly Name: string; readonly Count: number })[] | null;
  readonly Meta: Readonly<Record<string, string>> | null;
  readonly Stop: boolean;
  readonly Stable: boolean;
  readonly Status: string;
  readonly StatusDescription: string;
  readonly Version: number;
  /** Nanoseconds since 1970. */
  readonly SubmitTime: number;
  readonly JobModifyIndex: number;
}

/** An evaluation. Its members have the scheduler's own names. */
export interface Evaluation extends Indexed {
  readonly ID: string;
  readonly Namespace: string;
  readonly Priority: number;
  readonly Type: string;
  readonly TriggeredBy: string;
  readonly JobID: string;
  readonly NodeID: string;
  readonly DeploymentID: string;
  readonly Status: string;
  readonly StatusDescription: string;
  readonly PreviousEval: string;
  readonly NextEval: string;
  readonly BlockedEval: string;
  readonly CreateTime: number;
  readonly ModifyTime: number;
}

/** An allocation. Its members have the scheduler's own names. */
export interface Allocation extends Indexed {
  readonly ID: string;
  readonly Name: string;
  readonly Namespace: string;
  readonly EvalID: string;
  readonly NodeID: string;
  readonly NodeName: string;
  readonly JobID: string;
  readonly TaskGroup: string;
  readonly DeploymentID: string;
  readonly DesiredStatus: string;
  readonly DesiredDescription: string;
  readonly ClientStatus: string;
  readonly ClientDescription: string;
  /** The states of the tasks, by task name. */
  readonly TaskStates: Readonly<Record<string, Undocumented & TaskState>> | null;
  readonly PreviousAllocation: string;
  readonly NextAllocation: string;
  readonly CreateTime: number;
  readonly ModifyTime: number;
}

interface TaskState {
  readonly State: string;
  readonly Failed: boolean;
  readonly Restarts: number;
}

/** A deployment. Its members have the scheduler's own names. */
export interface Deployment extends Indexed {
  readonly ID: string;
  readonly Namespace: string;
  readonly JobID: string;
  readonly JobVersion: number;
  readonly IsMultiregion: boolean;
  /** The states of the task groups, by group name. */
  readonly TaskGroups: Readonly<Record<string, Undocumented>> | null;
  readonly Status: string;
  readonly StatusDescription: string;
}

/** The registration of a service. Its members have the scheduler's own names. */
export interface Service extends Indexed {
  readonly ID: string;
  readonly ServiceName: string;
  readonly Namespace: string;
  readonly NodeID: string;
  readonly Datacenter: string;
  readonly JobID: string;
  readonly AllocID: string;
  readonly Tags: readonly string[] | null;
  readonly Address: string;
  readonly Port: number;
}

/** A node pool. Its members have the scheduler's own names. */
export interface NodePool extends Indexed {
  readonly Name: string;
  readonly Description: string;
  readonly Meta: Readonly<Record<string, string>> | null;
}

/** A dynamic host volume. Its members have the scheduler's own names. */
export interface HostVolume extends Indexed {
  readonly ID: string;
  readonly Name: string;
  readonly Namespace: string;
  readonly PluginID: string;
  readonly NodePool: string;
  readonly NodeID: string;
  readonly CapacityBytes: number;
  readonly HostPath: string;
  readonly State: string;
}

/** A CSI volume. Its members have the scheduler's own names. */
export interface CSIVolume extends Indexed {
  readonly ID: string;
  readonly Name: string;
  readonly ExternalID: string;
  readonly Namespace: string;
  readonly PluginID: string;
  readonly Provider: string;
  readonly Capacity: number;
  readonly AccessMode: string;
  readonly AttachmentMode: string;
  readonly Schedulable: boolean;
}

/** A CSI plugin. Its members have the scheduler's own names. */
export interface CSIPlugin extends Indexed {
  readonly ID: string;
  readonly Provider: string;
  readonly Version: string;
  readonly ControllersHealthy: number;
  readonly ControllersExpected: number;
  readonly NodesHealthy: number;
  readonly NodesExpected: number;
}

/**
 * A variable's metadata, which a token without read access to the variable can see. Its members have the
 * scheduler's own names.
 */
export interface VariableMetadata extends Indexed {
  readonly Path: string;
  readonly Namespace: string;
  readonly CreateTime: number;
  readonly ModifyTime: number;
}

/** A node of the scheduler: a machine that runs allocations. Its members have the scheduler's own names. */
export interface Node extends Undocumented {
  readonly ID: string;
  readonly Datacenter: string;
  readonly Name: string;
  readonly HTTPAddr: string;
  readonly TLSEnabled: boolean;
  /** The attributes that the node detected: `cpu.arch`, `driver.exec`, `nomad.version` and so on. */
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
  /** `eligible`, or another string: the documentation does not list any others. */
  readonly SchedulingEligibility: string;
  /** `initializing`, or another string: the documentation does not list any others. */
  readonly Status: string;
  readonly StatusDescription: string;
  /** Seconds since 1970. */
  readonly StatusUpdatedAt: number;
  readonly Events: readonly NodeLogEntry[];
  /** The drivers, by name. */
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
