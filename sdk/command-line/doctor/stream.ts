import { ServiceError, TimeoutError } from "../../base/errors";
import type { Caller } from "../../base/caller";
import type { SchedulerClient } from "../../scheduler/client";
import { WatchedStream } from "../../scheduler/follow";
import { isRefusal } from "../../scheduler/refusal";
import type { Questions } from "./questions";

/** What became of a subscription to events. */
export type StreamVerdict =
  /** Something came: a sign of life, or events. */
  | { readonly kind: "alive" }
  /** For want of rights. Newer schedulers begin to answer, and end without a byte. */
  | { readonly kind: "refused"; readonly status: number; readonly words: string }
  /** Nothing came in time. */
  | { readonly kind: "silent" }
  | { readonly kind: "failed"; readonly status: number; readonly message: string };

/**
 * Opens the event stream, waits until something comes, and closes it.
 *
 * @param topics everything when absent
 * @throws as {@link Questions.get}
 */
export async function tryStream(
  questions: Questions,
  topics: readonly string[] | undefined,
): Promise<StreamVerdict> {
  const { connection, signal, timeLimit } = questions;
  const caller: Caller = { signal, progress: () => undefined, announce: () => undefined };
  const client = connection.clientFor(caller) as SchedulerClient;
  try {
    const stream = new WatchedStream(await client.openEventStream({ topics }, 0, signal), timeLimit);
    try {
      const bytes = await stream.read();
      if (bytes !== undefined) {
        return { kind: "alive" };
      }
      return stream.isIdle
        ? { kind: "silent" }
        : { kind: "refused", status: 200, words: "the stream ended without a byte" };
    } finally {
      stream.close();
    }
  } catch (error) {
    // Some begin to answer only when there is an event.
    if (TimeoutError.isInstance(error) && error.phase === "headers") {
      return { kind: "silent" };
    }
    if (!ServiceError.isInstance(error) || error.status < 400) {
      throw error;
    }
    const words = error.words.join("; ");
    return isRefusal(error)
      ? { kind: "refused", status: error.status, words }
      : { kind: "failed", status: error.status, message: `answered with ${error.status}: ${words}` };
  }
}
