import type { NewPolicy, AclTokenType, NewSchedulerLogin, EmittedEvent } from "./seeds";

/** A named set of permissions for tokens. */
export interface PolicyRecord {
  readonly name: string;
  /** Nodes. */
  readonly readNodes: boolean;
  /**
   * The namespaces with read access to jobs and what belongs to them; `"*"` for all of them, present and
   * future.
   */
  readonly readJobs: "*" | readonly string[];
  /** The namespaces with read access to volumes. Default: none. */
  readonly readVolumes?: "*" | readonly string[];
  /** The namespaces with read access to variables. Default: none. */
  readonly readVariables?: "*" | readonly string[];
  /** Whether operator data can be read. Default: false. */
  readonly readOperator?: boolean;
}

/** A token that the scheduler issued on request. */
export interface AclTokenRecord {
  /** The accessor ID, which identifies the token without giving access: a UUID. */
  readonly accessorId: string;
  /** The token: a UUID. */
  readonly secretId: string;
  readonly name: string;
  readonly type: AclTokenType;
  /** Names of policies, which do not have to exist. */
  readonly policies: readonly string[];
  /** Whether the token is valid in all regions. */
  readonly global: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. Default: never. */
  readonly expiresAt?: string;
}

/** The policies and tokens of the scheduler. */
export interface AclInspection {
  readonly policies: readonly PolicyRecord[];
  /** The tokens that the scheduler issued on request and that were not revoked. */
  readonly aclTokens: readonly AclTokenRecord[];
}

/** Sets up objects that no documented endpoint creates; each change appears in the event stream. */
export interface AclSetup {
  /**
   * Adds a policy, or replaces the one with the same name. Open streams of tokens with this policy end. At
   * the start there are no policies.
   */
  addPolicy(policy: NewPolicy): PolicyRecord;
  /** @throws Error if there is no such policy */
  removePolicy(name: string): void;
  /** Adds an auth method, in the hashicorp dialect. */
  addLogin(login: NewSchedulerLogin): void;
}

/** An event with its names on the wire. */
export interface WireEvent {
  readonly Topic: string;
  readonly Type: string;
  readonly Key: string;
  readonly Namespace: string;
  readonly FilterKeys: readonly string[] | null;
  readonly Index: number;
  readonly Payload: Readonly<Record<string, unknown>>;
}

/** A frame, which is sent as one line. */
export interface WireFrame {
  readonly Index: number;
  readonly Events: readonly WireEvent[];
}

/** The scheduler's side of its event stream, controlled by a test. */
export interface SchedulerEvents {
  /**
   * Sends one frame with these events to all subscribers, current ones and, while it is buffered, later ones.
   *
   * @param index of the frame; default one more than the last one's
   * @returns the index
   * @throws RangeError if the index is not a whole number from the last one's on
   */
  emit(events: EmittedEvent | readonly EmittedEvent[], index?: number): number;
  /** Writes raw bytes to every open stream: half a frame, frames without a line break, garbage. */
  write(bytes: string | Uint8Array): void;
  /** Closes every open stream, like a lost connection. */
  disconnect(): void;
  /**
   * Whether each object is sent on its own line or objects are sent without separators. Default `"lines"`.
   */
  framing: "lines" | "concatenated";
  /**
   * How a subscription without permission or token, or for an unknown region, is rejected: with an error status, or
   * with status 200 and a stream that ends after five seconds without a byte. Default: as the emulated release does,
   * `"status"` in the documented dialect.
   */
  refusal: "status" | "silence";
}

/** The state of the event stream. */
export interface EventStreamInspection {
  /** The buffered frames, oldest first. */
  readonly frames: readonly WireFrame[];
  /** One subscription for each open stream. */
  readonly subscriptions: readonly Subscription[];
}

/** How the scheduler is emulated. */
export interface SchedulerEmulatorOptions {
  /** How many frames the event stream buffers for late or slow subscribers. Default 100. */
  readonly eventBufferSize?: number;
  /**
   * The Nomad release that is emulated in the hashicorp dialect. Since 2.0, Nomad accepts a stream before
   * it checks the token, so clients see a rejection, or the end of a stream, only as silence. Default
   * `"2.0"`.
   */
  readonly release?: "1.10" | "2.0";
}

/** The state of the scheduler. */
export type SchedulerInspection = EventStreamInspection;

/** One `topic` parameter. */
export interface TopicFilter {
  /** `*` for every topic. */
  readonly topic: string;
  /** `*` for every key. */
  readonly key: string;
}

/** A subscription. */
export interface Subscription {
  readonly index: number;
  /** `*` for every namespace. */
  readonly namespace: string;
  readonly topics: readonly TopicFilter[];
}
