import type * as Zod from "zod";
import { InputError } from "../base/errors";
import { type Validation, validation } from "../base/validation";
import { explainIssue, firstProblems, pathText } from "../resource/issues";
import { durationInSeconds } from "../resource/schemas";
import type { ConnectionOptions } from "./connection";
import type { EventTopic } from "./event";
import type { FollowOptions } from "./follow";
import type { Gap } from "./history";
import { matchMembers } from "./match";
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

/**
 * The schemas of {@link StreamOptions}.
 *
 * @internal
 */
export function streamSchema(z: Validation) {
  const text = z.string().min(1, "must not be empty");
  const count = (least: number) => z.int().min(least, `must be ${least} or more`);
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
 * Topics of a subscription. An empty list would subscribe to everything.
 *
 * @internal
 */
export function topicsSchema(z: Validation): Zod.ZodType<string[], string[]> {
  const topic = z.string().regex(/^[^:]+(:.+)?$/s, 'must be a topic such as "Node" or "Deployment:web"');
  return z.array(topic).min(1, "must name at least one topic");
}

/**
 * Which event is meant.
 *
 * @internal
 */
export function matchSchema(z: Validation) {
  // Namespaces and keys may well be empty.
  const members = matchMembers.map((member) => [member, z.string().nullish()] as const);
  type Texts = Record<(typeof matchMembers)[number], Zod.ZodOptional<Zod.ZodNullable<Zod.ZodString>>>;
  return z.strictObject({
    ...(Object.fromEntries(members) as Texts),
    payload: z.record(z.string(), z.unknown()).nullish(),
  });
}

/**
 * A time that something may take; it becomes seconds.
 *
 * @internal
 */
export function timeSchema(z: Validation): Zod.ZodType<number, string | number> {
  return durationInSeconds(z).refine((seconds) => seconds > 0, "must be longer than nothing");
}

/**
 * Checks the arguments of a call.
 *
 * @throws InputError naming everything that is wrong, without repeating values
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

/**
 * Options as the stream takes them.
 *
 * @param checked what {@link parseArguments} has made of them
 * @internal
 */
export function followOptions(
  { idleTimeout }: { readonly idleTimeout?: number | undefined },
  { index, namespace, topics, maxFrameSize, onGap, onReconnect }: StreamOptions,
  signal: AbortSignal,
): FollowOptions {
  const idleMilliseconds = idleTimeout === undefined ? undefined : milliseconds(idleTimeout);
  return { index, namespace, topics, maxFrameSize, onGap, onReconnect, idleMilliseconds, signal };
}

/** The longest time that a timer runs: 24 days. */
const longestTimer = 2 ** 31 - 1;

/**
 * Seconds as timers take them.
 *
 * @internal
 */
export function milliseconds(seconds: number): number {
  return Math.min(Math.max(1, Math.round(seconds * 1000)), longestTimer);
}
