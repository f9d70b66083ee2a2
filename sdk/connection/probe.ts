import type { Caller } from "../base/caller";
import type { Path } from "../base/path";
import { type Dialect, overrideVariable } from "../base/settings";
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

/** Adds a finding about one service. */
export type Report = (
  state: State,
  check: Check,
  message: string,
  more?: Pick<Finding, "subject" | "advice" | "code">,
) => void;

/** A product, as far as it identifies itself. All products speak the hashicorp dialect. */
export interface Product {
  readonly name: string;
  /** `undefined` if it does not return it. */
  readonly version: string | undefined;
  /** The permission that is required to read the version. */
  readonly versionNeeds?: string;
}

/** What the user asked to check. Named objects must exist. */
export interface Interests {
  /** Names of organizations. */
  readonly organizations: readonly string[];
  /** Ids of workspaces. */
  readonly workspaces: readonly string[];
  /** The mounts of engines; `undefined` for the usual mounts, where there may be none. */
  readonly mounts: readonly string[] | undefined;
}

/** A running examination. */
export interface Examination {
  readonly questions: Questions;
  readonly report: Report;
  readonly interests: Interests;
  /** The source of the token. */
  readonly tokenSource: string;
}

/** A read-only request. */
export interface Question {
  readonly path: Path;
  readonly query?: NonNullable<Operation["query"]>;
  /** Sent instead of a token. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** How to examine a service. All requests are read-only. */
export interface Probe {
  readonly service: Service<unknown>;
  /** The first request, without a token: the responses of products differ. */
  readonly first: Question;
  /**
   * The second request without a token, if the response to the first is inconclusive: a gateway may return a
   * generic error for a path that is not documented.
   */
  readonly documented?: Question;
  /** The product that responded to the first request; `undefined` if unknown. */
  recognize(response: HttpResponse): Product | undefined;
  /** Reads the version, if the response to the first request does not contain it. */
  readonly versionOf?: (questions: Questions) => Promise<string | undefined>;
  /** Whether a response has the form of all responses of this service. */
  isServiceResponse(response: HttpResponse): boolean;
  /** Whether the service speaks the documented dialect, which only its responses show. */
  speaksAsDocumented(questions: Questions): Promise<boolean>;
  /** Checks the service and what the token may do. */
  examine(examination: Examination, first: HttpResponse): Promise<void>;
  /**
   * Checks only what the user named, at a server that could not be identified.
   *
   * @returns for each of them whether it exists
   */
  readonly examineNamed?: (examination: Examination) => Promise<readonly boolean[]>;
}

const usualTimeLimit = 10_000;
const refusals = Array.from({ length: 200 }, (_, offset) => 400 + offset);

/**
 * Makes requests over the same connection as resources: the same proxies, certificates, headers and
 * redaction. Without retries, since intermittent failures matter here.
 */
export class Questions {
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
  in(dialect: Dialect): Questions {
    return new Questions(this.service, { ...this.settings, dialect }, this.signal);
  }

  /** Makes a request without the token, since the server is not known yet. Like {@link get}. */
  anonymously({ path, query, headers }: Question): Promise<HttpResponse> {
    const settings = {
      ...this.settings,
      token: undefined,
      login: undefined,
      headers: { ...this.settings.headers, ...headers },
    };
    return new Questions(this.service, settings, this.signal).get(path, query);
  }

  /**
   * Error statuses are responses too.
   *
   * @throws ConnectionError, TimeoutError, ContractError or CancelledError; ServiceError for a redirect, or
   *   for an error with an HTML page
   */
  get(path: Path, query: NonNullable<Operation["query"]> = {}): Promise<HttpResponse> {
    return this.ask({ method: "GET", path, query });
  }

  /** For a request with a body; like {@link get}. */
  post(path: Path, body: unknown): Promise<HttpResponse> {
    return this.ask({ method: "POST", path, body });
  }

  private ask(operation: Pick<Operation, "method" | "path" | "query" | "body">): Promise<HttpResponse> {
    const { service, signal } = this;
    const summary = `query the ${service.name} service`;
    return this.connection.transport.send({
      ...operation,
      summary,
      signal,
      idempotent: true,
      accept: refusals,
    });
  }
}

/**
 * Reports that the service rejects the token.
 *
 * @param reason the possible cause, as a sentence
 */
export function refusedToken(
  { report, questions, tokenSource }: Examination,
  response: Pick<HttpResponse, "status" | "body">,
  reason: string,
): void {
  const { service, ownAddress } = questions.settings;
  const variable = overrideVariable(service);
  const override = ownAddress || tokenSource.includes(variable) ? "" : ` ${variable} overrides it.`;
  report("problem", "token", `the service rejects it: ${describeResponse(response)}`, {
    advice: `${reason} The token comes from ${tokenSource}.${override}`,
    code: codeOf(response),
  });
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
