/** A response other than success. Thrown by an endpoint, written by the service as a list of errors. */
export class Refusal extends Error {
  /** @param errors what the body lists; nothing for what is simply absent */
  constructor(
    readonly status: number,
    readonly errors: readonly string[],
  ) {
    super(errors.join("; ") || `status ${status}`);
  }
}

/** 404 silently: an object or a whole list that is not there. */
export function notFound(): Refusal {
  return new Refusal(404, []);
}

/** 400: the request breaks a rule. */
export function badRequest(error: string): Refusal {
  return new Refusal(400, [error]);
}

/** 403, for every token that may not do this. */
export function permissionDenied(): Refusal {
  return new Refusal(403, ["permission denied"]);
}

/** 500: an engine failed at the request; such errors come as a numbered list with one entry. */
export function failure(error: string): Refusal {
  return new Refusal(500, [numbered(error)]);
}

/** 404: a mount has no such path. */
export function unsupportedPath(): Refusal {
  return new Refusal(404, [numbered("unsupported path")]);
}

/** 405: the path is known, but not for this. */
export function unsupportedOperation(): Refusal {
  return new Refusal(405, [numbered("unsupported operation")]);
}

/** 404: nothing is mounted there. @param path below the prefix of all paths */
export function unknownRoute(path: string): Refusal {
  return new Refusal(404, [`no handler for route ${JSON.stringify(path)}. route entry not found.`]);
}

function numbered(error: string): string {
  return `1 error occurred:\n\t* ${error}\n\n`;
}

/**
 * Something that an engine cannot do, through no fault of the request: the engine, the directory behind it, a template
 * or its LDIF failed. The service returns 500.
 */
export class EngineFailure extends Error {}

/** Calls what may fail, and puts in front of the failure what was tried. */
export function attempt<Result>(what: string, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    throw error instanceof EngineFailure ? new EngineFailure(`${what}: ${error.message}`) : error;
  }
}
