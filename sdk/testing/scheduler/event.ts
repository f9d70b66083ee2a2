/** An event to send over the scheduler's stream. */
export interface EmittedEvent {
  /** Such as `Node` or `Deployment`; any other text goes out as well. */
  readonly topic: string;
  /** Such as `NodeRegistration`. */
  readonly type: string;
  /** Identifies the subject. */
  readonly key: string;
  /** Default: empty for nodes and for tokens and policies, which belong to no namespace, otherwise `default`. */
  readonly namespace?: string;
  /** Further texts by which subscribers can select it. Default none, sent as null. */
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

/** What is sent as one line. */
export interface WireFrame {
  readonly Index: number;
  readonly Events: readonly WireEvent[];
}

const withoutNamespace = ["Node", "NodeDrain", "ACLToken", "ACLPolicy"];

export function toWireEvent(event: EmittedEvent, index: number): WireEvent {
  const { topic, type, key, filterKeys, payload = {} } = event;
  return {
    Topic: topic,
    Type: type,
    Key: key,
    Namespace: event.namespace ?? (withoutNamespace.includes(topic) ? "" : "default"),
    FilterKeys: filterKeys === undefined ? null : [...filterKeys],
    Index: index,
    Payload: structuredClone(payload),
  };
}
