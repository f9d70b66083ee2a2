import { cancellationSignal, untilSettled } from "../engine/cancellation";
import { CancelledError, messageOf } from "../base/errors";
import { showable } from "../base/shown-text";
import type { AnyResourceDefinition } from "./definition";
import type { JsonObject } from "../base/json";

/**
 * An error as the engine's provider process wants it. That process prints `${error}: ${error.stack}` beside
 * sending the message, which the CLI then shows twice, so everything but the message is left empty.
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
 * The object exists but something after its creation failed. The engine keeps it in state under its id and tries
 * an update next time; a creation that merely failed would lose it.
 */
export class PartialSuccessError extends LifecycleError {
  readonly reasons: readonly string[];

  /**
   * @param properties the outputs, the `__provider` text included: without it neither refresh nor delete can run
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
 * Runs a hook so that whatever it throws reaches the user as one readable message without secrets.
 *
 * @param timeout how many seconds it may take, where the program says so
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
        `The time limit of ${timeout} s in the option customTimeouts is over. ${messageOf(error)}`,
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
