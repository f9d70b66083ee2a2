import type { JsonObject } from "../../base/json";
import { logToEngine } from "../../engine/progress";
import type { DefinitionIn } from "../definition";
import type { Entry, RunOptions } from "../state/entry";
import { type Context, readEntry } from "./object";

export interface Question {
  readonly id: string;
  readonly entry: Entry;
  readonly args: JsonObject;
  readonly urn: string | undefined;
  /** `undefined` for a resource that was not checked in this run. */
  readonly run: RunOptions | undefined;
  /** The service's time if it is known. */
  readonly now: () => number;
}

/** What has to be done with a lease. */
export interface Decision {
  readonly isReplaced: boolean;
  /** What the service reports about a lease that stays, if that differs from state. */
  readonly entry?: Entry;
}

/**
 * Whether a lease must be replaced. A preview does not send requests, but reports that the service will be asked.
 * Calls of programs in other languages do not show whether they belong to a preview; the service is then asked if
 * possible.
 */
export async function decideEnding(
  definition: DefinitionIn,
  context: () => Context,
  { id, entry, args, urn, run, now }: Question,
): Promise<Decision> {
  const endingBy = (outputs: JsonObject) => definition.ending?.(outputs, args, now(), definition.dialect);
  const say = (text: string): void => logToEngine("information", urn, text);
  const replaced = (reason: string): Decision => {
    say(`${reason} and will be replaced.`);
    return { isReplaced: true };
  };
  const ending = endingBy(entry.outputs);
  if (ending === undefined || (ending.mayDiffer && run === undefined)) {
    return { isReplaced: false };
  }
  if (!ending.mayDiffer) {
    return replaced(ending.reason);
  }
  const asks = async (): Promise<Entry | undefined> => readEntry(context(), id, entry);
  const found =
    run?.phase === "preview"
      ? "unknown"
      : await asks().catch((error: unknown) => {
          if (run?.phase === "update") {
            throw error;
          }
          return "unknown" as const;
        });
  if (found === "unknown") {
    say(
      `${ending.reason} according to state. The update will ask the service, and replace it only if the service confirms that.`,
    );
    return { isReplaced: true };
  }
  if (found === undefined) {
    return replaced(ending.reason);
  }
  const next = endingBy(found.outputs);
  if (next?.isOver === false) {
    return replaced(next.reason);
  }
  say(
    `${ending.reason} according to state, but the service says that it is still valid, so it will not be replaced.`,
  );
  return found.outputs.expiresAt === entry.outputs.expiresAt
    ? { isReplaced: false }
    : { isReplaced: false, entry: found };
}
