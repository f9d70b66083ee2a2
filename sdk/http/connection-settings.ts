import type { Dialect, ServiceName } from "../base/settings";

/** Bytes that a header can carry; undici refuses others without saying whose they are. */
export const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A token, and where it came from in words that fit "came from ...": `the environment variable SECRETS_TOKEN`. */
export interface Token {
  readonly value: string;
  readonly source: string;
}

/** How to reach a service. Nothing here is read from the environment: who makes a connection resolves it. */
export interface ConnectionSettings {
  readonly service: ServiceName;
  /** What it speaks; messages name the settings accordingly. Default: documented. */
  readonly dialect?: Dialect;
  /** Origin, with or without a path: `https://example.com` or `https://example.com/prefix`. */
  readonly address: string;
  /** Where the address came from, in words that fit "came from ...". */
  readonly addressSource?: string;
  /** Whether a provider or a call gives the address; messages name the settings accordingly. Default: false. */
  readonly ownAddress?: boolean;
  /** What stands between the address and every path: `/api/v2`. Default: nothing. */
  readonly basePath?: string;
  /** Asked before every attempt, so that a file with a rotated token is read anew. Default: no token is sent. */
  readonly token?: () => Promise<Token | undefined> | Token | undefined;
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
  /** The name that the service's certificate carries, where it is not the host of the address. */
  readonly serverName?: string;
  /** Accept any certificate. Default: false. */
  readonly insecureSkipVerify?: boolean;
  /** The time limit of one attempt. Default: 30,000. */
  readonly requestTimeoutMilliseconds?: number;
  /** How often a failed request is made again. Rate limits have a budget of their own, six times this. Default: 5. */
  readonly maxRetries?: number;
  /** How many requests may be in flight at once. Default: 32. */
  readonly maxConcurrency?: number;
  /** Which proxy to use; the values of the usual variables. Default: none. */
  readonly proxies?: ProxySettings;
}

/** Proxies by the scheme of the address they are for. */
export interface ProxySettings {
  /** The value of `HTTP_PROXY`: for addresses that begin with `http:`. */
  readonly httpProxy?: string;
  /** The value of `HTTPS_PROXY`: for addresses that begin with `https:`. */
  readonly httpsProxy?: string;
  /** The value of `NO_PROXY`: hosts to reach directly. */
  readonly noProxy?: string;
}
