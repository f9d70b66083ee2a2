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
