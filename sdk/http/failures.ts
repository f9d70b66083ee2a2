import {
  ConnectionError,
  ContractError,
  type ForeignBody,
  isError,
  requestCancelled,
  type RequestDescription,
  requestTimedOut,
  ServiceError,
  type TriviumError,
} from "../base/errors";
import { parseJson } from "../base/json";
import { filledIn, nameOfSetting } from "../base/settings";
import { longestPart, showable } from "../base/shown-text";
import { adviceFor, proxyAuthentication, proxySentence } from "./advice";
import { isPage, messagesIn } from "./error-body";
import type { Failure } from "./retry";
import { ProxyFailure } from "./proxy-sockets";
import { maxHeaderSize } from "./response-heads";
import type { ExchangeFailure, WireResponse } from "./sockets";
import type { Destination, Token } from "./transport";

/** What is known about a request that will not be attempted again. */
interface Conclusion {
  readonly mayHaveBeenProcessed: boolean;
  readonly exhausted: boolean;
}

export class AttemptFailure extends Error {
  constructor(
    readonly failure: Failure,
    readonly explain: (conclusion: Conclusion) => TriviumError,
  ) {
    super();
  }
}

export interface Attempt {
  readonly destination: Destination;
  readonly request: RequestDescription;
  /** The names of the members in the request's body. */
  readonly members: readonly string[];
  readonly attempts: number;
  readonly timeoutMilliseconds: number;
  readonly token: Token | undefined;
  /**
   * Whether repeating the request is harmless, so that it does not matter whether the service processed it.
   */
  readonly idempotent: boolean;
  /** Whether the service has ever responded to this process. */
  readonly everReached: boolean;
}

export function refusal(
  { destination, request, members, attempts, token }: Attempt,
  { status, headers }: WireResponse,
  body: Buffer,
): AttemptFailure {
  const messages = messagesIn(body);
  const page = isPage(body.toString("utf8"));
  const mayHaveBeenProcessed = mayHaveActed(status, headers);
  return new AttemptFailure({ kind: "status", status, headers, mayHaveBeenProcessed }, (conclusion) => {
    const foreign = foreignBody(destination, status, body);
    const isForeign = foreign !== undefined;
    const response = {
      status,
      headers,
      messages,
      page,
      isForeign,
      tokenSource: token?.source,
      members,
      ...conclusion,
    };
    const advice = adviceFor(response, destination);
    const details = { request, status, messages, headers: ofInterest(headers), attempts, foreign };
    return new ServiceError({ ...details, ...conclusion, advice });
  });
}

const longestExcerpt = 200;

/** @returns `undefined` if the body is the service's own, or if the status does not mean absence */
export function foreignBody(
  { saysAbsence }: Destination,
  status: number,
  bytes: Buffer,
): ForeignBody | undefined {
  if (status !== 404 || saysAbsence === undefined) {
    return undefined;
  }
  const text = bytes.toString("utf8").trim();
  try {
    const body = parseJson(text);
    const shown = body === undefined ? "no body" : showable(text, longestExcerpt);
    return saysAbsence(body) ? undefined : { isData: true, shown };
  } catch {
    return { isData: false, shown: isPage(text) ? "an HTML page" : showable(text, longestExcerpt) };
  }
}

export function misunderstanding(
  { request: { method, url } }: Attempt,
  problem: string,
  advice?: string,
): AttemptFailure {
  const explain = (): TriviumError => new ContractError({ request: `${method} ${url}`, problem, advice });
  return new AttemptFailure({ kind: "permanent", mayHaveBeenProcessed: true }, explain);
}

