import type * as Zod from "zod";
import { InputError } from "../base/errors";
import { validation } from "../base/validation";
import type { Validation } from "../base/validation";
import { explainIssue, firstProblems, pathText } from "../resource/issues";
import { durationInSeconds } from "../resource/schemas";
import type { FollowOptions } from "./follow";
import { matchMembers } from "./match";
import type { StreamOptions } from "./stream-options";

/** The schemas of {@link StreamOptions}. */
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

/** Topics of a subscription. An empty list would subscribe to everything. */
export function topicsSchema(z: Validation): Zod.ZodType<string[]> {
  const topic = z.string().regex(/^[^:]+(:.+)?$/s, 'must be a topic such as "Node" or "Deployment:web"');
  return z.array(topic).min(1, "must name at least one topic");
}

/** Which event is meant. */
export function matchSchema(z: Validation) {
  // Namespaces and keys may well be empty.
  const members = matchMembers.map((member) => [member, z.string().nullish()] as const);
  type Texts = Record<(typeof matchMembers)[number], Zod.ZodOptional<Zod.ZodNullable<Zod.ZodString>>>;
  return z.strictObject({
    ...(Object.fromEntries(members) as Texts),
    payload: z.record(z.string(), z.unknown()).nullish(),
  });
}

/** A time that something may take; it becomes seconds. */
export function timeSchema(z: Validation): Zod.ZodType<number, string | number> {
  return durationInSeconds(z).refine((seconds) => seconds > 0, "must be longer than nothing");
}

/**
 * Checks the arguments of a call.
 *
 * @throws InputError naming everything that is wrong, without repeating values
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

/** Seconds as timers take them. */
export function milliseconds(seconds: number): number {
  return Math.min(Math.max(1, Math.round(seconds * 1000)), longestTimer);
}
