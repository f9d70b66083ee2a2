import { inspect, types } from "node:util";
import { longestPart, showable } from "./shown-text";

const longestRequestId = 100;
const longestPlace = 200;

/** @internal */
export interface RequestDescription {
  readonly summary: string;
  readonly method: string;
  readonly url: string;
}

/** @internal */
export interface ErrorOptions {
  readonly advice?: string | undefined;
  readonly mayHaveBeenProcessed?: boolean;
}

interface RequestErrorOptions extends ErrorOptions {
  readonly request: RequestDescription;
  readonly attempts?: number;
}

const brand = Symbol.for("pulumi-trivium.TriviumError");

/**
 * The base class of all errors of this library. The message says what failed, what the service responded and what
 * to do next. It contains no secrets. To test for a class, use its `isInstance` method, which also works if a
 * program loads two copies of the package.
 */
export class TriviumError extends Error {
  override readonly name: string = "TriviumError";
  /**
   * Bundlers rename classes, so the name is stored.
   * @internal
   */
  static readonly className: string = "TriviumError";
  /** The advice: what to do next. It is part of the message. */
  declare readonly advice: string | undefined;
  /** Whether the service might have processed the request although it failed. */
  readonly mayHaveBeenProcessed: boolean;

  /** @internal */
  constructor(problem: string, options: ErrorOptions = {}) {
    super(showable(options.advice === undefined ? problem : `${problem} ${options.advice}`));
    // An uncaught error is shown with its members.
    if (options.advice !== undefined) {
      this.advice = showable(options.advice);
    }
    this.mayHaveBeenProcessed = options.mayHaveBeenProcessed ?? false;
  }

  /** @internal */
  get [brand](): true {
    return true;
  }

  /**
   * Node.js 20.20 needs half a minute to color the stack of an error in a program of the SDK.
   * @internal
   */
  [inspect.custom](): string {
    return inspect(this, { customInspect: false });
  }

  /** Whether a value is an instance of this class, including one from another copy of the package. */
  static isInstance<Class extends { readonly prototype: TriviumError }>(
    this: Class,
    value: unknown,
  ): value is Class["prototype"] {
    const { className } = this as unknown as typeof TriviumError;
    const { [brand]: isOurs, name } = Object(value) as {
      readonly [brand]?: unknown;
      readonly name?: unknown;
    };
    return isOurs === true && (className === "TriviumError" || className === name);
  }
}

/** The service returned an error status: 300 or above. */
export class ServiceError extends TriviumError {
  override readonly name = "ServiceError";
  /** @internal */
  static override readonly className: string = "ServiceError";
  /** The status of the response: `404`. */
  readonly status: number;
  /** The method of the request: `PATCH`. */
  readonly method: string;
  /** The URL without its query. */
  readonly url: string;
  /** The explanation in the response, one string per problem; empty if there is none. */
  readonly messages: readonly string[];
  /** Headers that help to diagnose the response, by lower-case name: request ID, rate limits, media type. */
  readonly headers: Readonly<Record<string, string>>;
  /** The ID of the request in the service's log, if the response contains one. */
  declare readonly requestId: string | undefined;
  /** The number of attempts. */
  readonly attempts: number;
  /**
   * The body, unless it has the form of the service's own "not found" responses.
   * @internal
   */
  declare readonly foreign: ForeignBody | undefined;

  /** @internal */
  constructor(
    details: RequestErrorOptions & {
      readonly status: number;
      readonly messages: readonly string[];
      readonly headers?: Readonly<Record<string, string>>;
      readonly foreign?: ForeignBody | undefined;
    },
  ) {
    const { request, status, messages, headers = {}, attempts = 1, foreign } = details;
    const explanation = messages.length === 0 ? " without an explanation" : `: ${messages.join("; ")}`;
    const id = headers["x-request-id"];
    const requestId = id === undefined ? "" : ` (request ID ${showable(id, longestRequestId)})`;
    const gateway = foreign === undefined ? "" : ` ${mayBeOfGateway(foreign.shown)}`;
    super(
      `${failed(request)} returned ${status}${tries(attempts)}${requestId}${sentence(explanation)}${gateway}`,
      details,
    );
    // Non-enumerable, so that it is not shown beside the message.
    Object.defineProperty(this, "foreign", { value: foreign, enumerable: false });
    this.status = status;
    this.method = request.method;
    this.url = showable(request.url);
    this.messages = messages.map((text) => showable(text, longestPart));
    this.headers = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, showable(value, longestPart)]),
    );
    if (this.headers["x-request-id"] !== undefined) {
      this.requestId = this.headers["x-request-id"];
    }
    this.attempts = attempts;
  }
}