export function noResponse(attempt: Attempt, { kind, phase, cause }: ExchangeFailure): AttemptFailure {
  const isSent = phase !== "connect";
  if (kind === "cancelled") {
    return new AttemptFailure({ kind: "permanent", mayHaveBeenProcessed: isSent }, (conclusion) =>
      requestCancelled({ ...attempt, ...conclusion }),
    );
  }
  const { destination, idempotent } = attempt;
  const proxied = proxySentence(destination);
  const adviceAfter = (
    { mayHaveBeenProcessed }: Conclusion,
    advice: string | undefined,
  ): string | undefined => {
    const outcome = mayHaveBeenProcessed
      ? "The service might have processed the request. Check before you send it again."
      : "The service has not processed the request.";
    return [idempotent ? undefined : outcome, advice, proxied].filter(Boolean).join(" ") || undefined;
  };
  if (kind === "timeout") {
    const setting = nameOfSetting(destination, "requestTimeout");
    const who = proxied === undefined ? "The service" : "The service, or the proxy,";
    const advice = `${who} might be overloaded. To wait longer, raise ${setting}.`;
    return new AttemptFailure({ kind, mayHaveBeenProcessed: isSent }, (conclusion) =>
      requestTimedOut({ ...attempt, phase, advice: adviceAfter(conclusion, advice), ...conclusion }),
    );
  }
  const { refused, advice, ...problem } = explainConnectionError(cause, destination, attempt.everReached);
  const failure = {
    kind: problem.permanent ? ("permanent" as const) : kind,
    unreachable: ["ECONNREFUSED", "ENOTFOUND"].includes(problem.code),
    mayHaveBeenProcessed: isSent && !refused,
  };
  return new AttemptFailure(
    failure,
    (conclusion) =>
      new ConnectionError({ ...attempt, ...problem, ...conclusion, advice: adviceAfter(conclusion, advice) }),
  );
}

/** A server error can occur after the effect. Most client errors occur before it. */
function mayHaveActed(status: number, headers: Readonly<Record<string, string>>): boolean {
  if (status === 503) {
    return headers["retry-after"] === undefined;
  }
  return status >= 500 || status === 408 || status === 425;
}

const interesting =
  /^(?:retry-after|x-request-id|x-ratelimit-.*|content-type|server|via|www-authenticate|allow)$/;

function ofInterest(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => interesting.test(name)));
}

const wrongHttpVersion = /^(?:HPE_|HTTPParserError).*HTTP version/i;
const largeHeaders = /^UND_ERR_HEADERS_OVERFLOW /;
const http2 = /^HTTP2 /;
const notHttp = /^(?:HPE_|HTTPParserError)/;
const upgraded = /^UND_ERR_SOCKET bad upgrade/;
const wrongLength = /^UND_ERR_RES_CONTENT_LENGTH_MISMATCH /;
/** Error codes of zlib and Brotli. */
const damaged = /^(?:Z_|ERR_(?:_ERROR_FORMAT|BROTLI)|ERR_PADDING|ERR__)/;
/** Failures of a response, after which the service might have processed the request. */
const ofResponses = [wrongHttpVersion, largeHeaders, http2, notHttp, upgraded, wrongLength, damaged];

/**
 * The text for each error code and message; the first match is used. Failures with a text here are permanent;
 * all others show the error's own text. `{x}` is a setting, or a text about this failure.
 */
