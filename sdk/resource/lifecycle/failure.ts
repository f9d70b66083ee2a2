import { cancellationSignal, untilSettled } from "../../engine/cancellation";
import { CancelledError, messageOf } from "../../base/errors";
import { showable } from "../../base/shown-text";
import type { AnyResourceDefinition } from "../definition";
import type { JsonObject } from "../../base/json";

/**
 * An error for the engine's provider process. That process prints `${error}: ${error.stack}` besides sending
 * the message, which the CLI would show twice, so everything except the message is empty.
 */
export class LifecycleError extends Error {
  constructor(message: string, cause?: unknown) {
    super(showable(message), { cause });
    this.name = "";
    this.stack = "";
  }

  override toString(): string {
    return "";
  }
}

/**
 * The object exists, but a later step failed. The engine keeps it in state under its id and tries an update
 * next time; after a plain error it would be lost.
 */
export class PartialSuccessError extends LifecycleError {
  readonly reasons: readonly string[];

  /**
   * @param properties the outputs, including the `__provider` text: without it neither refresh nor delete can
   *   run
   */
  constructor(
    readonly id: string,
    readonly properties: JsonObject,
    reason: string,
  ) {
    super(reason);
    this.reasons = [this.message];
  }
}

/**
 * Runs a hook and converts any error to one readable message without secrets.
 *
 * @param timeout the time limit in seconds, if the program sets one
 */
export async function reportable<Result>(
  definition: AnyResourceDefinition,
  hook: () => Promise<Result>,
  timeout?: number,
): Promise<Result> {
  try {
    return await untilSettled(hook);
  } catch (error) {
    if (error instanceof LifecycleError) {
      throw error;
    }
    if (timeout !== undefined && CancelledError.isInstance(error) && !cancellationSignal().aborted) {
      throw new LifecycleError(
        `The operation exceeded the ${timeout} s of customTimeouts. ${messageOf(error)}`,
        error,
      );
    }
    const bug = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
    throw new LifecycleError(
      bug
        ? `pulumi-trivium failed unexpectedly while handling ${definition.type}: ${error.stack ?? error.message}`
        : messageOf(error),
      error,
    );
  }
}
