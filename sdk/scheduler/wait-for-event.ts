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

/** What to wait for, and what {@link streamEvents} takes. */
export interface WaitForEventOptions extends StreamOptions {
  /**
   * Which event to wait for: its members, or a function that knows it.
   *
   * @default the first that comes
   */
  readonly match?: EventMatch | ((event: Event) => boolean);
  /**
   * How long to wait, in seconds or with a unit.
   *
   * @default for ever
   */
  readonly timeout?: string | number;
}

/**
 * Waits for an event. Those that the scheduler still holds count too: give `index` to leave out what is older.
 *
 * It only reads, and works in scripts without Pulumi as well as in programs. A program that shall wait once, and not
 * in every preview, uses the resource {@link EventGate}.
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
 * @throws {@link errors.TimeoutError} when none came in time, saying which events did; {@link errors.CancelledError} when
 *   `signal` is aborted; as {@link streamEvents}
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
