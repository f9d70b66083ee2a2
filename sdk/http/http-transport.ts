import { ConfigurationError, InputError, requestCancelled, type RequestDescription } from "../base/errors";
import { isObject, parseJson, sameJson } from "../base/json";
import { processRedactor } from "../base/redactor";
import { eventsHandled, type Runtime, ServiceClock, Span, systemRuntime } from "../base/timing";
import { looksLikeProduct } from "./advice";
import { decoded } from "./content-encoding";
import { isPage } from "./error-body";
import { type Attempt, AttemptFailure, foreignBody, misunderstanding, noResponse, refusal } from "./failures";
import { Limiter } from "./limiter";
import { type Proxy, proxyFor } from "./proxy";
import { currentRequester, logRequest } from "./request-log";
import { decideRetry, type RetryDecision } from "./retry";
import {
  collect,
  ExchangeFailure,
  type Making,
  Sockets,
  type WireRequest,
  type WireResponse,
} from "./sockets";
import { type Certificates, readCertificates, tlsOptions } from "./tls";
import {
  type Destination,
  headerText,
  type HttpResponse,
  type Operation,
  type ResponseStream,
  type Token,
  type TokenUser,
  type Transport,
  type TransportSettings,
} from "./transport";

const longestResponse = 16 * 1024 * 1024;
const longestErrorBody = 64 * 1024;

// Compression saves little on a local network and delays streams.
const commonHeaders = {
  accept: "application/vnd.api+json, application/json",
  "accept-encoding": "identity",
  "user-agent": "pulumi-trivium",
};

interface Authentication {
  readonly headers: Readonly<Record<string, string>>;
  readonly token: Token | undefined;
}

/** Sockets, headers, time limits and a request budget for one service, shared by all users. Connects on first use. */
export class HttpTransport implements Transport {
  readonly clock = new ServiceClock();
  readonly limiter: Limiter;
  readonly requestTimeoutMilliseconds: number;
  readonly maxRetries: number;
  hasResponded = false;
  private hasJudgedDialect = false;
  private readonly address: URL;
  private readonly prefix: string;
  private current: Sockets;

  /** @throws ConfigurationError if a certificate, key or proxy is invalid */
  constructor(
    private readonly settings: TransportSettings,
    readonly runtime: Runtime = systemRuntime,
  ) {
    const { basePath = "" } = settings;
    this.address = new URL(settings.address);
    this.prefix = `/${this.address.pathname}/${basePath}/`.replace(/\/+/g, "/").slice(0, -1);
    this.requestTimeoutMilliseconds = settings.requestTimeoutMilliseconds ?? 30_000;
    this.maxRetries = settings.maxRetries ?? 5;
    this.limiter = new Limiter(settings.maxConcurrency ?? 32, runtime);
    processRedactor.register(...Object.values(settings.headers ?? {}));
    const certificates = readCertificates(settings);
    this.current = this.madeWith({ certificates, proxy: this.proxyOfNow() });
  }

  /** The current sockets: certificates in files and proxy variables might have changed. */
  get sockets(): Sockets {
    const making = { certificates: this.certificatesOfNow(), proxy: this.proxyOfNow() };
    if (!sameJson(making, this.current.made)) {
      const former = this.current;
      this.current = this.madeWith(making);
      void former.dispatcher.close();
    }
    return this.current;
  }

  private proxyOfNow(): Proxy | undefined {
    return proxyFor(this.settings.proxies ?? {}, this.address);
  }

  /** While files are being replaced, one after the other, the former certificates still work. */
  private certificatesOfNow(): Certificates {
    const { certificates } = this.current.made;
    try {
      const found = readCertificates(this.settings);
      if (!sameJson(found, certificates)) {
        tlsOptions(this.settings, found);
      }
      return found;
    } catch (error) {
      if (ConfigurationError.isInstance(error)) {
        return certificates;
      }
      throw error;
    }
  }

