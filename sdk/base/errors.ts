import { longestPart, showable } from "./shown-text";

const longestRequestId = 100;
const longestPlace = 200;

/**
 * What a request was for and where it went, as errors name it.
 *
 * @internal
 */
export interface RequestDescription {
  /** What was tried, beginning with a verb: `create the project`. */
  readonly summary: string;
  readonly method: string;
  /** The address without query. */
  readonly url: string;
}

/** @internal */
export interface ErrorOptions {
  /** What to do next: one or more sentences. */
  readonly hint?: string | undefined;
  /** @see TriviumError.mayHaveBeenProcessed */
  readonly mayHaveBeenProcessed?: boolean;
}

const triviumError = Symbol.for("pulumi-trivium.TriviumError");
const serviceError = Symbol.for("pulumi-trivium.ServiceError");
const connectionError = Symbol.for("pulumi-trivium.ConnectionError");
const timeoutError = Symbol.for("pulumi-trivium.TimeoutError");
const contractError = Symbol.for("pulumi-trivium.ContractError");
const cancelledError = Symbol.for("pulumi-trivium.CancelledError");
const configurationError = Symbol.for("pulumi-trivium.ConfigurationError");
const inputError = Symbol.for("pulumi-trivium.InputError");
const notFoundError = Symbol.for("pulumi-trivium.NotFoundError");

/**
 * Every error of this library. Its message says what was tried, what went wrong and what to do next, and holds no
 * secret. Test for a class with its `isInstance`, which also works when a program holds two copies of the package.
 */
export class TriviumError extends Error {
  override readonly name: string = "TriviumError";
  /** What to do next; part of the message. */
  readonly hint: string | undefined;
  /** Whether the service may have acted on the request although it failed. */
  readonly mayHaveBeenProcessed: boolean;

  /** @internal */
  constructor(problem: string, options: ErrorOptions = {}) {
    super(showable(options.hint === undefined ? problem : `${problem} ${options.hint}`));
    this.hint = options.hint === undefined ? undefined : showable(options.hint);
    this.mayHaveBeenProcessed = options.mayHaveBeenProcessed ?? false;
  }

  get [triviumError](): true {
    return true;
  }

  /** Whether a value is such an error, also one that another copy of the package has thrown. */
  static isInstance(value: unknown): value is TriviumError {
    return isBranded(value, triviumError);
  }
}

/** The service answered with a status that is not a success: 300 or above. */
export class ServiceError extends TriviumError {
  override readonly name = "ServiceError";
  /** The status of the response: `404`. */
  readonly status: number;
  /** The method of the request: `PATCH`. */
  readonly method: string;
  /** The address without query. */
  readonly url: string;
  /** The service's own words, one text per problem; empty when its response held none. */
  readonly words: readonly string[];
  /** Headers that help to understand the response, by lower-case name: request id, limits, media type. */
  readonly headers: Readonly<Record<string, string>>;
  /** The id under which the service logs the request, where it names one. */
  readonly requestId: string | undefined;
  /** How many times the request was made. */
  readonly attempts: number;

  /** @internal */
  constructor(
    details: ErrorOptions & {
      readonly request: RequestDescription;
      readonly status: number;
      readonly words: readonly string[];
      readonly headers?: Readonly<Record<string, string>>;
      readonly attempts?: number;
    },
  ) {
    const { request, status, words, headers = {}, attempts = 1 } = details;
    const saying = words.length === 0 ? "without a word of explanation" : `saying: ${words.join("; ")}`;
    const id = headers["x-request-id"];
    const requestId = id === undefined ? "" : ` (request id ${showable(id, longestRequestId)})`;
    super(
      `${failed(request)} was answered with ${status}${tries(attempts)}${requestId} ${sentence(saying)}`,
      details,
    );
    this.status = status;
    this.method = request.method;
    this.url = showable(request.url);
    this.words = words.map((text) => showable(text, longestPart));
    this.headers = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, showable(value, longestPart)]),
    );
    this.requestId = this.headers["x-request-id"];
    this.attempts = attempts;
  }

  get [serviceError](): true {
    return true;
  }

  /** Whether a value is such an error, also one that another copy of the package has thrown. */
  static override isInstance(value: unknown): value is ServiceError {
    return isBranded(value, serviceError);
  }
}

