import type { Connection } from "./connection";
import { nameOfSetting } from "../base/setting-name";
import { longestPart, showable } from "../base/shown-text";

/** A connection failure, explained for the user and for the retry policy. */
export interface ConnectionProblem {
  readonly code: string;
  readonly problem: string;
  readonly hint?: string;
  /** A retry cannot succeed. */
  readonly permanent: boolean;
  /** The service has certainly not processed the request, even if bytes of it were written. */
  readonly refused: boolean;
}

interface Explanation {
  readonly problem: string;
  readonly hint: string;
  readonly refused: boolean;
}

/** Explains an error of sockets, TLS or the HTTP client. */
export function explainConnectionError(reported: Error, connection: Connection): ConnectionProblem {
  const error = connection.alerts.behind(reported) ?? reported;
  const code = codeOf(error);
  const explanation = explain(code, error, connection);
  return explanation === undefined
    ? {
        code,
        problem: messageOf(error),
        permanent: false,
        refused: false,
        ...adviseOn(code, error, connection),
      }
    : { code, permanent: true, ...explanation };
}

function explain(code: string, error: Error, connection: Connection): Explanation | undefined {
  const { origin } = connection;
  const reason = messageOf(error);
  const unknownAuthority =
    /^(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT.*|.*SELF_SIGNED_CERT.*|CERT_UNTRUSTED|INVALID_CA)$/;
  // In TLS 1.3 a client can write before it learns that its certificate is missing or rejected.
  const clientRefused =
    /ALERT_(?:CERTIFICATE_|HANDSHAKE_FAILURE|BAD_CERTIFICATE|UNKNOWN_CA|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED)/;
  if (unknownAuthority.test(code)) {
    return {
      problem: `the certificate of ${origin} is signed by an unknown authority (${reason})`,
      hint: `Set ${nameOfSetting(connection, "caCertificate")} to the CA certificate.`,
      refused: true,
    };
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return {
      problem: `the certificate of ${origin} is for another host (${namesInCertificate(error) ?? reason})`,
      hint: `Use an address that the certificate covers, or set ${nameOfSetting(connection, "serverName")} to a name in the certificate.`,
      refused: true,
    };
  }
  if (/^(?:CERT_|CRL_)/.test(code)) {
    return {
      problem: `the certificate of ${origin} is not valid (${reason})`,
      hint:
        code === "CERT_HAS_EXPIRED"
          ? "The certificate has expired and must be renewed, or the clock of this machine is wrong."
          : "The certificate must be replaced, or the clock of this machine is wrong.",
      refused: true,
    };
  }
  if (clientRefused.test(code)) {
    const names = `${nameOfSetting(connection, "clientCertificate")} and ${nameOfSetting(connection, "clientKey")}`;
    return {
      problem: `${origin} requires a client certificate, and none was sent or it was rejected (${reason})`,
      hint: `Set ${names} to a certificate and key that the service accepts.`,
      refused: true,
    };
  }
  if (/ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|WRONG_SSL_VERSION|VERSION_TOO_LOW/.test(code)) {
    return {
      problem: `${origin} supports no secure TLS version (${reason})`,
      hint: "Enable TLS 1.2 or 1.3 on the server: older versions are not supported.",
      refused: true,
    };
  }
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST|UNKNOWN_PROTOCOL/.test(code)) {
    return {
      problem: `${origin} does not speak TLS`,
      hint: `If the service speaks plain HTTP, start ${nameOfSetting(connection, "address")} with http://.`,
      refused: true,
    };
  }
  return explainProtocol(code, error, connection);
}

/** The names in the certificate. The platform's message omits all names of another type than the address. */
function namesInCertificate(error: Error): string | undefined {
  const { cert } = error as { readonly cert?: { readonly subjectaltname?: string } };
  return cert?.subjectaltname === undefined
    ? undefined
    : `it names ${showable(cert.subjectaltname, longestPart)}`;
}

function explainProtocol(code: string, error: Error, connection: Connection): Explanation | undefined {
  const { origin } = connection;
  if (code === "UND_ERR_CLOSED" || code === "UND_ERR_DESTROYED") {
    return {
      problem: "this process has closed the connection",
      hint: "Create a new connection.",
      refused: true,
    };
  }
  // The parser has no error codes, so its message and the bytes that it rejected have to do.
  if (error.name !== "HTTPParserError") {
    return undefined;
  }
  if (/HTTP version/i.test(error.message)) {
    return {
      problem: `${origin} responded with an HTTP version that does not exist`,
      hint: "Some scheduler releases (1.11.2) do so. Upgrade the scheduler.",
      refused: false,
    };
  }
  // A TLS alert: record type 21, version 3.
  return "data" in error && typeof error.data === "string" && error.data.startsWith("\x15\x03")
    ? {
        problem: `${origin} speaks TLS, not plain HTTP`,
        hint: `Start ${nameOfSetting(connection, "address")} with https://.`,
        refused: true,
      }
    : undefined;
}

function adviseOn(code: string, error: Error, connection: Connection): { readonly hint?: string } {
  const { origin } = connection;
  const address = nameOfSetting(connection, "address");
  if (/before secure TLS connection was established/.test(error.message)) {
    const names = `${nameOfSetting(connection, "clientCertificate")} and ${nameOfSetting(connection, "clientKey")}`;
    return {
      hint: `The server closed the connection during the TLS handshake. It may require another client certificate: check ${names}.`,
    };
  }
  switch (code) {
    case "ECONNREFUSED":
      return {
        hint: `Nothing is listening there. ${cameFrom(connection)}Check that the service is running, and check ${address}.`,
      };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return { hint: `The host name is unknown. ${cameFrom(connection)}Check ${address}.` };
    case "UND_ERR_ABORTED":
      return {
        hint: `The proxy refused to connect to ${origin}. To bypass the proxy, add the host to NO_PROXY.`,
      };
    case "UND_ERR_SOCKET":
      return origin.startsWith("http://") && saidNothing(error)
        ? { hint: `If the service speaks HTTPS, start ${address} with https://.` }
        : {};
    default:
      return {};
  }
}

function cameFrom({ origin, addressSource }: Connection): string {
  return addressSource === undefined ? "" : `The address ${origin} comes from ${addressSource}. `;
}

/** Whether the service closed the connection without having written anything. */
function saidNothing(error: Error): boolean {
  return "socket" in error && (error.socket as { readonly bytesRead?: number } | undefined)?.bytesRead === 0;
}

function codeOf(error: Error): string {
  const own: unknown = "code" in error ? error.code : undefined;
  return typeof own === "string" ? own : error.cause instanceof Error ? codeOf(error.cause) : error.name;
}

function messageOf(error: Error): string {
  // A host with several addresses fails with one error for each and no message of its own.
  const parts = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const messages = parts.map((part) => (part instanceof Error ? wordsOfTls(part) : String(part)));
  const message = [...new Set(messages)].join(", ").replace(/\s+/g, " ").trim() || codeOf(error);
  // The message contains text from a certificate.
  return showable(message, longestPart);
}

/** The message of an OpenSSL error also names source lines. */
function wordsOfTls(error: Error): string {
  return "reason" in error && typeof error.reason === "string" && error.message.includes(":SSL routines:")
    ? error.reason
    : error.message;
}
