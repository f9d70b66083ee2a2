import {
  anything,
  duration,
  either,
  flag,
  listOf,
  type Members,
  name,
  names,
  namesOrAll,
  object,
  oneOf,
  optional,
  recordOf,
  type Schema,
  text,
  type TokenOptions,
} from "../schemas";

const readable = {
  /** Read access to nodes. Default false. */
  readNodes: optional(flag),
  /**
   * The namespaces with read access to jobs and what belongs to them; `"*"` for all of them, present and
   * future. Default none.
   */
  readJobs: optional(namesOrAll),
  /** The namespaces with read access to host volumes and CSI volumes. Default none. */
  readVolumes: optional(namesOrAll),
  /** The namespaces with read access to variables. Default none. */
  readVariables: optional(namesOrAll),
  /** Read access to operator data. Default false. */
  readOperator: optional(flag),
};

export const newPolicy = { name, ...readable };

/** A policy to set up. */
export interface NewPolicy extends Members<typeof newPolicy> {}

/** `management` tokens have all permissions, `client` tokens have those of their policies. */
export type AclTokenType = "client" | "management";

export const newSchedulerLogin = {
  /** The name of the auth method. */
  method: name,
  /** The identity that it accepts. */
  jwt: name,
  /** Default `"management"`. */
  type: optional(oneOf<AclTokenType>("client", "management")),
  /** Names of policies, which do not have to exist. Default none. */
  policies: optional(names),
  /** The lifetime of a token. Default one hour. */
  ttl: optional(duration),
};

/** An auth method, and the identity that it accepts. */
export interface NewSchedulerLogin extends Members<typeof newSchedulerLogin> {}

export const emittedEvent = {
  /**
   * The topic, such as `Node` or `Deployment`; any string is accepted. In the hashicorp dialect, `NodeDrain` is sent
   * as `Node`, which is the topic of these events there.
   */
  topic: name,
  /**
   * The type, such as `NodeRegistration`. In the hashicorp dialect, `NodeEvent` is sent as `NodeStreamEvent`, its
   * name there.
   */
  type: name,
  /** Identifies the subject. */
  key: text,
  /**
   * Default: empty for nodes, tokens and policies, which do not belong to a namespace; otherwise `default`.
   */
  namespace: optional(text),
  /** Additional keys that subscribers can match. Default none, sent as null. */
  filterKeys: optional(listOf(text)),
  /** The payload as sent, with its one member: `{ Node: { ... } }`. Default `{}`. */
  payload: optional(recordOf<unknown>(anything)),
};

/** An event to send over the scheduler's stream. */
export interface EmittedEvent extends Members<typeof emittedEvent> {}

const reading = {
  ...readable,
  /** Read access to the agent's description, in the hashicorp dialect. Default false. */
  readAgent: optional(flag),
};

/** What a token is allowed to read from the scheduler. */
export interface SchedulerRights extends Members<typeof reading> {}

/** What a token is allowed to read from the scheduler: everything, or the listed parts. */
export type SchedulerAccess = "management" | SchedulerRights;

export const schedulerToken = {
  /** Default `"management"`. */
  access: optional(
    either(
      oneOf("management"),
      object<SchedulerRights>(reading),
      '"management" or rights',
    ) as Schema<SchedulerAccess>,
  ),
};

/** Options of an additional token of the scheduler. */
export interface SchedulerTokenOptions extends TokenOptions, Members<typeof schedulerToken> {}
