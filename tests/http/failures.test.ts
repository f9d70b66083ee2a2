import assert from "node:assert/strict";
import { explainConnectionError } from "../../sdk/http/failures";
import type { Destination } from "../../sdk/http/transport";

const vault: Destination = { service: "secrets", dialect: "documented", origin: "http://vault.example:8200" };

const coded = (code: string, message = "it failed"): Error => Object.assign(new Error(message), { code });
const parserError = (message: string, data = ""): Error =>
  Object.assign(new Error(message), { name: "HTTPParserError", data });
const codes =
  "SSL_ALERT_UNKNOWN_CA SSL_VERSION_TOO_LOW SSL_UNKNOWN_PROTOCOL CERT_UNTRUSTED CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID " +
  "UND_ERR_CLOSED UND_ERR_ABORTED TLS_ALERT ECONNREFUSED ENOTFOUND SILENT_END HPE_ HTTP version";
const ended = (socket?: object): Error =>
  Object.assign(coded("UND_ERR_SOCKET", "other side closed"), { socket });

describe("the explanation of a connection error", () => {
  const address = "address (trivium:secretsAddress, SECRETS_ADDR)";
  const certificate = "the certificate of http://vault.example:8200";
  const unknownAuthority = `${certificate} is signed by an unknown authority (it failed)`;
  const invalid = `${certificate} is not valid (it failed)`;
  const replace = "The certificate must be replaced, or the clock of this machine is wrong.";
  const caCertificate =
    "Set caCertificate (trivium:secretsCaCertificate, SECRETS_CACERT) to the CA certificate.";
  const closed = ["this process has closed the connection", "Create a new connection."] as const;
  const isHttps = `If the service speaks HTTPS, start ${address} with https://.`;

  // Permanent: a retry cannot fix it, and the service has certainly not processed the request.
  type Row = readonly [Error, problem: string, string | undefined, permanent: boolean, Partial<Destination>?];
  const authorities =
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY";
  const unknown = `${authorities} DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN CERT_UNTRUSTED INVALID_CA`;
  // Those of OpenSSL, of which servers of Node.js send few.
  const alerts =
    "UNKNOWN_CA CERTIFICATE_EXPIRED BAD_CERTIFICATE ACCESS_DENIED HANDSHAKE_FAILURE UNSUPPORTED_CERTIFICATE CERTIFICATE_REQUIRED";
  const certificateWanted =
    "http://vault.example:8200 requires a client certificate, and none was sent or it was rejected (it failed)";
  const setCertificate =
    "Set clientCertificate (trivium:secretsClientCertificate, SECRETS_CLIENT_CERT) and clientKey " +
    "(trivium:secretsClientKey, SECRETS_CLIENT_KEY) to a certificate and key that the service accepts.";
  const each = (all: string, problem: string, advice: string, isPermanent: boolean): Row[] =>
    all.split(" ").map((code) => [coded(code), problem, advice, isPermanent]);
  const named = { addressSource: "a place" };
  const source = "The address http://vault.example:8200 comes from a place.";
  const hosts = ["\n  ::1:8200", " 127.0.0.1:8200 ", " 127.0.0.1:8200 "];
  const errors = hosts.map((host) => coded("ECONNREFUSED", `connect ECONNREFUSED${host}`));
  const severalHosts = Object.assign(new AggregateError(errors), { code: "EADDRINUSE" });
  const alert = parserError("Expected HTTP/", "\x15\x03\x01\x00\x02\x02\x46");
  const httpsStart = `Start ${address} with https://.`;
  const rows: readonly Row[] = [
    ...each("ENOTFOUND EAI_AGAIN", "it failed", `The host name is unknown. Check ${address}.`, false),
    [coded("ENOTFOUND"), "it failed", `The host name is unknown. ${source} Check ${address}.`, false, named],
    ...each("CERT_NOT_YET_VALID CERT_REVOKED CRL_HAS_EXPIRED", invalid, replace, true),
    ...each(unknown, unknownAuthority, caCertificate, true),
    ...each(alerts.replaceAll(/\w+/g, "ERR_SSL_TLSV1_ALERT_$&"), certificateWanted, setCertificate, true),
    ...each("UND_ERR_CLOSED UND_ERR_DESTROYED", ...closed, true),
    [alert, "http://vault.example:8200 speaks TLS, not plain HTTP", httpsStart, true],
    [ended({ bytesRead: 0 }), "other side closed", isHttps, false],
    [ended({ bytesRead: 1 }), "other side closed", undefined, false],
    [ended(), "other side closed", undefined, false],
    [ended({ bytesRead: 0 }), "other side closed", undefined, false, { origin: "https://vault.example" }],
    [Object.assign(coded("ECONNRESET"), { socket: { bytesRead: 0 } }), "it failed", undefined, false],
    [severalHosts, "connect ECONNREFUSED ::1:8200, connect ECONNREFUSED 127.0.0.1:8200", undefined, false],
    // The source lines of OpenSSL.
    [Object.assign(coded("EPROTO", ":SSL routines:a.c:16:"), { reason: "alert" }), "alert", undefined, false],
    [Object.assign(coded("EPROTO", "broken"), { reason: "another" }), "broken", undefined, false],
    // Only its own code counts.
    [coded("EOTHER", codes), codes, undefined, false],
  ];
  for (const [error, problem, advice, isPermanent, destination] of rows) {
    it(`a connection error with ${String((error as NodeJS.ErrnoException).code)} is explained: ${problem}; ${advice ?? "no advice"}`, () => {
      const { code: _, ...explanation } = explainConnectionError(error, { ...vault, ...destination });
      assert.deepEqual(explanation, { problem, advice, permanent: isPermanent, refused: isPermanent });
    });
  }
});
