import type { Connection } from "./connection";
import { nameOfSetting } from "../base/setting-name";
import { longestPart, showable } from "../base/shown-text";

/** What went wrong with a connection, for people and for the retry policy. */
export interface ConnectionProblem {
  readonly code: string;
  readonly problem: string;
  readonly hint?: string;
  /** Trying again cannot mend it. */
  readonly permanent: boolean;
  /** The service surely has not acted, even where bytes of the request were written. */
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
  // TLS 1.3 lets a client write before it hears that its certificate is missing or unwelcome.
  const clientRefused =
    /ALERT_(?:CERTIFICATE_|HANDSHAKE_FAILURE|BAD_CERTIFICATE|UNKNOWN_CA|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED)/;
  if (unknownAuthority.test(code)) {
    return {
      problem: `the certificate of ${origin} comes from an unknown authority (${reason})`,
      hint: `Set ${nameOfSetting(connection, "caCertificate")} to the certificate of the authority.`,
      refused: true,
    };
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return {
      problem: `the certificate of ${origin} is for another host (${namesInCertificate(error) ?? reason})`,
      hint: `Use an address that the certificate names, or set ${nameOfSetting(connection, "serverName")} to a name in it.`,
      refused: true,
    };
  }
  if (/^(?:CERT_|CRL_)/.test(code)) {
    return {
      problem: `the certificate of ${origin} is not valid (${reason})`,
      hint:
        code === "CERT_HAS_EXPIRED"
          ? "It has expired: its operator has to renew it, or the clock of this machine is wrong."
          : "Its operator has to mend it, or the clock of this machine is wrong.",
      refused: true,
    };
  }
  if (clientRefused.test(code)) {
    const names = `${nameOfSetting(connection, "clientCertificate")} and ${nameOfSetting(connection, "clientKey")}`;
    return {
      problem: `${origin} asks for a client certificate, and got none or one that it does not accept (${reason})`,
      hint: `Set ${names} to a pair that it accepts.`,
      refused: true,
    };
  }
  if (/ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|WRONG_SSL_VERSION|VERSION_TOO_LOW/.test(code)) {
    return {
      problem: `${origin} speaks no version of TLS that is safe (${reason})`,
      hint: "Its operator has to allow TLS 1.2 or 1.3; older versions are refused here, and nothing can be set to allow them.",
      refused: true,
    };
  }
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST|UNKNOWN_PROTOCOL/.test(code)) {
    return {
      problem: `${origin} does not speak TLS`,
      hint: `If it speaks plain HTTP, begin ${nameOfSetting(connection, "address")} with http://.`,
      refused: true,
    };
  }
  return explainProtocol(code, error, connection);
}

/** The names in the certificate; the platform's own words leave out all of another kind than the address. */
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
      problem: "the connection has been closed by this process",
      hint: "Make a new one.",
      refused: true,
    };
  }
  // The client's parser has no codes: its words and the bytes it stumbled over have to do.
  if (error.name !== "HTTPParserError") {
    return undefined;
  }
  if (/HTTP version/i.test(error.message)) {
    return {
      problem: `${origin} answers with a version of HTTP that does not exist`,
      hint: "Some releases of the scheduler (1.11.2) do; a newer one mends it.",
      refused: false,
    };
  }
  // A TLS alert: record type 21, version 3.
  return "data" in error && typeof error.data === "string" && error.data.startsWith("\x15\x03")
    ? {
        problem: `${origin} speaks TLS, not plain HTTP`,
        hint: `Begin ${nameOfSetting(connection, "address")} with https://.`,
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
      hint: `It ended the handshake without a reason: it may want another client certificate, which ${names} set.`,
    };
  }
  switch (code) {
    case "ECONNREFUSED":
      return {
        hint: `Nothing listens there. ${cameFrom(connection)}Check that the service is running, and ${address}.`,
      };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return { hint: `The host name is unknown. ${cameFrom(connection)}Check ${address}.` };
    case "UND_ERR_ABORTED":
      return { hint: `The proxy refuses to connect to ${origin}; NO_PROXY lists hosts to reach directly.` };
    case "UND_ERR_SOCKET":
      return origin.startsWith("http://") && saidNothing(error)
        ? { hint: `If the service speaks HTTPS, begin ${address} with https://.` }
        : {};
    default:
      return {};
  }
}

function cameFrom({ origin, addressSource }: Connection): string {
  return addressSource === undefined ? "" : `The address ${origin} came from ${addressSource}. `;
}

/** Whether the service closed the connection without ever having written to it. */
function saidNothing(error: Error): boolean {
  return "socket" in error && (error.socket as { readonly bytesRead?: number } | undefined)?.bytesRead === 0;
}

function codeOf(error: Error): string {
  const own: unknown = "code" in error ? error.code : undefined;
  return typeof own === "string" ? own : error.cause instanceof Error ? codeOf(error.cause) : error.name;
}

function messageOf(error: Error): string {
  // A host with several addresses fails with one error for each, and no message of its own.
  const parts = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const messages = parts.map((part) => (part instanceof Error ? wordsOfTls(part) : String(part)));
  const message = [...new Set(messages)].join(", ").replace(/\s+/g, " ").trim() || codeOf(error);
  // What a certificate says stands in it.
  return showable(message, longestPart);
}

/** The message of an error of OpenSSL also names lines of its source. */
function wordsOfTls(error: Error): string {
  return "reason" in error && typeof error.reason === "string" && error.message.includes(":SSL routines:")
    ? error.reason
    : error.message;
}
