import type { Duration, TokenOptions } from "../types";

/** A named set of rights that tokens can be given. */
export interface PolicyRecord {
  readonly name: string;
  /** Nodes. */
  readonly readNodes: boolean;
  /** Jobs and what belongs to them, in these namespaces; `"*"` for all of them, present and future. */
  readonly readJobs: "*" | readonly string[];
}

/** A policy to set up. */
export interface NewPolicy {
  readonly name: string;
  /** Default false. */
  readonly readNodes?: boolean;
  /** Default none. */
  readonly readJobs?: "*" | readonly string[];
}

/** `management` tokens have all rights, `client` tokens those of their policies. */
export type AclTokenType = "client" | "management";

/** A token that the scheduler issued on request. */
export interface AclTokenRecord {
  /** Identifies the token without giving access: a UUID. */
  readonly accessorId: string;
  /** The token itself: a UUID. */
  readonly secretId: string;
  readonly name: string;
  readonly type: AclTokenType;
  /** Names of policies, which need not exist. */
  readonly policies: readonly string[];
  /** Whether it is valid in all regions. */
  readonly global: boolean;
  /** ISO 8601. */
  readonly createdAt: string;
  /** ISO 8601. Default: never. */
  readonly expiresAt?: string;
}

/** An auth method, and the identity that it accepts. */
export interface NewSchedulerLogin {
  /** The name of the auth method. */
  readonly method: string;
  /** The identity that it accepts. */
  readonly jwt: string;
  /** Default `"management"`. */
  readonly type?: AclTokenType;
  /** Names of policies, which need not exist. Default none. */
  readonly policies?: readonly string[];
  /** How long a token lives. Default one hour. */
  readonly ttl?: Duration;
}

/** The policies and tokens of the scheduler. */
export interface AclInspection {
  readonly policies: readonly PolicyRecord[];
  /** Tokens that the scheduler issued on request and that are not revoked. */
  readonly aclTokens: readonly AclTokenRecord[];
}

/** Sets up objects that no documented endpoint creates; each change appears in the event stream. */
export interface AclSetup {
  /**
   * Adds a policy, or replaces the one of the same name. Open streams of tokens that have it end. At the
   * start there are no policies.
   */
  addPolicy(policy: NewPolicy): PolicyRecord;
  /** @throws Error if there is no such policy */
  removePolicy(name: string): void;
  /** Adds an auth method, in the hashicorp dialect. */
  addLogin(login: NewSchedulerLogin): void;
}

/** An event to send over the scheduler's stream. */
export interface EmittedEvent {
  /**
   * Such as `Node` or `Deployment`; any other text is accepted. In the hashicorp dialect `NodeDrain` is sent as `Node`,
   * the topic of these events there.
   */
  readonly topic: string;
  /** Such as `NodeRegistration`. In the hashicorp dialect `NodeEvent` is sent as `NodeStreamEvent`, its name there. */
  readonly type: string;
  /** Identifies the subject. */
  readonly key: string;
  /** Default: empty for nodes and for tokens and policies, which belong to no namespace, otherwise `default`. */
  readonly namespace?: string;
  /** Further keys by which subscribers can select it. Default none, sent as null. */
  readonly filterKeys?: readonly string[];
  /** As sent, with its one member: `{ Node: { ... } }`. Default `{}`. */
  readonly payload?: Readonly<Record<string, unknown>>;
}

/** An event with the names it has on the wire. */
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
  /** Whether objects are sent on lines of their own or without separators. Default `"lines"`. */
  framing: "lines" | "concatenated";
  /**
   * How a subscription without permission or token is rejected: with status 403, or, as newer releases do,
   * with a stream that ends without a byte. Default `"status"`.
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

/** What a token may see of the scheduler: everything, or the listed parts. */
export type SchedulerAccess =
  | "management"
  | {
      /** Nodes. Default false. */
      readonly readNodes?: boolean;
      /** Jobs and what belongs to them, in these namespaces; `"*"` for all of them, present and future. Default none. */
      readonly readJobs?: "*" | readonly string[];
      /** The description of the agent, in the hashicorp dialect. Default false. */
      readonly readAgent?: boolean;
    };

/** Options of an additional token of the scheduler. */
export interface SchedulerTokenOptions extends TokenOptions {
  /** Default `"management"`. */
  readonly access?: SchedulerAccess;
}

/** How the scheduler is emulated. */
export interface SchedulerEmulatorOptions {
  /** How many frames the event stream buffers for late or slow subscribers. Default 100. */
  readonly eventBufferSize?: number;
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