  private madeWith(making: Making): Sockets {
    processRedactor.register(making.certificates.key);
    return new Sockets(this.settings, this.address, making);
  }

  /** Warns once about the wrong dialect: objects created in it are not found in the right one later. */
  warnOfDialect(destination: Destination, { headers }: WireResponse): void {
    const requester = currentRequester();
    if (!this.hasJudgedDialect && requester !== undefined) {
      this.hasJudgedDialect = true;
      const warning = looksLikeProduct(destination, headers);
      if (warning !== undefined) {
        requester.warn(warning);
      }
    }
  }

  /** For messages: without the token and keys. */
  destinationOf({ made: { proxy } }: Sockets): Destination {
    const { service, dialect, ownAddress, addressSource, caCertificate, saysAbsence } = this.settings;
    const { origin } = this.address;
    const hasOwnAuthorities = caCertificate !== undefined;
    return { service, dialect, ownAddress, addressSource, origin, proxy, hasOwnAuthorities, saysAbsence };
  }

  async send(operation: Operation): Promise<HttpResponse> {
    return new Call(this, operation, false, wholeResponse).result();
  }

  async stream(operation: Operation): Promise<ResponseStream> {
    return new Call(this, operation, true, streamOf).result();
  }

  /** Closes all sockets once the requests in flight have ended. Close streams first. */
  async close(): Promise<void> {
    await this.current.dispatcher.close();
  }

  /** Omits the query, which can contain search terms. */
  describe({ summary, method, path }: Operation): RequestDescription {
    return { summary, method, url: this.address.origin + this.prefix + path };
  }

  wireRequest(operation: Operation, headers: Authentication["headers"]): WireRequest {
    const { method, path, query = {}, body } = operation;
    const mediaType = operation.mediaType ?? (body === undefined ? undefined : "application/json");
    const contentType: Record<string, string> = mediaType === undefined ? {} : { "content-type": mediaType };
    return {
      origin: this.address.origin,
      path: this.prefix + path + encodeQuery({ ...query, ...this.settings.query }),
      method,
      headers: { ...commonHeaders, ...contentType, ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    };
  }

  /** @throws ConfigurationError if the token is not valid in a header */
  async authentication(user: TokenUser): Promise<Authentication> {
    const { headers, service, authenticationHeader = bearer } = this.settings;
    const token = await this.settings.token?.(user);
    if (token === undefined) {
      return { headers: { ...headers }, token };
    }
    const { value, source } = token;
    processRedactor.register(value);
    if (value === "" || !headerText.test(value)) {
      const invalid = "contains a line break or another character that is not allowed in a header";
      const problem = value === "" ? "is empty" : invalid;
      throw new ConfigurationError(`The token of the ${service} service, from ${source}, ${problem}.`);
    }
    return { headers: { ...headers, ...authenticationHeader(value) }, token };
  }
}

function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}

