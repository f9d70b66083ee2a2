import type { Dispatcher } from "undici";
import type { Dialect, ServiceName } from "../base/settings";
import { type ConnectionSettings, headerText, type Token, type TokenUser } from "./connection-settings";
import { createDispatcher } from "./dispatcher";
import { EarlySocket } from "./early-socket";
import { ConfigurationError } from "../base/errors";
import { Limiter } from "./limiter";
import { processRedactor } from "../base/redactor";
import { TlsAlerts } from "./tls-alerts";
import { systemRuntime, type Runtime } from "../base/runtime";
import { ServiceClock } from "./service-clock";

export interface RequestHeaders {
  readonly headers: Readonly<Record<string, string>>;
  readonly token: Token | undefined;
}

/** Sockets, headers, time limits and a request budget, shared by all users of the connection. Connects on first use. */
export class Connection {
  readonly service: ServiceName;
  readonly dialect: Dialect;
  readonly ownAddress: boolean;
  readonly origin: string;
  readonly addressSource: string | undefined;
  readonly requestTimeoutMilliseconds: number;
  readonly maxRetries: number;
  readonly limiter: Limiter;
  readonly dispatcher: Dispatcher;
  readonly alerts = new TlsAlerts();
  readonly clock = new ServiceClock();
  reached = false;
  private readonly prefix: string;
  private readonly early = new EarlySocket();

  constructor(
    private readonly settings: ConnectionSettings,
    readonly runtime: Runtime = systemRuntime,
  ) {
    this.service = settings.service;
    this.dialect = settings.dialect ?? "documented";
    this.ownAddress = settings.ownAddress ?? false;
    const address = new URL(settings.address);
    this.origin = address.origin;
    this.addressSource = settings.addressSource;
    this.prefix = joinPaths(address.pathname, settings.basePath ?? "");
    this.requestTimeoutMilliseconds = settings.requestTimeoutMilliseconds ?? 30_000;
    this.maxRetries = settings.maxRetries ?? 5;
    this.limiter = new Limiter(settings.maxConcurrency ?? 32, runtime);
    const secretHeaders = Object.values(settings.headers ?? {});
    processRedactor.register(settings.clientKey, ...secretHeaders);
    this.dispatcher = createDispatcher(settings, address, this.alerts, this.early);
  }

  fullPath(path: string): string {
    return this.prefix + path;
  }

  /** @throws ConfigurationError if the token is not valid in a header */
  async headers(user: TokenUser = {}): Promise<RequestHeaders> {
    const token = await this.settings.token?.(user);
    const common = { "user-agent": "pulumi-trivium", ...this.settings.headers };
    if (token === undefined) {
      return { headers: common, token };
    }
    processRedactor.register(token.value);
    if (token.value === "" || !headerText.test(token.value)) {
      const problem =
        token.value === ""
          ? "is empty"
          : "contains a line break or another character that is not allowed in a header";
      throw new ConfigurationError(
        `The token of the ${this.service} service, from ${token.source}, ${problem}.`,
      );
    }
    const authentication = this.settings.authenticationHeader ?? bearer;
    return { headers: { ...common, ...authentication(token.value) }, token };
  }

  /** Connects before the first request. A failure is ignored: the request repeats it and reports it. */
  open(): void {
    this.early.open(this.origin);
  }

  /** Closes all sockets when the requests in flight have ended. Close streams first. */
  async close(): Promise<void> {
    await this.dispatcher.close();
  }
}

function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}

function joinPaths(...paths: readonly string[]): string {
  return paths
    .map((path) => path.replace(/^\/+|\/+$/g, ""))
    .filter((path) => path !== "")
    .map((path) => `/${path}`)
    .join("");
}
