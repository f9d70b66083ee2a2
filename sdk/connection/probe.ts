import type { Caller } from "../base/caller";
import type { Path } from "../base/path";
import { isProduct } from "../base/settings";
import { listed } from "../base/shown-text";
import { messagesIn } from "../http/error-body";
import type { HttpResponse, Operation } from "../http/transport";
import { ServiceConnection } from "./connect";
import type { ResolvedSettings } from "./resolve";
import type { Service } from "./service";

/** The severity of a finding. A `note` is neutral, such as a missing permission. */
export type State = "ok" | "note" | "warning" | "problem";

/** These names are part of the JSON output, so they must not change. */
export type Check = "settings" | "address" | "tls" | "dialect" | "product" | "token";

export interface Verdict {
  readonly state: State;
  readonly message: string;
  readonly advice?: string | undefined;
  /** For programs: the code of a connection error, `HTTP_401`, `TIMEOUT`, or a name such as `WRONG_DIALECT`. */
  readonly code?: string | undefined;
}

export interface Finding extends Verdict {
  readonly check: Check;
}

/** All products speak the hashicorp dialect. */
export interface Product {
  readonly name: string;
  readonly version: string | null;
}

export interface ProbeRequest {
  readonly path: Path;
  readonly query?: NonNullable<Operation["query"]>;
  /** Sent instead of a token. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What has responded. */
export interface Identity {
  /** Products name themselves. */
  readonly product?: Product;
  /** A limitation of the product. */
  readonly remark?: Verdict | undefined;
  /** Why it cannot be used. */
  readonly problem?: Verdict | undefined;
}

export interface Probe {
  readonly service: Service<unknown>;
  /**
   * An undocumented request in which products identify themselves. It is sent without a token, because the
   * server might not be known yet.
   */
  readonly naming: ProbeRequest;
  /** A documented request by a client without a token. @returns `undefined` if nothing arrives in time */
  documented(client: ProbeClient): Promise<ProbeResponse | undefined>;
  /** @returns `undefined` if it was not the service */
  identify(response: ProbeResponse): Identity | undefined;
  /** Reads the version, if the first response does not contain it. */
  readonly versionOf?: (client: ProbeClient) => Promise<string | null>;
  /** Looks up the token. A 404 is a problem, unless it comes from a recognized product. */
  lookUp(client: ProbeClient, product: Product | undefined): Promise<Verdict>;
}

const defaultTimeLimit = 10_000;
/** The advice in the errors covers the other settings. */
const accepted = Array.from({ length: 200 }, (_, offset) => 400 + offset).filter(
  (status) => status !== 407 && status !== 429,
);

/** Uses the same connection settings as resources. It does not retry, since intermittent failures matter here. */
export class ProbeClient {
  readonly timeLimit: number;
  private readonly connection: ServiceConnection;

  constructor(
    private readonly service: Service<unknown>,
    readonly settings: ResolvedSettings,
    readonly signal: AbortSignal,
  ) {
    this.timeLimit = settings.requestTimeoutMilliseconds ?? defaultTimeLimit;
    const once = { maxRetries: 0, requestTimeoutMilliseconds: this.timeLimit };
    this.connection = new ServiceConnection(service, { ...settings, ...once });
  }

  get ofProduct(): boolean {
    return isProduct[this.settings.dialect];
  }

  get serviceClient(): unknown {
    const caller: Caller = { signal: this.signal, progress: () => undefined, announce: () => undefined };
    return this.connection.clientFor(caller);
  }

  /** Sends no token. */
  anonymous(headers: ProbeRequest["headers"] = {}): ProbeClient {
    const without = { token: undefined, login: undefined, headers: { ...this.settings.headers, ...headers } };
    return new ProbeClient(this.service, { ...this.settings, ...without }, this.signal);
  }

  async ask({ path, query = {} }: ProbeRequest): Promise<ProbeResponse> {
    const { status, body, headers } = await this.connection.transport.send({
      method: "GET",
      path,
      query,
      summary: `query the ${this.service.name} service`,
      signal: this.signal,
      idempotent: true,
      accept: accepted,
      acceptsForeign: true,
    });
    return new ProbeResponse(status, body, headers);
  }
}

export const ofGateway = "The response might come from a gateway in front of the service.";

/** Error statuses are responses too, except redirects and errors with an HTML page. */
export class ProbeResponse {
  constructor(
    readonly status: number,
    readonly body: unknown,
    readonly headers: HttpResponse["headers"] = {},
  ) {}

  get isRejected(): boolean {
    return this.status === 401 || this.status === 403;
  }

  /** Such as `returned 403: permission denied`. */
  get description(): string {
    return `returned ${this.status}${this.explanation === "" ? "" : `: ${this.explanation}`}`;
  }

  /** The details as one line; empty if there are none. */
  private get explanation(): string {
    const text = typeof this.body === "string" ? this.body : JSON.stringify(this.body ?? "");
    return messagesIn(Buffer.from(text)).join("; ");
  }

  get failure(): Verdict {
    const advice =
      this.status === 404 ? `${ofGateway} Check the address, and the routes of the gateway.` : undefined;
    return { state: "problem", message: this.description, advice, code: `HTTP_${this.status}` };
  }

  /**
   * A problem of the token, or only a warning of a service that fails.
   *
   * @param advice for a rejected token: a sentence
   */
  refusal(advice: string): Verdict {
    return this.isRejected
      ? { ...this.failure, message: `the service rejects it: ${this.description}`, advice }
      : { ...this.failure, state: "warning" };
  }
}

export function policiesIn(policies: unknown): string[] {
  const names = Array.isArray(policies) ? policies.map(String) : [];
  return names.length === 0 ? [] : [`${names.length === 1 ? "policy" : "policies"} ${listed(names)}`];
}