// URLSearchParams encodes a space as a plus sign, which not every server decodes.
function encodeQuery(query: NonNullable<Operation["query"]>): string {
  const pairs = Object.entries(query).flatMap(([name, value = []]) =>
    [value].flat().map((each) => {
      if (/\p{Surrogate}/u.test(String(each))) {
        throw new InputError(`${name} is not well-formed Unicode.`);
      }
      return `${encodeURIComponent(name)}=${encodeURIComponent(each)}`;
    }),
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/** Throws an {@link AttemptFailure} or an {@link ExchangeFailure}. */
type Read<Result> = (attempt: Attempt, response: WireResponse, operation: Operation) => Promise<Result>;

class Call<Result> {
  private attempts = 0;
  private readonly retries = { rateLimited: 0, other: 0 };
  private waitedMilliseconds = 0;
  // An earlier attempt might have been processed even if the last one was not.
  private mayHaveBeenProcessed = false;
  private readonly request: RequestDescription;

  constructor(
    private readonly transport: HttpTransport,
    private readonly operation: Operation,
    private readonly isStream: boolean,
    private readonly read: Read<Result>,
  ) {
    this.request = transport.describe(operation);
  }

  async result(): Promise<Result> {
    const { limiter, runtime } = this.transport;
    const { method, signal, progress } = this.operation;
    if (method !== "GET") {
      // An engine that was killed during the last request has no use for what this one would create.
      await eventsHandled();
    }
    for (;;) {
      const again = this.attempts > 0;
      // A retry has already shown its progress.
      await this.cancellable(limiter.acquire({ again, signal, progress: again ? undefined : progress }));
      let decision: RetryDecision;
      try {
        const result = await this.attempt();
        limiter.succeeded();
        return result;
      } catch (error) {
        decision = this.decide(error);
        // Pauses before the turn ends, so that other requests do not start in between.
        if (decision.pausesAll) {
          limiter.pause(decision.delayMilliseconds);
        }
      } finally {
        limiter.release();
      }
      progress?.(decision.reason);
      if (!decision.pausesAll) {
        await this.cancellable(runtime.sleep(decision.delayMilliseconds, signal));
      }
    }
  }

  private async attempt(): Promise<Result> {
    this.attempts++;
    const authentication = await this.transport.authentication(this.operation);
    try {
      return await this.exchange(authentication);
    } catch (error) {
      const isRefused = error instanceof AttemptFailure && error.failure.status === 403;
      if (!isRefused || (await authentication.token?.hasEnded?.()) !== true) {
        throw error;
      }
      // A request with a rejected token was not processed, so it is safe to repeat.
      return this.exchange(await this.transport.authentication(this.operation));
    }
  }

  private async exchange({ headers, token }: Authentication): Promise<Result> {
    const { transport, operation, request, attempts, isStream } = this;
    const { clock, runtime, sockets } = transport;
    const destination = transport.destinationOf(sockets);
    const { timeoutMilliseconds = transport.requestTimeoutMilliseconds, idempotent } = operation;
    const { hasResponded: everReached } = transport;
    const members = isObject(operation.body) ? Object.keys(operation.body) : [];
    const timing = { attempts, timeoutMilliseconds, idempotent, everReached };
    const attempt = { destination, request, members, token, ...timing };
    const limits = { ...operation, timeoutMilliseconds, endless: isStream };
    const sentAt = runtime.date();
    const wire = transport.wireRequest(operation, headers);
    const elapsed = new Span(0, runtime.now);
    const log = (response?: WireResponse): void =>
      logRequest({
        service: destination.service,
        method: request.method,
        path: new URL(request.url).pathname,
        status: response?.status,
        milliseconds: Math.round(elapsed.passed),
        attempt: attempts,
        requestId: response?.headers["x-request-id"],
      });
    try {
      const response = decoded(
        await sockets.exchange(wire, limits).catch((error: unknown) => {
          log();
          throw error;
        }),
      );
      log(response);
      if (response.status < 300) {
        transport.warnOfDialect(destination, response);
      }
      transport.hasResponded = true;
      clock.note(response.headers.date, sentAt, runtime.date());
      return await this.read(attempt, response, operation);
    } catch (error) {
      throw error instanceof ExchangeFailure ? noResponse(attempt, error) : error;
    }
  }

  /** @throws TriviumError if there is no further attempt */
  private decide(failed: unknown): RetryDecision {
    if (!(failed instanceof AttemptFailure)) {
      throw failed;
    }
    const { failure } = failed;
    this.mayHaveBeenProcessed ||= failure.mayHaveBeenProcessed;
    const { operation, retries, waitedMilliseconds, mayHaveBeenProcessed } = this;
    const { maxRetries, runtime, hasResponded: everReached } = this.transport;
    const now = { random: runtime.random(), now: runtime.date() };
    const context = { operation, failure, retries, maxRetries, everReached, waitedMilliseconds, ...now };
    const decision = this.isStream ? "final" : decideRetry(context);
    if (typeof decision === "string") {
      throw failed.explain({ mayHaveBeenProcessed, exhausted: decision === "exhausted" });
    }
    this.retries[failure.status === 429 ? "rateLimited" : "other"]++;
    this.waitedMilliseconds += decision.delayMilliseconds;
    return decision;
  }

  private async cancellable(waiting: Promise<void>): Promise<void> {
    try {
      await waiting;
    } catch (error) {
      const { request, mayHaveBeenProcessed } = this;
      throw this.operation.signal?.aborted === true
        ? requestCancelled({ request, mayHaveBeenProcessed })
        : error;
    }
  }
}

async function wholeResponse(
  attempt: Attempt,
  response: WireResponse,
  operation: Operation,
): Promise<HttpResponse> {
  const { status, headers } = response;
  const accepted = status >= 400 && (operation.accept?.includes(status) ?? false);
  if (status >= 300 && !accepted) {
    throw await refused(attempt, response);
  }
  const { bytes, tooLong, failure } = await collect(response.body, longestResponse);
  if (failure !== undefined) {
    throw failure;
  }
  if (tooLong) {
    throw misunderstanding(attempt, `the body is larger than ${longestResponse / 1024 / 1024} MB`);
  }
  const text = bytes.toString("utf8");
  const isForeign = foreignBody(attempt.destination, status, bytes) !== undefined;
  // Neither an HTML page from a proxy nor a gateway's response proves that an object is missing.
  if (accepted && (isPage(text) || (isForeign && operation.acceptsForeign !== true))) {
    throw refusal(attempt, response, bytes);
  }
  const { request, token } = attempt;
  const facts = {
    status,
    headers,
    size: bytes.length,
    request: `${request.method} ${request.url}`,
    tokenSeconds: token?.secondsLeft?.(),
  };
  try {
    return { ...facts, body: parseJson(text) };
  } catch {
    if (accepted) {
      return { ...facts, body: text };
    }
    throw notJson(attempt, text, headers["content-encoding"]);
  }
}

async function refused(attempt: Attempt, response: WireResponse): Promise<Error> {
  // An incomplete error body does not matter, because the status is known.
  const { bytes, failure } = await collect(response.body, longestErrorBody);
  return failure?.kind === "cancelled" ? failure : refusal(attempt, response, bytes);
}

function notJson(attempt: Attempt, text: string, encoding: string | undefined): AttemptFailure {
  if (isPage(text)) {
    const advice = "The response might come from a proxy instead of the service: check the address.";
    return misunderstanding(attempt, "expected JSON, got an HTML page", advice);
  }
  return encoding === undefined
    ? misunderstanding(attempt, "expected JSON, got text that is not JSON")
    : notDecoded(attempt, encoding);
}

function notDecoded(attempt: Attempt, encoding: string): AttemptFailure {
  const advice = "Configure the gateway in front of the service not to compress its responses.";
  const problem = `expected JSON, got the content encoding ${encoding}, which was not requested`;
  return misunderstanding(attempt, problem, advice);
}

async function streamOf(attempt: Attempt, response: WireResponse): Promise<ResponseStream> {
  const { status, headers, body } = response;
  if (status >= 300) {
    throw await refused(attempt, response);
  }
  if (headers["content-encoding"] !== undefined) {
    body.destroy();
    throw notDecoded(attempt, headers["content-encoding"]);
  }
  let closed = false;
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      yield* body as AsyncIterable<Uint8Array>;
    } catch (error) {
      if (closed) {
        return;
      }
      // Only a failure of the exchange ends the body early, after the service has begun to respond.
      const conclusion = { mayHaveBeenProcessed: true, exhausted: false };
      throw noResponse(attempt, error as ExchangeFailure).explain(conclusion);
    }
  }
  return {
    headers,
    body: read(),
    close: () => {
      closed = true;
      body.destroy();
    },
  };
}