const explanations: readonly (readonly [error: RegExp, problem: string | undefined, advice: string])[] = [
  [
    /^(?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT|\w*SELF_SIGNED_CERT|CERT_UNTRUSTED|INVALID_CA )/,
    "the certificate of {origin} is signed by an unknown authority ({reason})",
    "Set {caCertificate} to the CA certificate.{ownAuthorities}{interception}",
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID /,
    "the certificate of {origin} is for another host ({names})",
    "Use an address that the certificate covers{orServerName}.",
  ],
  [
    /^CERT_HAS_EXPIRED /,
    "the certificate of {origin} is not valid ({reason})",
    "The certificate has expired and must be renewed, or the clock of this machine is wrong.",
  ],
  [
    /^INVALID_PURPOSE /,
    "the certificate of {origin}, or of an authority that signed it, is not allowed for this use ({reason})",
    "Issue it with a server's key usages (`extendedKeyUsage = serverAuth`), signed by a CA certificate.",
  ],
  [
    /^PATH_LENGTH_EXCEEDED /,
    "the certificate of {origin} is signed by an authority that its parent authority does not allow ({reason})",
    "Have it signed by the parent authority, or increase the parent's path length.",
  ],
  [
    /^UNSPECIFIED .*subtree/,
    "the certificate of {origin} has a name that its authority is not allowed to certify ({reason})",
    "Have it signed by an authority whose name constraints permit the name.",
  ],
  [
    /^UNSPECIFIED .*too weak/,
    "the certificate of {origin}, or of an authority that signed it, is too weak ({reason})",
    "Issue it with SHA-256 or better, and with a key of at least 2048 bits (RSA) or 256 bits (elliptic curve).",
  ],
  [
    /^\w*ALERT_NO_APPLICATION_PROTOCOL/,
    "{origin} does not offer HTTP/1.1 ({reason})",
    "Enable HTTP/1.1 on the server: HTTP/2 alone is not supported.",
  ],
  [
    /^\w*UNRECOGNIZED_NAME/,
    "{origin} does not recognize the host name in the handshake ({reason})",
    "Use an address with a host name that the server accepts{orServerName}.",
  ],
  [
    /^(?:NO_SHARED_CIPHER|\w*ALERT_INSUFFICIENT_SECURITY) /,
    "{origin} has no cipher or key exchange in common with this machine ({reason})",
    "On the server, enable a TLS 1.3 cipher, or an ECDHE cipher for the type of the certificate's key.",
  ],
  [
    /^\w*ALERT_(?:ILLEGAL_PARAMETER|DECODE_ERROR|UNEXPECTED_MESSAGE|MISSING_EXTENSION|UNSUPPORTED_EXTENSION|INAPPROPRIATE_FALLBACK)/,
    "{origin} does not accept this machine's TLS handshake ({reason})",
    "Update the TLS implementation of the server, or of the device in front of it.",
  ],
  [
    /^(?:CERT_|CRL_|UNSPECIFIED )/,
    "the certificate of {origin} is not valid ({reason})",
    "The certificate must be replaced, or the clock of this machine is wrong.",
  ],
  [
    // In TLS 1.3 a client can write before it learns that its certificate is missing or rejected.
    /^\w*ALERT_(?:CERTIFICATE_|HANDSHAKE_FAILURE|BAD_CERTIFICATE|UNKNOWN_CA|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED)/,
    "{origin} requires a client certificate, and none was sent or it was rejected ({reason})",
    "Set {clientCertificate} and {clientKey} to a certificate and key that the service accepts.",
  ],
  [
    /^\w*(?:ALERT_PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|WRONG_SSL_VERSION|VERSION_TOO_LOW)/,
    "{origin} supports no secure TLS version ({reason})",
    "Enable TLS 1.2 or 1.3 on the server: older versions are not supported.",
  ],
  [
    /^\w*(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|ERR_SSL_HTTP_REQUEST|UNKNOWN_PROTOCOL)/,
    "{origin} does not speak TLS",
    "If it speaks plain HTTP, start {address} with http://.",
  ],
  [/^UND_ERR_(?:CLOSED|DESTROYED) /, "this process has closed the connection", "Create a new connection."],
  [
    largeHeaders,
    `the headers of the response are larger than ${maxHeaderSize / 1024} KiB`,
    "Large headers usually come from a gateway or proxy: check {address}.",
  ],
  [
    wrongHttpVersion,
    "{origin} responded with an HTTP version that does not exist",
    "Some scheduler releases (1.11.2) do this. Upgrade the scheduler.",
  ],
  [
    http2,
    "{origin} responded with HTTP/2, which was not requested",
    "Enable HTTP/1.1 there: HTTP/2 is not supported.",
  ],
  [/^TLS_ALERT /, "{origin} speaks TLS, not plain HTTP", "Start {address} with https://."],
  [
    notHttp,
    "{origin} responded with something that is not HTTP/1.1 ({reason})",
    "Check that {address} leads to the {role}, and that it, or the gateway in front of it, writes valid HTTP.",
  ],
  [
    damaged,
    "the response from {origin} is damaged, and compressed although that was not requested ({reason})",
    "Configure the gateway in front of the {role} not to compress its responses.",
  ],
  [
    upgraded,
    "{origin} responded with 101, as if it had been asked to switch protocols",
    "Check that {address} leads to the {role}.",
  ],
  [
    wrongLength,
    "the response from {origin} has contradictory lengths ({reason})",
    "The {role}, or the gateway in front of it, must send a single, correct Content-Length.",
  ],
  [
    /before secure TLS connection was established/,
    undefined,
    "The server closed the connection during the TLS handshake. It might require a different client certificate: check {clientCertificate} and {clientKey}.",
  ],
  [
    /^ECONNREFUSED /,
    undefined,
    "Nothing is listening there. {addressSourceText}Check that the {role} is running, and check {address}.",
  ],
  [/^(?:ENOTFOUND|EAI_AGAIN) /, undefined, "The host name is unknown. {addressSourceText}Check {address}."],
  [/^HTTP_407 /, "{origin} requires authentication ({reason})", "{proxyAuthentication}"],
  [/^HTTP_(?:408|425|429|5)/, undefined, "The proxy could not connect to {service}."],
  [/^HTTP_/, "{origin} refused to connect to {service} ({reason})", "Check what the proxy allows."],
  [/^SILENT_END /, undefined, "If the {role} speaks HTTPS, start {address} with https://."],
];

