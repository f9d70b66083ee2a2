import type { Dialect, ServiceName } from "../base/settings";
import type { Operation } from "./transport";

/** Characters that are allowed in a header. undici rejects others without naming the header. */
export const headerText = /^[\t\x20-\x7e\x80-\xff]*$/;

/** A token and its source, as text that follows "comes from": `the environment variable SECRETS_TOKEN`. */
export interface Token {
  readonly value: string;
  readonly source: string;
  readonly secondsLeft?: () => number;
  /** Marks the token as the parent of something issued under it: revoking the token would revoke that too. */
  readonly becomesParent?: () => void;
  /** Whether a login's token was refused because it has expired, so that a new one can be fetched. */
  readonly hasEnded?: () => Promise<boolean>;
}

export type TokenUser = Pick<Operation, "signal" | "progress">;

/** Everything is resolved and validated, except certificates and proxies. Nothing here is read from the environment. */
export interface ConnectionSettings {
  readonly service: ServiceName;
  readonly dialect?: Dialect;
  /** Origin, with or without a path: `https://example.com` or `https://example.com/prefix`. */
  readonly address: string;
  readonly addressSource?: string;
  readonly ownAddress?: boolean;
  readonly basePath?: string;
  /** Called before every attempt, so that a file with a rotated token is read again. */
  readonly token?: (user?: TokenUser) => Promise<Token | undefined> | Token | undefined;
  /** The headers that carry the token. Default: `Authorization: Bearer`. */
  readonly authenticationHeader?: (token: string) => Readonly<Record<string, string>>;
  /** Sent with every request; their values are secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** PEM; replaces the system's authorities. */
  readonly caCertificate?: string;
  readonly clientCertificate?: string;
  /** PEM; secret. */
  readonly clientKey?: string;
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
  readonly requestTimeoutMilliseconds?: number;
  /** Retries per request. Rate limits have a separate budget of six times this number. */
  readonly maxRetries?: number;
  readonly maxConcurrency?: number;
  readonly proxies?: ProxySettings;
}

export interface ProxySettings {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  readonly noProxy?: string;
}
