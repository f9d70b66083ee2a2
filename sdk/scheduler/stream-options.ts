import type * as Zod from "zod";
import { InputError } from "../base/errors";
import { timerMilliseconds } from "../base/runtime";
import { type Validation, validation } from "../base/validation";
import { explainIssue, firstProblems, pathText } from "../resource/lifecycle/check";
import { durationInSeconds } from "../resource/fields/kinds";
import type { ConnectionOptions } from "./connection";
import type { EventTopic } from "./event";
import type { FollowOptions } from "./follow";
import type { Gap } from "./history";
import { matchMembers } from "./match";
import type { Reconnection } from "./reconnection";

/** What to follow, from where, and how to reach the scheduler. All options are optional. */
export interface StreamOptions extends ConnectionOptions {
  /**
   * The index to start from. For an index that is no longer in the scheduler's buffer, the stream starts at
   * the next one that is. To continue an earlier stream, use the index of its last frame: that frame is then
   * sent again.
   *
   * @default 0, the oldest event in the buffer
   */
  readonly index?: number;
  /**
   * The namespace of the events; `"*"` for all. Topics without namespaces, such as nodes, are always
   * included.
   *
   * @default the `namespace` of the connection, else `default`
   */
  readonly namespace?: string;
  /**
   * The topics, such as `"Node"` or, for one key, `"Deployment:web"`. `"NodeDrain"` works in both dialects;
   * undocumented topics are passed through.
   *
   * @default all topics, which requires a management token
   */
  readonly topics?: readonly EventTopic[];
  /** Ends the stream at once. */
  readonly signal?: AbortSignal;
  /**
   * How long the stream may be idle, without even a heartbeat, before it reconnects: a number of seconds, or
   * a duration. The scheduler is expected to send a heartbeat every 30 seconds.
   *
   * @default "75s"
   */
  readonly idleTimeout?: string | number;
  /**
   * The maximum size of a frame in bytes: it must fit into memory.
   *
   * @default 16 MiB
   */
  readonly maxFrameSize?: number;
  /**
   * Called when events may have been missed, right before the first frame after the gap. After an
   * interruption the scheduler may only have later events in its buffer. Indexes also jump when nothing is
   * missing, so a gap is only possible. If you cannot miss events, read the current state again.
   */
  readonly onGap?: (gap: Gap) => void;
  /** Called when the connection ended or failed, with the delay before the next attempt. */
  readonly onReconnect?: (reconnection: Reconnection) => void;
}

/** @internal */
export function streamSchema(z: Validation) {
  const text = z.string().min(1, "must not be empty");
  const count = (least: number) => z.int().min(least, `must be at least ${least}`);
  const callback = z.custom((value) => typeof value === "function", "must be a function");
  return {
    address: text.optional(),
    token: text.optional(),
    tokenFile: text.optional(),
    caCertificate: text.optional(),
    clientCertificate: text.optional(),
    clientKey: text.optional(),
    serverName: text.optional(),
    insecureSkipVerify: z.boolean().optional(),
    requestTimeout: z.union([z.string(), z.number()]).optional(),
    maxRetries: count(0).optional(),
    maxConcurrency: count(1).optional(),
    headers: z.record(z.string(), z.string()).optional(),
    dialect: z.enum(["documented", "hashicorp"]).optional(),
    provider: z.unknown().optional(),
    index: count(0).optional(),
    namespace: text.optional(),
    topics: topicsSchema(z).optional(),
    signal: z.instanceof(AbortSignal, { error: "must be an AbortSignal" }).optional(),
    idleTimeout: timeSchema(z).optional(),
    maxFrameSize: count(1).optional(),
    onGap: callback.optional(),
    onReconnect: callback.optional(),
  };
}

/**
 * An empty list would subscribe to everything.
 * @internal
 */
export function topicsSchema(z: Validation): Zod.ZodType<string[], string[]> {
  const topic = z.string().regex(/^[^:]+(:.+)?$/s, 'must be a topic such as "Node" or "Deployment:web"');
  return z.array(topic).min(1, "must name at least one topic");
}

/** @internal */
export function matchSchema(z: Validation) {
  // Namespaces and keys may be empty.
  const members = matchMembers.map((member) => [member, z.string().nullish()] as const);
  type Texts = Record<(typeof matchMembers)[number], Zod.ZodOptional<Zod.ZodNullable<Zod.ZodString>>>;
  return z.strictObject({
    ...(Object.fromEntries(members) as Texts),
    payload: z.record(z.string(), z.unknown()).nullish(),
  });
}

/** @internal */
export function timeSchema(z: Validation): Zod.ZodType<number, string | number> {
  return durationInSeconds(z).refine((seconds) => seconds > 0, "must be greater than 0");
}

/**
 * @throws InputError naming all problems, without the values
 * @internal
 */
export function parseArguments<Arguments>(
  functionName: string,
  schema: (z: Validation) => Zod.ZodType<Arguments>,
  args: unknown,
): Arguments {
  const z = validation();
  const parsed = z.safeParse(schema(z), args ?? {}, { error: explainIssue });
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${pathText(issue.path)} ${issue.message}`.trim());
    const shown = firstProblems(problems, (more) => `and ${more} more`);
    throw new InputError(`${functionName}: ${shown.join("; ")}.`);
  }
  return parsed.data;
}

/** @internal */
export function followOptions(
  { idleTimeout }: { readonly idleTimeout?: number | undefined },
  { index, namespace, topics, maxFrameSize, onGap, onReconnect }: StreamOptions,
  signal: AbortSignal,
): FollowOptions {
  const idleMilliseconds = idleTimeout === undefined ? undefined : timerMilliseconds(idleTimeout);
  return { index, namespace, topics, maxFrameSize, onGap, onReconnect, idleMilliseconds, signal };
}