/** Properties that undici and Node.js add to some errors. */
interface ErrorDetails {
  readonly code?: unknown;
  readonly reason?: unknown;
  readonly data?: unknown;
  readonly errors?: unknown;
  readonly cert?: { readonly subjectaltname?: string };
  readonly socket?: { readonly bytesRead?: number } | null;
}

export function explainConnectionError(error: Error, destination: Destination, everReached = false) {
  const { origin: service, addressSource, proxy, hasOwnAuthorities = false } = destination;
  const ofProxy = error instanceof ProxyFailure || codeOf(error).startsWith("UND_ERR_SOCKS5");
  const { status, cause = error, offered } = error instanceof ProxyFailure ? error : {};
  const blamed = ofProxy || proxy?.forwards === true ? proxy : undefined;
  const code = status === undefined ? codeOf(cause) : `HTTP_${status}`;
  const reason = messageOf(cause);
  const { cert, socket, data } = cause as ErrorDetails;
  const isPlain = blamed === undefined ? service.startsWith("http://") : blamed.protocol === "http:";
  const isSilent = code === "UND_ERR_SOCKET" && isPlain && socket?.bytesRead === 0 && !everReached;
  // A TLS alert: record type 21, version 3.
  const isAlert = typeof data === "string" && data.startsWith("\x15\x03");
  // The frame that an HTTP/2 server sends first.
  const isHttp2 = typeof data === "string" && data.startsWith("\0\0") && data.startsWith("\x04\0", 3);
  const kind = isAlert ? "TLS_ALERT" : isHttp2 ? "HTTP2" : isSilent ? "SILENT_END" : code;
  const subject = `${kind} ${cause.message}`;
  const [pattern, problem, advice] = explanations.find(([each]) => each.test(subject)) ?? [];
  const names = cert?.subjectaltname;
  const texts = {
    service,
    reason,
    // Node's message lists only the names of the address's type, so this lists all names.
    names: names === undefined ? reason : `it names ${showable(names, longestPart)}`,
    ownAuthorities: hasOwnAuthorities
      ? " It replaces the system's authorities and NODE_EXTRA_CA_CERTS: if several are needed, put all into one file."
      : "",
    interception: proxy === undefined ? "" : " A proxy that decrypts TLS uses its own CA.",
    proxyAuthentication: proxyAuthentication(destination, offered),
    ...(blamed === undefined
      ? {
          origin: service,
          role: "service",
          orServerName: `, or set ${nameOfSetting(destination, "serverName")} to a name in the certificate`,
          addressSourceText:
            addressSource === undefined ? "" : `The address ${service} comes from ${addressSource}. `,
        }
      : {
          origin: `the proxy ${blamed.address}`,
          role: "proxy",
          orServerName: "",
          address: blamed.variable,
          addressSourceText: "",
        }),
  };
  const described =
    blamed === undefined ? reason : `the connection to the proxy ${blamed.address} failed: ${reason}`;
  return {
    code,
    problem: problem === undefined ? described : filledIn(problem, destination, texts),
    permanent: problem !== undefined,
    // With these errors, the service has certainly not processed the request, even if a part of it was
    // written.
    refused: problem !== undefined && !ofResponses.some((each) => each === pattern),
    advice: advice && filledIn(advice, destination, texts),
  };
}

function codeOf(error: Error): string {
  const { code } = error as ErrorDetails;
  return typeof code === "string" ? code : isError(error.cause) ? codeOf(error.cause) : error.name;
}

function messageOf(error: Error): string {
  // For a host with several addresses, the error contains one error per address and does not have its own
  // message.
  const { errors } = error as ErrorDetails;
  const parts = Array.isArray(errors) ? errors : [error];
  const messages = parts.map((part) => (isError(part) ? withoutSourceLines(part) : String(part)));
  const message = [...new Set(messages)].join(", ").replace(/\s+/g, " ").trim() || codeOf(error);
  // The message can contain text from a certificate.
  return showable(message, longestPart);
}

/** The message of an OpenSSL error also contains its source lines. */
function withoutSourceLines(error: Error): string {
  const { reason } = error as ErrorDetails;
  return typeof reason === "string" && error.message.includes(":SSL routines:") ? reason : error.message;
}
