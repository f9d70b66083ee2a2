import { CancelledError, messageOf } from "../base/errors";
import { showable } from "../base/shown-text";
import { cancellationSignal, untilSettled } from "./cancellation";
import { engineAddress } from "./process";

let silenced = false;

/**
 * The provider process sends an error and also prints `${error}: ${error.stack}`. For this library's errors
 * only `: ` remains, which the CLI would show as a separate line.
 */
export function silenceEmptyReports(): void {
  if (silenced || engineAddress() === undefined) {
    return;
  }
  silenced = true;
  const print = console.error.bind(console);
  console.error = (...parts: unknown[]) => {
    if (parts.length !== 1 || parts[0] !== ": ") {
      print(...parts);
    }
  };
}

/**
 * An error without text and stack, because the provider process prints both in addition to sending the
 * message.
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
 * An error for an object that exists although a later step failed. The engine keeps the object in state; with
 * a plain error, it would be lost.
 */
export class PartialSuccessError<Stored> extends LifecycleError {
  readonly reasons: readonly string[];

  constructor(
    readonly id: string,
    readonly properties: Stored,
    reason: string,
  ) {
    super(reason);
    this.reasons = [this.message];
  }
}

/** Converts any error to one readable message without secrets. `timeout` is in seconds. */
export async function reportable<Result>(
  type: string,
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
        `The operation exceeded its customTimeouts limit of ${timeout} s. ${messageOf(error)}`,
        error,
      );
    }
    const bug = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
    throw new LifecycleError(
      bug
        ? `pulumi-trivium failed unexpectedly while handling ${type}: ${error.stack ?? error.message}`
        : messageOf(error),
      error,
    );
  }
}
