import type { Connection } from "./connection";
import { nameOfSetting } from "../base/setting-name";
import type { SettingName } from "../base/settings";
import { longestPart, showable } from "../base/shown-text";

export interface ConnectionProblem {
  readonly code: string;
  readonly problem: string;
  readonly advice?: string;
  readonly permanent: boolean;
  /** The service has certainly not processed the request, even if bytes of it were written. */
  readonly refused: boolean;
}

interface Explanation {
  readonly problem: string;
  readonly advice: string;
  readonly refused?: boolean;
}

interface Facts {
  readonly origin: string;
  readonly error: Error;
  readonly reason: string;
  readonly settings: (...names: SettingName[]) => string;
}

export function explainConnectionError(reported: Error, connection: Connection): ConnectionProblem {
  const error = connection.alerts.behind(reported) ?? reported;
  const code = codeOf(error);
  const reason = messageOf(error);
  const { origin } = connection;
  const settings = (...names: SettingName[]): string =>
    names.map((name) => nameOfSetting(connection, name)).join(" and ");
  const facts = { origin, error, reason, settings };
  const explain = permanent.find(([codes]) => codes.test(code))?.[1] ?? explainProtocol;
  const explanation = explain(facts);
  if (explanation !== undefined) {
    return { code, permanent: true, refused: true, ...explanation };
  }
  const advice = adviseOn(code, facts, connection);
  return {
    code,
    problem: reason,
    permanent: false,
    refused: false,
    ...(advice === undefined ? {} : { advice }),
  };
}

/** Failures that a retry cannot fix, by error code. The first match wins. */
const permanent: readonly (readonly [codes: RegExp, explain: (facts: Facts) => Explanation])[] = [
  [
    /^(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT.*|.*SELF_SIGNED_CERT.*|CERT_UNTRUSTED|INVALID_CA)$/,
    ({ origin, reason, settings }) => ({
      problem: `the certificate of ${origin} is signed by an unknown authority (${reason})`,
      advice: `Set ${settings("caCertificate")} to the CA certificate.`,
    }),
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    ({ origin, reason, error, settings }) => ({
      problem: `the certificate of ${origin} is for another host (${namesInCertificate(error) ?? reason})`,
      advice: `Use an address that the certificate covers, or set ${settings("serverName")} to a name in the certificate.`,
    }),
  ],
  [
    /^CERT_HAS_EXPIRED$/,
    ({ origin, reason }) => ({
      problem: `the certificate of ${origin} is not valid (${reason})`,
      advice: "The certificate has expired and must be renewed, or the clock of this machine is wrong.",
    }),
  ],
  [
    /^(?:CERT_|CRL_)/,
    ({ origin, reason }) => ({
      problem: `the certificate of ${origin} is not valid (${reason})`,
      advice: "The certificate must be replaced, or the clock of this machine is wrong.",
    }),
  ],
  [
    // In TLS 1.3 a client can write before it learns that its certificate is missing or rejected.
    /ALERT_(?:CERTIFICATE_|HANDSHAKE_FAILURE|BAD_CERTIFICATE|UNKNOWN_CA|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED)/,
    ({ origin, reason, settings }) => ({
      problem: `${origin} requires a client certificate, and none was sent or it was rejected (${reason})`,
      advice: `Set ${settings("clientCertificate", "clientKey")} to a certificate and key that the service accepts.`,
    }),
  ],
  [
    /ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|WRONG_SSL_VERSION|VERSION_TOO_LOW/,
    ({ origin, reason }) => ({
      problem: `${origin} supports no secure TLS version (${reason})`,
      advice: "Enable TLS 1.2 or 1.3 on the server: older versions are not supported.",
    }),
  ],
  [
    /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST|UNKNOWN_PROTOCOL/,
    ({ origin, settings }) => ({
      problem: `${origin} does not speak TLS`,
      advice: `If the service speaks plain HTTP, start ${settings("address")} with http://.`,
    }),
  ],
  [
    /^UND_ERR_(?:CLOSED|DESTROYED)$/,
    () => ({ problem: "this process has closed the connection", advice: "Create a new connection." }),
  ],
];

/** Node's message lists only the names of the address's type, so this lists all of them. */
function namesInCertificate(error: Error): string | undefined {
  const { cert } = error as { readonly cert?: { readonly subjectaltname?: string } };
  const names = cert?.subjectaltname;
  return names === undefined ? undefined : `it names ${showable(names, longestPart)}`;
}

/** The HTTP parser has no error codes, so this matches its message and the rejected bytes. */
function explainProtocol({ origin, error, settings }: Facts): Explanation | undefined {
  if (error.name !== "HTTPParserError") {
    return undefined;
  }
  if (/HTTP version/i.test(error.message)) {
    return {
      problem: `${origin} responded with an HTTP version that does not exist`,
      advice: "Some scheduler releases (1.11.2) do so. Upgrade the scheduler.",
      refused: false,
    };
  }
  // A TLS alert: record type 21, version 3.
  return "data" in error && typeof error.data === "string" && error.data.startsWith("\x15\x03")
    ? {
        problem: `${origin} speaks TLS, not plain HTTP`,
        advice: `Start ${settings("address")} with https://.`,
      }
    : undefined;
}

function adviseOn(
  code: string,
  { origin, error, settings }: Facts,
  { addressSource }: Connection,
): string | undefined {
  const cameFrom = addressSource === undefined ? "" : `The address ${origin} comes from ${addressSource}. `;
  if (/before secure TLS connection was established/.test(error.message)) {
    return `The server closed the connection during the TLS handshake. It may require another client certificate: check ${settings("clientCertificate", "clientKey")}.`;
  }
  switch (code) {
    case "ECONNREFUSED":
      return `Nothing is listening there. ${cameFrom}Check that the service is running, and check ${settings("address")}.`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `The host name is unknown. ${cameFrom}Check ${settings("address")}.`;
    case "UND_ERR_ABORTED":
      return `The proxy refused to connect to ${origin}. To bypass the proxy, add the host to NO_PROXY.`;
    case "UND_ERR_SOCKET":
      return origin.startsWith("http://") && saidNothing(error)
        ? `If the service speaks HTTPS, start ${settings("address")} with https://.`
        : undefined;
    default:
      return undefined;
  }
}

function saidNothing(error: Error): boolean {
  return "socket" in error && (error.socket as { readonly bytesRead?: number } | undefined)?.bytesRead === 0;
}

function codeOf(error: Error): string {
  const own: unknown = "code" in error ? error.code : undefined;
  return typeof own === "string" ? own : error.cause instanceof Error ? codeOf(error.cause) : error.name;
}

function messageOf(error: Error): string {
  // A host with several addresses fails with one error per address and no message of its own.
  const parts = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const messages = parts.map((part) => (part instanceof Error ? wordsOfTls(part) : String(part)));
  const message = [...new Set(messages)].join(", ").replace(/\s+/g, " ").trim() || codeOf(error);
  // The message can contain text from a certificate.
  return showable(message, longestPart);
}

/** The message of an OpenSSL error also contains its source lines. */
function wordsOfTls(error: Error): string {
  return "reason" in error && typeof error.reason === "string" && error.message.includes(":SSL routines:")
    ? error.reason
    : error.message;
}