/** The service could not be reached, or the connection broke before the answer was complete. */
export class ConnectionError extends TriviumError {
  override readonly name = "ConnectionError";
  /** The code of the operating system, of TLS or of the HTTP client, such as `ECONNREFUSED`. */
  readonly code: string;
  /** What went wrong, without what was tried and what to do. */
  readonly problem: string;
  /** Whether trying again cannot mend it: a certificate, a version of HTTP that does not exist. */
  readonly permanent: boolean;

  /** @internal */
  constructor(
    details: ErrorOptions & {
      readonly request: RequestDescription;
      readonly code: string;
      readonly problem: string;
      readonly permanent?: boolean;
      readonly attempts?: number;
    },
  ) {
    super(
      `${failed(details.request)} failed${tries(details.attempts)}: ${sentence(details.problem)}`,
      details,
    );
    this.code = details.code;
    this.problem = showable(details.problem);
    this.permanent = details.permanent ?? false;
  }

  get [connectionError](): true {
    return true;
  }

  /** Whether a value is such an error, also one that another copy of the package has thrown. */
  static override isInstance(value: unknown): value is ConnectionError {
    return isBranded(value, connectionError);
  }
}

/** What did not come in time: the connection, the beginning of the response, its end, or an event. */
export type TimeoutPhase = "connect" | "headers" | "body" | "event";

/**
 * What of a request can take too long.
 *
 * @internal
 */
export type RequestPhase = Exclude<TimeoutPhase, "event">;

const waitedFor: Readonly<Record<RequestPhase, string>> = {
  connect: "no connection",
  headers: "no answer",
  body: "no complete answer",
};

/** The service took longer than the request timeout, or no matching event came in time. */
export class TimeoutError extends TriviumError {
  override readonly name = "TimeoutError";
  /** What did not come in time. */
  readonly phase: TimeoutPhase;
  /** The time limit: of one attempt, or of waiting for an event. */
  readonly timeoutMilliseconds: number;

  /** @internal */
  constructor(
    problem: string,
    options: ErrorOptions & { readonly phase: TimeoutPhase; readonly timeoutMilliseconds: number },
  ) {
    super(problem, options);
    this.phase = options.phase;
    this.timeoutMilliseconds = options.timeoutMilliseconds;
  }

  get [timeoutError](): true {
    return true;
  }

  /** Whether a value is such an error, also one that another copy of the package has thrown. */
  static override isInstance(value: unknown): value is TimeoutError {
    return isBranded(value, timeoutError);
  }
}

/**
 * A request that took too long.
 *
 * @internal
 */
export function requestTimedOut(
  details: ErrorOptions & {
    readonly request: RequestDescription;
    readonly phase: RequestPhase;
    readonly timeoutMilliseconds: number;
    readonly attempts?: number;
  },
): TimeoutError {
  const { request, phase, timeoutMilliseconds, attempts } = details;
  const limit = `${waitedFor[phase]} within ${timeoutMilliseconds / 1000} s`;
  return new TimeoutError(`${failed(request)} timed out${tries(attempts)}: ${limit}.`, details);
}

/** The service answered with success, but not with what its documents promise. */
export class ContractError extends TriviumError {
  override readonly name = "ContractError";
  /** Where in the answer, such as `data.attributes.name`; empty for the answer as a whole. */
  readonly at: string;

  /**
   * @param details.request verb and address, such as `GET https://example.com/api/v2/projects/prj-1`
   * @param details.problem what was expected and what kind of value was found, never the value itself
   * @internal
   */
  constructor(
    details: ErrorOptions & { readonly request: string; readonly at?: string; readonly problem: string },
  ) {
    const { request, at = "", problem } = details;
    // The members that it leads over may have names from the service.
    const place = showable(at, longestPlace);
    super(
      `The answer to ${request} is not as documented: ${place === "" ? "" : `${place}: `}${sentence(problem)}`,
      {
        // A success was answered: whatever was asked for has happened.
        mayHaveBeenProcessed: true,
        ...details,
      },
    );
    this.at = place;
  }

  get [contractError](): true {
    return true;
  }

  /** Whether a value is such an error, also one that another copy of the package has thrown. */
  static override isInstance(value: unknown): value is ContractError {
    return isBranded(value, contractError);
  }
}

