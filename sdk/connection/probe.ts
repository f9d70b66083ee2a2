import type { Caller } from "../base/caller";
import type { Path } from "../base/path";
import type { Dialect } from "../base/settings";
import { wordsOf } from "../http/error-body";
import type { HttpResponse, Operation } from "../http/transport";
import { ServiceConnection } from "./connect";
import type { ResolvedSettings } from "./resolve";
import type { Service } from "./service";

/** The severity of a finding. A `note` is neutral, such as a missing permission. */
export type State = "ok" | "note" | "warning" | "problem";

/** What was checked. Part of the JSON output, so the names are stable. */
export type Check = "settings" | "address" | "tls" | "dialect" | "product" | "token" | "rights";

/** One result about a service. */
export interface Finding {
  readonly check: Check;
  /** The part that was checked, if there are several: `entity aliases`. */
  readonly subject?: string;
  readonly state: State;
  /** One line. */
  readonly message: string;
  /** What to do, unless the state is ok. */
  readonly advice?: string;
  /**
   * The reason, for programs: the code of a connection error, `HTTP_401`, `TIMEOUT`, or a name such as
   * `WRONG_DIALECT`.
   */
  readonly code?: string;
}

/** A product, as far as it identifies itself. All products speak the hashicorp dialect. */
export interface Product {
  readonly name: string;
  /** `undefined` if it does not return it. */
  readonly version: string | undefined;
}

/** A read-only request. */
export interface Question {
  readonly path: Path;
  readonly query?: NonNullable<Operation["query"]>;
  /** Sent instead of a token. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the look-up of a token says about it. */
export type Lookup =
  | Pick<Finding, "state" | "message" | "advice" | "code">
  /** The service rejects the token; the reason is a sentence. */
  | { readonly refusal: Pick<HttpResponse, "status" | "body">; readonly reason: string };

/** An object that the user named: it is reachable if one of the requests is allowed. */
export interface NamedObject {
  readonly name: string;
  readonly requests: readonly [Question, ...Question[]];
  readonly advice: string;
}

/** How to examine a service. All requests are read-only. */
export interface Probe {
  readonly service: Service<unknown>;
  /** The first request, without a token: the responses of products differ. */
  readonly first: Question;
  /**
   * The second request without a token, if the response to the first is inconclusive: a gateway may return a generic
   * error for a path that is not documented.
   */
  readonly documented?: Question;
  /** The product that responded; `undefined` if unknown. */
  recognize(response: HttpResponse): Product | undefined;
  /** Reads the version, if the first response does not contain it. */
  readonly versionOf?: (questions: ProbeClient) => Promise<string | undefined>;
  /** Whether a response has the form of all responses of this service. */
  isServiceResponse(response: HttpResponse): boolean;
  /** Why the service cannot be used although it responds. */
  unusable?(first: HttpResponse): Pick<Finding, "message" | "advice" | "code"> | undefined;
  /** Asks once what the token is and what it may do. */
  lookUp(questions: ProbeClient): Promise<Lookup>;
  /** What the options of `doctor` name, by the name of the option. */
  readonly named: Readonly<Record<string, (name: string, questions: ProbeClient) => NamedObject>>;
  /** Whether the token may read what it asked for. */
  isAllowed(response: HttpResponse): boolean;
}

const usualTimeLimit = 10_000;
const refusals = Array.from({ length: 200 }, (_, offset) => 400 + offset);

/**
 * Makes requests over the same connection as resources: the same proxies, certificates, headers and
 * redaction. Without retries, since intermittent failures matter here.
 */
export class ProbeClient {
  /** The time limit of a request: that of the user, else 10 s. */
  readonly timeLimit: number;
  private readonly connection: ServiceConnection;

  /** @throws ConfigurationError if the settings are invalid */
  constructor(
    private readonly service: Service<unknown>,
    readonly settings: ResolvedSettings,
    readonly signal: AbortSignal,
  ) {
    this.timeLimit = settings.requestTimeoutMilliseconds ?? usualTimeLimit;
    const once = { maxRetries: 0, requestTimeoutMilliseconds: this.timeLimit };
    this.connection = new ServiceConnection(service, { ...settings, ...once });
  }

  /** Whether the service is expected to be a product, which returns more than the documented service. */
  get ofProduct(): boolean {
    return this.settings.dialect === "hashicorp";
  }

  /** The service's client. */
  get client(): unknown {
    const caller: Caller = { signal: this.signal, progress: () => undefined, announce: () => undefined };
    return this.connection.clientFor(caller);
  }

  /** The same service in another dialect. */
  in(dialect: Dialect): ProbeClient {
    return new ProbeClient(this.service, { ...this.settings, dialect }, this.signal);
  }

  /** Makes a request without the token, since the server is not known yet. Like {@link get}. */
  anonymously({ path, query, headers }: Question): Promise<HttpResponse> {
    const settings = {
      ...this.settings,
      token: undefined,
      login: undefined,
      headers: { ...this.settings.headers, ...headers },
    };
    return new ProbeClient(this.service, settings, this.signal).get(path, query);
  }

  /**
   * Error statuses are responses too.
   *
   * @throws ConnectionError, TimeoutError, ContractError or CancelledError; ServiceError for a redirect, or
   *   for an error with an HTML page
   */
  get(path: Path, query: NonNullable<Operation["query"]> = {}): Promise<HttpResponse> {
    const { service, signal } = this;
    return this.connection.transport.send({
      method: "GET",
      path,
      query,
      summary: `query the ${service.name} service`,
      signal,
      idempotent: true,
      accept: refusals,
    });
  }
}

/** The explanation in a response, as one line; empty if there is none. */
export function sayingOf({ body }: Pick<HttpResponse, "body">): string {
  const text = typeof body === "string" ? body : JSON.stringify(body ?? "");
  return wordsOf(Buffer.from(text)).join("; ");
}

/** A response that was not expected, for people: `returned 500: no leader`. */
export function describeResponse(response: Pick<HttpResponse, "status" | "body">): string {
  const saying = sayingOf(response);
  return `returned ${response.status}${saying === "" ? "" : `: ${saying}`}`;
}

/** The code of a response, for programs. */
export function codeOf({ status }: Pick<HttpResponse, "status">): string {
  return `HTTP_${status}`;
}

/** A time for people: `2 days`, `3 hours`, `1 minute`. */
export function inWords(seconds: number): string {
  const units = [
    ["day", 86_400],
    ["hour", 3_600],
    ["minute", 60],
  ] as const;
  const [unit, size] = units.find(([, length]) => seconds >= 2 * length) ?? (["second", 1] as const);
  return counted(Math.floor(seconds / size), unit);
}

/** `1 project`, `2 projects`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

/** `a, b and c`. */
export function listed(items: readonly string[], last = "and"): string {
  const end = items.at(-1) ?? "";
  return items.length < 2 ? end : `${items.slice(0, -1).join(", ")} ${last} ${end}`;
}

/** The policies of a token, as a part of a sentence; empty if there are none. */
export function policiesIn(policies: unknown): string[] {
  const names = Array.isArray(policies) ? policies.map(String) : [];
  return names.length === 0 ? [] : [`${names.length === 1 ? "policy" : "policies"} ${listed(names)}`];
}
