import { unservedText } from "../response";

/** An error response: thrown by an endpoint, sent by the service as a list of errors. */
export class Refusal extends Error {
  /** @param errors empty for a plain 404 */
  constructor(
    readonly status: number,
    readonly errors: readonly string[],
  ) {
    super(errors.join("; ") || `status ${status}`);
  }
}

export function badRequest(error: string): Refusal {
  return new Refusal(400, [error]);
}

/** @param isKnown whether the token is valid; if it is, the products number their error messages */
export function permissionDenied(isKnown = false): Refusal {
  return new Refusal(403, [isKnown ? numbered("permission denied") : "permission denied"]);
}

export function unsupportedPath(): Refusal {
  return new Refusal(404, [numbered("unsupported path")]);
}

export function unsupportedOperation(): Refusal {
  return new Refusal(405, [numbered("unsupported operation")]);
}

export function unknownRoute(path: string): Refusal {
  return new Refusal(404, [`no handler for route ${JSON.stringify(path)}. route entry not found.`]);
}

/** The error for something that the product would act on. */
export function notImplemented(what: string): Refusal {
  return new Refusal(501, [unservedText(what)]);
}

/** Such errors are a numbered list with one entry. */
export function numbered(error: string): string {
  return `1 error occurred:\n\t* ${error}\n\n`;
}

/** 500: a failure of the engine, the directory, a template or its LDIF. */
export class EngineFailure extends Refusal {
  constructor(error: string) {
    super(500, [numbered(error)]);
    this.message = error;
  }
}

/**
 * Prefixes an engine's failure with what was attempted.
 *
 * @param quote how the failure is shown after it
 */
export function attempt<Result>(
  what: string,
  action: () => Result,
  quote: (failure: string) => string = String,
): Result {
  try {
    return action();
  } catch (error) {
    const prefix = what === "" ? "" : `${what}: `;
    throw error instanceof EngineFailure ? new EngineFailure(prefix + quote(error.message)) : error;
  }
}
