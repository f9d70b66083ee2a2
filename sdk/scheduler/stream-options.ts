import type { EventTopic } from "./event";
import type { ConnectionOptions } from "./connection";
import type { Gap } from "./history";
import type { Reconnection } from "./reconnection";

/** What to follow, from where, and how to reach the scheduler. All of it is optional. */
export interface StreamOptions extends ConnectionOptions {
  /**
   * The index to start from. An index that the scheduler no longer holds means the next one that it does. To go on
   * where an earlier stream was left, give the index of its last frame: that frame then comes again.
   *
   * @default 0, which is the oldest that the scheduler holds
   */
  readonly index?: number;
  /**
   * The namespace whose events to get; `"*"` for all. Topics without namespaces, such as nodes, come in any case.
   *
   * @default the `namespace` of the connection's settings, else `default`
   */
  readonly namespace?: string;
  /**
   * What to get: topics such as `"Node"`, or subjects of a topic such as `"Deployment:web"`. `"NodeDrain"` works in
   * both dialects; topics that the documents do not list go through as they are.
   *
   * @default all topics, for which the token has to be a management token
   */
  readonly topics?: readonly EventTopic[];
  /** Ends it at once. */
  readonly signal?: AbortSignal;
  /**
   * How long nothing may come, not even a sign of life, until the connection is given up and made anew: in seconds
   * or with a unit. The scheduler is expected to send a sign of life every 30 seconds.
   *
   * @default "75s"
   */
  readonly idleTimeout?: string | number;
  /**
   * The length in bytes beyond which a frame is an error: it has to fit into memory.
   *
   * @default 16 MiB
   */
  readonly maxFrameSize?: number;
  /**
   * Told that events may have been missed, right before the first frame after the place. After an interruption the
   * scheduler may hold only later events than those that come next; since indexes also jump when nothing is
   * missing, it is no more than possible. Who depends on every event reads the state of things anew.
   */
  readonly onGap?: (gap: Gap) => void;
  /** Told that the connection has ended, or could not be made, and when it is tried again. */
  readonly onReconnect?: (reconnection: Reconnection) => void;
}
