import type { Dispatcher } from "undici";
import type { Dialect, ServiceName, SettingName } from "../base/settings";
import { type ConnectionSettings, headerText } from "./connection-settings";
import { createDispatcher } from "./dispatcher";
import { ConfigurationError } from "../base/errors";
import { Limiter } from "./limiter";
import { processRedactor } from "../base/redactor";
import { nameOfSetting, type SettingOwner } from "../base/setting-name";
import { TlsAlerts } from "./tls-alerts";
import { systemRuntime, type Runtime } from "../base/runtime";
import { ServiceClock } from "./service-clock";

/** The headers of one attempt, and the source of its token. */
export interface RequestHeaders {
  readonly headers: Readonly<Record<string, string>>;
  readonly tokenSource: string | undefined;
}

/**
 * A service with certain settings: sockets, headers, time limits, and the request budget that all users of
 * the connection share. Connects on first use.
 */
export class Connection {
  readonly service: ServiceName;
  readonly dialect: Dialect;
  readonly ownAddress: boolean;
  /** Scheme, host and port. */
  readonly origin: string;
  /** The source of the address, as text that follows "comes from"; `undefined` if unknown. */
  readonly addressSource: string | undefined;
  readonly requestTimeoutMilliseconds: number;
  readonly maxRetries: number;
  readonly limiter: Limiter;
  readonly dispatcher: Dispatcher;
  readonly alerts = new TlsAlerts();
  readonly clock = new ServiceClock();
  /** Whether the service has ever responded. */
  reached = false;
  private readonly prefix: string;

  /** @throws ConfigurationError naming the invalid setting */
  constructor(
    private readonly settings: ConnectionSettings,
    readonly runtime: Runtime = systemRuntime,
  ) {
    this.service = settings.service;
    this.dialect = settings.dialect ?? "documented";
    this.ownAddress = settings.ownAddress ?? false;
    const address = parseAddress(settings);
    this.origin = address.origin;
    this.addressSource = settings.addressSource;
    this.prefix = joinPaths(address.pathname, settings.basePath ?? "");
    this.requestTimeoutMilliseconds = atLeast(
      1,
      "requestTimeout",
      settings.requestTimeoutMilliseconds ?? 30_000,
      this,
    );
    this.maxRetries = atLeast(0, "maxRetries", settings.maxRetries ?? 5, this);
    const maxConcurrency = atLeast(1, "maxConcurrency", settings.maxConcurrency ?? 32, this);
    this.limiter = new Limiter(maxConcurrency, runtime);
    const secretHeaders = Object.values(settings.headers ?? {});
    processRedactor.register(settings.clientKey, ...secretHeaders);
    this.checkHeaders(settings.headers ?? {});
    this.dispatcher = createDispatcher(settings, address, this.alerts);
  }

  /**
   * The path of a request below the origin: the path of the address, the base path, the path of the endpoint.
   */
  fullPath(path: string): string {
    return this.prefix + path;
  }

  /**
   * The headers of the next attempt, with the current token.
   *
   * @throws ConfigurationError if the token is not valid in a header
   */
  async headers(): Promise<RequestHeaders> {
    const token = await this.settings.token?.();
    const common = { "user-agent": "pulumi-trivium", ...this.settings.headers };
    if (token === undefined) {
      return { headers: common, tokenSource: undefined };
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
    return { headers: { ...common, ...authentication(token.value) }, tokenSource: token.source };
  }

  /** Closes all sockets when the requests in flight have ended. Close streams first. */
  async close(): Promise<void> {
    await this.dispatcher.close();
  }

  private checkHeaders(headers: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(headers)) {
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !headerText.test(value)) {
        throw new ConfigurationError(
          `The header ${JSON.stringify(name)} of the ${this.service} service is not valid.`,
          {
            hint: `Set ${nameOfSetting(this, "headers")} to valid header names and values.`,
          },
        );
      }
    }
  }
}

function bearer(token: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token}` };
}

function parseAddress({ service, dialect = "documented", ownAddress, address }: ConnectionSettings): URL {
  const hint = `Set ${nameOfSetting({ service, dialect, ownAddress }, "address")} to a URL such as https://example.com.`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new ConfigurationError(
      `The address of the ${service} service must start with https:// or http://.`,
      { hint },
    );
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new ConfigurationError(
      `The address of the ${service} service must not have credentials, a query or a fragment.`,
      { hint },
    );
  }
  return url;
}

function joinPaths(...paths: readonly string[]): string {
  return paths
    .map((path) => path.replace(/^\/+|\/+$/g, ""))
    .filter((path) => path !== "")
    .map((path) => `/${path}`)
    .join("");
}

function atLeast(minimum: number, name: SettingName, value: number, owner: SettingOwner): number {
  if (!Number.isInteger(value) || value < minimum || value > 2 ** 31 - 1) {
    throw new ConfigurationError(`${nameOfSetting(owner, name)} must be at least ${minimum}, not ${value}.`);
  }
  return value;
}
