import { longestPart, showable } from "./shown-text";

const longestRequestId = 100;
const longestPlace = 200;

/** What a request was for and where it went, as errors name it. */
export interface RequestDescription {
  /** What was tried, beginning with a verb: `create the project`. */
  readonly summary: string;
  readonly method: string;
  /** The address without query. */
  readonly url: string;
}

interface ErrorOptions {
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

  constructor(problem: string, options: ErrorOptions = {}) {
    super(showable(options.hint === undefined ? problem : `${problem} ${options.hint}`));
    this.hint = options.hint === undefined ? undefined : showable(options.hint);
    this.mayHaveBeenProcessed = options.mayHaveBeenProcessed ?? false;
  }

  get [triviumError](): true {
    return true;
  }

  static isInstance(value: unknown): value is TriviumError {
    return isBranded(value, triviumError);
  }
}

/** The service answered with a status that is not a success: 300 or above. */
export class ServiceError extends TriviumError {
  override readonly name = "ServiceError";
  readonly status: number;
  readonly method: string;
  /** The address without query. */
  readonly url: string;
  /** The service's own words, one text per problem; empty when its answer held none. */
  readonly words: readonly string[];
  /** Headers that help to understand the answer, by lower-case name: request id, limits, media type. */
  readonly headers: Readonly<Record<string, string>>;
  /** How many times the request was made. */
  readonly attempts: number;

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
    this.attempts = attempts;
  }

  get [serviceError](): true {
    return true;
  }

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

  static override isInstance(value: unknown): value is ConnectionError {
    return isBranded(value, connectionError);
  }
}

/** What did not come in time: the connection, the beginning of the answer, or its end. */
export type TimeoutPhase = "connect" | "headers" | "body";

const waitedFor: Readonly<Record<TimeoutPhase, string>> = {
  connect: "no connection",
  headers: "no answer",
  body: "no complete answer",
};

/** The service took longer than the request timeout. */
export class TimeoutError extends TriviumError {
  override readonly name = "TimeoutError";
  readonly phase: TimeoutPhase;
  /** The time limit of one attempt. */
  readonly timeoutMilliseconds: number;

  constructor(
    details: ErrorOptions & {
      readonly request: RequestDescription;
      readonly phase: TimeoutPhase;
      readonly timeoutMilliseconds: number;
      readonly attempts?: number;
    },
  ) {
    const { request, phase, timeoutMilliseconds, attempts } = details;
    const limit = `${waitedFor[phase]} within ${timeoutMilliseconds / 1000} s`;
    super(`${failed(request)} timed out${tries(attempts)}: ${limit}.`, details);
    this.phase = phase;
    this.timeoutMilliseconds = timeoutMilliseconds;
  }

  get [timeoutError](): true {
    return true;
  }

  static override isInstance(value: unknown): value is TimeoutError {
    return isBranded(value, timeoutError);
  }
}

/** The service answered with success, but not with what its documents promise. */
export class ContractError extends TriviumError {
  override readonly name = "ContractError";
  /** Where in the answer, such as `data.attributes.name`; empty for the answer as a whole. */
  readonly at: string;

  /**
   * @param details.request verb and address, such as `GET https://example.com/api/v2/projects/prj-1`
   * @param details.problem what was expected and what kind of value was found, never the value itself
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

  static override isInstance(value: unknown): value is ContractError {
    return isBranded(value, contractError);
  }
}

/** The caller aborted. */
export class CancelledError extends TriviumError {
  override readonly name = "CancelledError";

  constructor(details: ErrorOptions & { readonly request: RequestDescription }) {
    const { request, mayHaveBeenProcessed = false } = details;
    const state = mayHaveBeenProcessed
      ? "the service may have acted on it"
      : "the service has not acted on it";
    super(
      `Cancelled while trying to ${request.summary}: ${request.method} ${request.url}; ${state}.`,
      details,
    );
  }

  get [cancelledError](): true {
    return true;
  }

  static override isInstance(value: unknown): value is CancelledError {
    return isBranded(value, cancelledError);
  }
}

/** A setting of a connection is missing or cannot work. */
export class ConfigurationError extends TriviumError {
  override readonly name = "ConfigurationError";

  get [configurationError](): true {
    return true;
  }

  static override isInstance(value: unknown): value is ConfigurationError {
    return isBranded(value, configurationError);
  }
}

/** A value given by the caller cannot be sent. */
export class InputError extends TriviumError {
  override readonly name = "InputError";

  get [inputError](): true {
    return true;
  }

  static override isInstance(value: unknown): value is InputError {
    return isBranded(value, inputError);
  }
}

/** The same problem with other advice, where who made the request knows better what it means. */
export function advisedOtherwise(error: TriviumError, hint: string): TriviumError {
  const { message, hint: former, mayHaveBeenProcessed: processed } = error;
  const problem =
    former !== undefined && message.endsWith(` ${former}`) ? message.slice(0, -former.length - 1) : message;
  return new TriviumError(problem, { hint, mayHaveBeenProcessed: processed });
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
