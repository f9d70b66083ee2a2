import { awaitEvent } from "./await-event";
import { connectToScheduler } from "./connection";
import type { Event } from "./event";
import { describeMatch, type EventMatch } from "./match";
import {
  followOptions,
  matchSchema,
  parseArguments,
  type StreamOptions,
  streamSchema,
  timeSchema,
} from "./stream-options";
import { unknownTopics } from "./topics";
import { isMeant } from "./translation";

/** The event to wait for, and the options of {@link streamEvents}. */
export interface WaitForEventOptions extends StreamOptions {
  /**
   * Which event to wait for: its members, or a predicate.
   *
   * @default the first one
   */
  readonly match?: EventMatch | ((event: Event) => boolean);
  /**
   * How long to wait: a number of seconds, or a duration.
   *
   * @default no limit
   */
  readonly timeout?: string | number;
}

/**
 * Waits for an event. Events in the scheduler's buffer count too; to ignore older ones, set `index`.
 *
 * It is read-only and works in programs and in scripts without Pulumi. To wait once in a program, and not in
 * every preview, use the resource {@link EventGate}.
 *
 * @example
 * ```typescript
 * const { payload } = await trivium.scheduler.waitForEvent({
 *   topics: ["Deployment:web"],
 *   match: ({ payload }) => (payload.Deployment as { Status: string }).Status === "successful",
 *   timeout: "10m",
 * });
 * ```
 *
 * @throws {@link errors.TimeoutError} if none arrives in time, with the events that did;
 * {@link errors.CancelledError} when `signal` is aborted; as {@link streamEvents}
 */
export async function waitForEvent(options: WaitForEventOptions = {}): Promise<Event> {
  const functionName = "scheduler.waitForEvent";
  const { match: wanted = {}, signal = new AbortController().signal } = options;
  const checked = parseArguments(
    functionName,
    (z) =>
      z.strictObject({
        ...streamSchema(z),
        match: z
          .union(
            [matchSchema(z), z.custom((value) => typeof value === "function")],
            "must be a function, or an object with topic, type, key, namespace and payload",
          )
          .optional(),
        timeout: timeSchema(z).optional(),
      }),
    options,
  );
  const client = await connectToScheduler(functionName, options, signal);
  const doubt = unknownTopics(options.topics ?? [], client.dialect.name);
  if (doubt !== undefined) {
    client.caller.announce("warning", `${functionName}: topics ${doubt}.`);
  }
  return awaitEvent(client, followOptions(checked, options, signal), {
    description: typeof wanted === "function" ? "an event that matches" : describeMatch(wanted),
    isWanted: typeof wanted === "function" ? wanted : (event) => isMeant(wanted, event, client.dialect),
    timeoutSeconds: checked.timeout,
  });
}