/**
 * The body of a 404 that something in front of the service might have sent, such as a gateway without a
 * route.
 * @internal
 */
export interface ForeignBody {
  /** Whether a body is JSON or empty, as responses of a service with undocumented errors can be. */
  readonly isData: boolean;
  /** For messages: `no body`. */
  readonly shown: string;
}

/** @internal */
export function mayBeOfGateway(shown: string): string {
  return `The response (${shown}) might come from a gateway in front of the service, not from the service itself.`;
}

/** The service could not be reached, or the connection failed before the response was complete. */
export class ConnectionError extends TriviumError {
  override readonly name = "ConnectionError";
  /** @internal */
  static override readonly className: string = "ConnectionError";
  /** The code from the operating system, TLS or the HTTP client, such as `ECONNREFUSED`. */
  readonly code: string;
  /** What went wrong, without the request and the advice. */
  readonly problem: string;
  /** Whether a retry cannot succeed, for example because of an invalid certificate or HTTP version. */
  readonly permanent: boolean;

  /** @internal */
  constructor(
    details: RequestErrorOptions & {
      readonly code: string;
      readonly problem: string;
      readonly permanent?: boolean;
    },
  ) {
    const { request, attempts, code, problem, permanent = false } = details;
    super(`${failed(request)} failed${tries(attempts)}: ${sentence(problem)}`, details);
    this.code = code;
    this.problem = showable(problem);
    this.permanent = permanent;
  }
}

/** What timed out: the connection, the start or the end of the response, or the wait for an event. */
export type TimeoutPhase = "connect" | "headers" | "body" | "event";

/** @internal */
export type RequestPhase = Exclude<TimeoutPhase, "event">;

const waitedFor: Readonly<Record<RequestPhase, string>> = {
  connect: "no connection",
  headers: "no response",
  body: "no complete response",
};

/** The service exceeded the request timeout, or no matching event arrived in time. */
export class TimeoutError extends TriviumError {
  override readonly name = "TimeoutError";
  /** @internal */
  static override readonly className: string = "TimeoutError";
  /** What timed out. */
  readonly phase: TimeoutPhase;
  /** The time limit of one attempt, or of the wait for an event. */
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
}

/** @internal */
export function requestTimedOut(
  details: RequestErrorOptions & { readonly phase: RequestPhase; readonly timeoutMilliseconds: number },
): TimeoutError {
  const { request, phase, timeoutMilliseconds, attempts } = details;
  const limit = `${waitedFor[phase]} within ${timeoutMilliseconds / 1000} s`;
  return new TimeoutError(`${failed(request)} timed out${tries(attempts)}: ${limit}.`, details);
}

/** The service reported success, but did not return the documented response. */
export class ContractError extends TriviumError {
  override readonly name = "ContractError";
  /** @internal */
  static override readonly className: string = "ContractError";
  /**
   * The part of the response that is invalid, such as `data.attributes.name`; empty for the whole response.
   */
  readonly at: string;

  /**
   * @param details.problem what was expected and the type that was found, never the value itself
   * @internal
   */
  constructor(
    details: ErrorOptions & { readonly request: string; readonly at?: string; readonly problem: string },
  ) {
    const { request, at = "", problem } = details;
    // The path can contain member names from the service.
    const place = showable(at, longestPlace);
    super(`Unexpected response to ${request}: ${place === "" ? "" : `${place}: `}${sentence(problem)}`, {
      // The status is a success, so the service has processed the request.
      mayHaveBeenProcessed: true,
      ...details,
    });
    this.at = place;
  }
}

/** The operation was canceled, through `signal` or with Ctrl-C. */
export class CancelledError extends TriviumError {
  override readonly name = "CancelledError";
  /** @internal */
  static override readonly className: string = "CancelledError";
}

/** @internal */
export function requestCancelled(details: RequestErrorOptions): CancelledError {
  const { request, mayHaveBeenProcessed = false } = details;
  const { summary, method, url } = request;
  const processed = mayHaveBeenProcessed ? "might have processed it" : "has not processed it";
  const problem = `Canceled while trying to ${summary}: ${method} ${url}; the service ${processed}.`;
  return new CancelledError(problem, details);
}

/** A connection setting is missing or invalid. */
export class ConfigurationError extends TriviumError {
  override readonly name = "ConfigurationError";
  /** @internal */
  static override readonly className: string = "ConfigurationError";
}