/** The caller aborted: through `signal`, or with Ctrl-C. */
export class CancelledError extends TriviumError {
  override readonly name = "CancelledError";

  get [cancelledError](): true {
    return true;
  }

  /** Whether a value is such an error, also one that another copy of the package has thrown. */
  static override isInstance(value: unknown): value is CancelledError {
    return isBranded(value, cancelledError);
  }
}

/**
 * A request that the caller aborted.
 *
 * @internal
 */
export function requestCancelled(
  details: ErrorOptions & { readonly request: RequestDescription },
): CancelledError {
  const { request, mayHaveBeenProcessed = false } = details;
  const state = mayHaveBeenProcessed ? "the service may have acted on it" : "the service has not acted on it";
  return new CancelledError(
    `Cancelled while trying to ${request.summary}: ${request.method} ${request.url}; ${state}.`,
    details,
  );
}

/** A setting of a connection is missing or cannot work. */
export class ConfigurationError extends TriviumError {
  override readonly name = "ConfigurationError";

  get [configurationError](): true {
    return true;
  }

  /** Whether a value is such an error, also one that another copy of the package has thrown. */
  static override isInstance(value: unknown): value is ConfigurationError {
    return isBranded(value, configurationError);
  }
}

/** An argument or an option is not valid. Nothing was sent. */
export class InputError extends TriviumError {
  override readonly name = "InputError";

  get [inputError](): true {
    return true;
  }

  /** Whether a value is such an error, also one that another copy of the package has thrown. */
  static override isInstance(value: unknown): value is InputError {
    return isBranded(value, inputError);
  }
}

/**
 * What to do next, by the status of the response; `otherwise` is for every other refusal but those of the token (401
 * and 403).
 *
 * @internal
 */
export type Advice = Readonly<Partial<Record<number | "otherwise", string>>>;

/**
 * The same error, with the advice of who made the request in place of the usual one.
 *
 * @internal
 */
export function withAdvice(error: unknown, advice: Advice | undefined): unknown {
  if (advice === undefined || !ServiceError.isInstance(error)) {
    return error;
  }
  const { status } = error;
  const hint = advice[status] ?? (status === 401 || status === 403 ? undefined : advice.otherwise);
  return hint === undefined ? error : advisedOtherwise(error, hint);
}

/**
 * The same error with other advice: of the same class, with the same fields.
 *
 * @internal
 */
export function advisedOtherwise<Advised extends TriviumError>(error: Advised, hint: string): Advised {
  const { message, hint: former } = error;
  const problem =
    former !== undefined && message.endsWith(` ${former}`) ? message.slice(0, -former.length - 1) : message;
  const shown = { hint: showable(hint), message: showable(`${problem} ${hint}`) };
  const members = Object.getOwnPropertyDescriptors(error);
  return Object.create(Object.getPrototypeOf(error) as object, {
    ...members,
    hint: { ...members.hint, value: shown.hint },
    message: { ...members.message, value: shown.message },
  }) as Advised;
}

/** What a function asks about does not exist, or the service does not show it to this token. */
export class NotFoundError extends TriviumError {
  override readonly name = "NotFoundError";

  get [notFoundError](): true {
    return true;
  }

  /** Whether a value is such an error, also one that another copy of the package has thrown. */
  static override isInstance(value: unknown): value is NotFoundError {
    return isBranded(value, notFoundError);
  }
}

/** Whether the service may have acted on a request that ended with this error; true for what is not ours. */
export function mayHaveBeenProcessed(error: unknown): boolean {
  return TriviumError.isInstance(error) ? error.mayHaveBeenProcessed : true;
}

function isBranded(value: unknown, brand: symbol): boolean {
  return typeof value === "object" && value !== null && (value as Record<symbol, unknown>)[brand] === true;
}

function failed(request: RequestDescription): string {
  return `Could not ${request.summary}: ${request.method} ${request.url}`;
}

function tries(attempts = 1): string {
  return attempts === 1 ? "" : ` ${attempts} times`;
}

function sentence(text: string): string {
  return /[.!?]\)?$/.test(text) ? text : `${text}.`;
}

/**
 * The words of whatever was thrown.
 *
 * @internal
 */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
