import type { Dialect, ServiceName } from "../base/settings";
import type { Operation } from "./transport";

/** Characters that are allowed in a header; undici rejects others without naming the header. */
export const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A token and its source, as text that follows "comes from": `the environment variable SECRETS_TOKEN`. */
export interface Token {
  readonly value: string;
  readonly source: string;
  /** How long a token from a login lives. */
  readonly secondsLeft?: () => number;
  /** Something is issued under the token of a login, and ends with it: the token must not be revoked. */
  readonly becomesParent?: () => void;
  /** Whether the token of a login was refused because it has ended, so that the next one is another. */
  readonly hasEnded?: () => Promise<boolean>;
}

/** The call that needs a token. */
export type TokenUser = Pick<Operation, "signal" | "progress">;

/**
 * How to reach a service. The caller has resolved and validated the settings, except for certificates and
 * proxies; nothing here is read from the environment.
 */
export interface ConnectionSettings {
  readonly service: ServiceName;
  /** The dialect, which also decides the names of settings in messages. Default: documented. */
  readonly dialect?: Dialect;
  /** Origin, with or without a path: `https://example.com` or `https://example.com/prefix`. */
  readonly address: string;
  /** The source of the address, as text that follows "comes from". */
  readonly addressSource?: string;
  /**
   * Whether a provider or a call sets the address, which decides the names of settings in messages. Default:
   * false.
   */
  readonly ownAddress?: boolean;
  /** A prefix of all paths: `/api/v2`. Default: none. */
  readonly basePath?: string;
  /**
   * Called before every attempt, so that a file with a rotated token is read again. Default: no token is
   * sent.
   */
  readonly token?: (user?: TokenUser) => Promise<Token | undefined> | Token | undefined;
  /** The headers that carry the token. Default: `Authorization: Bearer`. */
  readonly authenticationHeader?: (token: string) => Readonly<Record<string, string>>;
  /** Sent with every request; their values are secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** PEM; replaces the system's authorities. */
  readonly caCertificate?: string;
  /** PEM; together with `clientKey`. */
  readonly clientCertificate?: string;
  /** PEM, secret; together with `clientCertificate`. */
  readonly clientKey?: string;
  /** The name in the service's certificate, if it differs from the host of the address. */
  readonly serverName?: string;
  /** Accept any certificate. Default: false. */
  readonly insecureSkipVerify?: boolean;
  /** The time limit of one attempt. Default: 30,000. */
  readonly requestTimeoutMilliseconds?: number;
  /**
   * How often a failed request is retried. Rate limits have a separate budget of six times this number.
   * Default: 5.
   */
  readonly maxRetries?: number;
  /** The maximum number of concurrent requests. Default: 32. */
  readonly maxConcurrency?: number;
  /** The proxy settings, as in the usual environment variables. Default: none. */
  readonly proxies?: ProxySettings;
}

/** Proxies by the scheme of the address. */
export interface ProxySettings {
  /** The value of `HTTP_PROXY`: for addresses that start with `http:`. */
  readonly httpProxy?: string;
  /** The value of `HTTPS_PROXY`: for addresses that start with `https:`. */
  readonly httpsProxy?: string;
  /** The value of `NO_PROXY`: hosts to reach directly. */
  readonly noProxy?: string;
}