/** An argument or an option is invalid. No request was sent. */
export class InputError extends TriviumError {
  override readonly name = "InputError";
  /** @internal */
  static override readonly className: string = "InputError";
}

/**
 * A handler for a promise's `catch`: handles errors with one of these statuses and rethrows all others,
 * including those that a gateway might have sent.
 * @internal
 */
export function onStatus<Result>(
  statuses: readonly number[],
  handle: (error: ServiceError) => Result | Promise<Result>,
): (error: unknown) => Result | Promise<Result> {
  return (error) => {
    if (ServiceError.isInstance(error) && statuses.includes(error.status) && error.foreign === undefined) {
      return handle(error);
    }
    throw error;
  };
}

/**
 * The same error, with advice on what to use instead of the request that the token is not allowed to make.
 * @internal
 */
export function unlessForbidden<const Instead>(
  instead: Instead,
): (error: unknown) => Instead | Promise<Instead> {
  return onStatus([403], () => instead);
}

/**
 * @param where another possible reason why the object is missing
 * @throws NotFoundError if the value is `undefined`
 * @internal
 */
export function orNotFound<Value>(value: Value | undefined, what: string, where = ""): Value {
  if (value === undefined) {
    throw new NotFoundError(`The ${what} does not exist${where}.`);
  }
  return value;
}

/**
 * Advice by status. `otherwise` excludes 401 and 403, which concern the token.
 * @internal
 */
export type Advice = Readonly<Partial<Record<number | "otherwise", string>>>;

/** @internal */
export function adviceIfGone(id: string): string {
  return (
    `If it was deleted, set TRIVIUM_ASSUME_GONE=${id} for one run (separate several IDs with commas), ` +
    "or remove it from state with `pulumi state delete`."
  );
}

/** @internal */
export function withAdvice(error: unknown, advice: Advice | undefined): unknown {
  if (advice === undefined || !ServiceError.isInstance(error)) {
    return error;
  }
  const { status } = error;
  const own = advice[status] ?? (status === 401 || status === 403 ? undefined : advice.otherwise);
  return own === undefined ? error : advisedOtherwise(error, own);
}

/**
 * The same error with a longer message; keeps its class and members.
 *
 * @param subject the beginning of the message
 * @internal
 */
export function advisedOtherwise<Advised extends TriviumError>(
  error: Advised,
  advice: string,
  subject = "",
): Advised {
  const { message, advice: former, stack = "" } = error;
  const problem =
    former !== undefined && message.endsWith(` ${former}`) ? message.slice(0, -former.length - 1) : message;
  const changed = showable(`${subject}${problem} ${advice}`);
  const members = Object.getOwnPropertyDescriptors(error);
  return Object.create(Object.getPrototypeOf(error) as object, {
    ...members,
    advice: { value: showable(advice), enumerable: true },
    message: { ...members.message, value: changed },
    // For an uncaught error, the stack is shown, which also contains the message.
    stack: { value: stack.replace(message, () => changed) },
  }) as Advised;
}

/** The requested object does not exist, or the token has no access to it. */
export class NotFoundError extends TriviumError {
  override readonly name = "NotFoundError";
  /** @internal */
  static override readonly className: string = "NotFoundError";
}

/**
 * Whether the service might have processed the request that failed with this error; true for errors of other
 * libraries.
 */
export function mayHaveBeenProcessed(error: unknown): boolean {
  return TriviumError.isInstance(error) ? error.mayHaveBeenProcessed : true;
}

function failed(request: RequestDescription): string {
  return `Could not ${request.summary}: ${request.method} ${request.url}`;
}

function tries(attempts = 1): string {
  return attempts === 1 ? "" : ` after ${attempts} attempts`;
}

/** Adds a period, unless the sentence ends with punctuation. */
export function sentence(text: string): string {
  return /[.!?]\)?$/.test(text) ? text : `${text}.`;
}

/** @internal */
export function messageOf(error: unknown): string {
  return isError(error) ? error.message : String(error);
}

/**
 * Also recognizes errors of another realm, such as those of Node.js in the VM contexts of test runners.
 * @internal
 */
export function isError(error: unknown): error is Error {
  return error instanceof Error || types.isNativeError(error);
}

/** Whether the function returns without throwing. */
export function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

/**
 * Why a file cannot be read. The system's own message is not used, because it repeats the path, which might
 * be a misplaced secret.
 */
export function codeOf(error: unknown): string {
  return isError(error) && "code" in error ? String(error.code) : "unknown error";
}
