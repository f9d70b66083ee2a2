import { ServiceConnection } from "../../connection/connect";
import { services } from "../../services";
import type { ResolvedSettings } from "../../connection/resolve";
import type { Dialect } from "../../base/settings";
import type { Path } from "../../base/path";
import type { Answer, Operation } from "../../http/transport";

const usualTimeLimit = 10_000;
const refusals = Array.from({ length: 200 }, (_, offset) => 400 + offset);

/**
 * Asks a service, over the connection that resources use: the same proxies, certificates, headers and redaction.
 * Nothing is tried twice: what is not well at once is worth knowing.
 */
export class Questions {
  readonly connection: ServiceConnection;
  /** How long a question may take: what the user has set, else 10 s. */
  readonly timeLimit: number;

  /** @throws ConfigurationError when the settings cannot work */
  constructor(
    readonly settings: ResolvedSettings,
    readonly signal: AbortSignal,
  ) {
    this.timeLimit = settings.requestTimeoutMilliseconds ?? usualTimeLimit;
    this.connection = new ServiceConnection(services[settings.service], {
      ...settings,
      maxRetries: 0,
      requestTimeoutMilliseconds: this.timeLimit,
    });
  }

  /** The same service, asked in another dialect. */
  in(dialect: Dialect): Questions {
    return new Questions({ ...this.settings, dialect }, this.signal);
  }

  /**
   * The same service, asked by somebody who shows no token: whoever is at the address does not get it.
   *
   * @param headers to send in its place
   */
  anonymously(headers: Readonly<Record<string, string>> = {}): Questions {
    const { settings, signal } = this;
    return new Questions(
      { ...settings, token: undefined, headers: { ...settings.headers, ...headers } },
      signal,
    );
  }

  /**
   * Every status from 400 on is an answer too.
   *
   * @throws ConnectionError, TimeoutError, ContractError or CancelledError; ServiceError when it redirects, or when the
   *   refusal is a page of markup
   */
  get(path: Path, query: NonNullable<Operation["query"]> = {}): Promise<Answer> {
    return this.ask({ method: "GET", path, query });
  }

  /** For a question that has to be written into a body; as {@link get}. */
  post(path: Path, body: unknown): Promise<Answer> {
    return this.ask({ method: "POST", path, body });
  }

  private ask(operation: Pick<Operation, "method" | "path" | "query" | "body">): Promise<Answer> {
    const { signal } = this;
    const summary = `ask the ${this.settings.service} service`;
    return this.connection.transport.send({
      ...operation,
      summary,
      signal,
      idempotent: true,
      accept: refusals,
    });
  }
}
