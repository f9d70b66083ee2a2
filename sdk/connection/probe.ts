import type { Caller } from "../base/caller";
import type { Path } from "../base/path";
import type { Dialect } from "../base/settings";
import { wordsOf } from "../http/error-body";
import type { HttpResponse, Operation } from "../http/transport";
import { ServiceConnection } from "./connect";
import type { ResolvedSettings } from "./resolve";
import type { Service } from "./service";

/** A `note` is neutral, such as a missing permission. */
export type State = "ok" | "note" | "warning" | "problem";

/** Part of the JSON output, so the names are stable. */
export type Check = "settings" | "address" | "tls" | "dialect" | "product" | "token" | "rights";

export interface Finding {
  readonly check: Check;
  /** Which of several parts was checked: `entity aliases`. */
  readonly subject?: string;
  readonly state: State;
  readonly message: string;
  readonly advice?: string;
  /** For programs: the code of a connection error, `HTTP_401`, `TIMEOUT`, or a name such as `WRONG_DIALECT`. */
  readonly code?: string;
}

/** All products speak the hashicorp dialect. */
export interface Product {
  readonly name: string;
  readonly version: string | undefined;
}

export interface Question {
  readonly path: Path;
  readonly query?: NonNullable<Operation["query"]>;
  /** Sent instead of a token. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type Lookup =
  | Pick<Finding, "state" | "message" | "advice" | "code">
  /** The service rejects the token; the reason is a sentence. */
  | { readonly refusal: Pick<HttpResponse, "status" | "body">; readonly reason: string };

/** An object that the user named. It is reachable if one of the requests is allowed. */
export interface NamedObject {
  readonly name: string;
  readonly requests: readonly [Question, ...Question[]];
  readonly advice: string;
}

export interface Probe {
  readonly service: Service<unknown>;
  /** The first request has no token, because the server is not known yet. Products respond differently to it. */
  readonly first: Question;
  /** A second request without a token, because a gateway may return a generic error for an undocumented path. */
  readonly documented?: Question;
  recognize(response: HttpResponse): Product | undefined;
  /** Reads the version, if the first response does not contain it. */
  readonly versionOf?: (questions: ProbeClient) => Promise<string | undefined>;
  isServiceResponse(response: HttpResponse): boolean;
  unusable?(first: HttpResponse): Pick<Finding, "message" | "advice" | "code"> | undefined;
  lookUp(questions: ProbeClient): Promise<Lookup>;
  /** By option of `doctor`: the object that its value names. */
  readonly named: Readonly<Record<string, (name: string, questions: ProbeClient) => NamedObject>>;
  isAllowed(response: HttpResponse): boolean;
}

const usualTimeLimit = 10_000;
const refusals = Array.from({ length: 200 }, (_, offset) => 400 + offset);

/** Uses the same connection settings as resources. It does not retry, since intermittent failures matter here. */
export class ProbeClient {
  readonly timeLimit: number;
  private readonly connection: ServiceConnection;

  constructor(
    private readonly service: Service<unknown>,
    readonly settings: ResolvedSettings,
    readonly signal: AbortSignal,
  ) {
    this.timeLimit = settings.requestTimeoutMilliseconds ?? usualTimeLimit;
    const once = { maxRetries: 0, requestTimeoutMilliseconds: this.timeLimit };
    this.connection = new ServiceConnection(service, { ...settings, ...once });
  }

  get ofProduct(): boolean {
    return this.settings.dialect === "hashicorp";
  }

  get client(): unknown {
    const caller: Caller = { signal: this.signal, progress: () => undefined, announce: () => undefined };
    return this.connection.clientFor(caller);
  }

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

  /** Returns error statuses as responses, except redirects and errors with an HTML page. */
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

export function describeResponse(response: Pick<HttpResponse, "status" | "body">): string {
  const saying = sayingOf(response);
  return `returned ${response.status}${saying === "" ? "" : `: ${saying}`}`;
}

export function codeOf({ status }: Pick<HttpResponse, "status">): string {
  return `HTTP_${status}`;
}

/** For people: `2 days`, `3 hours`, `1 minute`. */
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

export function policiesIn(policies: unknown): string[] {
  const names = Array.isArray(policies) ? policies.map(String) : [];
  return names.length === 0 ? [] : [`${names.length === 1 ? "policy" : "policies"} ${listed(names)}`];
}
