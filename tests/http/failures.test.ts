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
  const unknownAuthority =
    "the certificate of http://vault.example:8200 is signed by an unknown authority (it failed)";
  const invalid = "the certificate of http://vault.example:8200 is not valid (it failed)";
  const replace = "The certificate must be replaced, or the clock of this machine is wrong.";
  const caCertificate =
    "Set caCertificate (trivium:secretsCaCertificate, SECRETS_CACERT) to the CA certificate.";
  const closed = ["this process has closed the connection", "Create a new connection."] as const;
  const isHttps = `If the service speaks HTTPS, start ${address} with https://.`;

  // Permanent: a retry cannot fix it. Refused: the service has certainly not processed the request.
  type Traits = "" | "permanent" | "permanent, refused";
  type Row = readonly [Error, problem: string, advice: string | undefined, Traits, Partial<Destination>?];
  const authorities =
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY";
  const unknown = `${authorities} DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN CERT_UNTRUSTED INVALID_CA`;
  // Those of OpenSSL, of which servers of Node.js send few.
  const alerts = [
    "TLSV1_ALERT_UNKNOWN_CA SSLV3_ALERT_CERTIFICATE_EXPIRED SSLV3_ALERT_BAD_CERTIFICATE TLSV1_ALERT_ACCESS_DENIED",
    "SSLV3_ALERT_HANDSHAKE_FAILURE SSLV3_ALERT_UNSUPPORTED_CERTIFICATE TLSV13_ALERT_CERTIFICATE_REQUIRED",
  ].join(" ");
  const certificateWanted =
    "http://vault.example:8200 requires a client certificate, and none was sent or it was rejected (it failed)";
  const setCertificate =
    "Set clientCertificate (trivium:secretsClientCertificate, SECRETS_CLIENT_CERT) and clientKey " +
    "(trivium:secretsClientKey, SECRETS_CLIENT_KEY) to a certificate and key that the service accepts.";
  const each = (all: string, problem: string, advice: string, traits: Traits): Row[] =>
    all.split(" ").map((code) => [coded(code), problem, advice, traits]);
  const named = { addressSource: "a place" };
  const source = "The address http://vault.example:8200 comes from a place.";
  const hosts = ["\n  ::1:8200", " 127.0.0.1:8200 ", " 127.0.0.1:8200 "];
  const errors = hosts.map((host) => coded("ECONNREFUSED", `connect ECONNREFUSED${host}`));
  const severalHosts = Object.assign(new AggregateError(errors), { code: "EADDRINUSE" });
  const rows: readonly Row[] = [
    ...each("ENOTFOUND EAI_AGAIN", "it failed", `The host name is unknown. Check ${address}.`, ""),
    [coded("ENOTFOUND"), "it failed", `The host name is unknown. ${source} Check ${address}.`, "", named],
    ...each("CERT_NOT_YET_VALID CERT_REVOKED CRL_HAS_EXPIRED", invalid, replace, "permanent, refused"),
    ...each(unknown, unknownAuthority, caCertificate, "permanent, refused"),
    ...each(`ERR_SSL_${alerts}`, certificateWanted, setCertificate, "permanent, refused"),
    ...each("UND_ERR_CLOSED UND_ERR_DESTROYED", ...closed, "permanent, refused"),
    [
      parserError("Expected HTTP/", "\x15\x03\x01\x00\x02\x02\x46"),
      "http://vault.example:8200 speaks TLS, not plain HTTP",
      `Start ${address} with https://.`,
      "permanent, refused",
    ],
    [parserError("Expected HTTP/", "SSH-2.0-OpenSSH"), "Expected HTTP/", undefined, ""],
    [ended({ bytesRead: 0 }), "other side closed", isHttps, ""],
    [ended({ bytesRead: 1 }), "other side closed", undefined, ""],
    [ended(), "other side closed", undefined, ""],
    [ended({ bytesRead: 0 }), "other side closed", undefined, "", { origin: "https://vault.example" }],
    [Object.assign(coded("ECONNRESET"), { socket: { bytesRead: 0 } }), "it failed", undefined, ""],
    [severalHosts, "connect ECONNREFUSED ::1:8200, connect ECONNREFUSED 127.0.0.1:8200", undefined, ""],
    // The source lines of OpenSSL.
    [Object.assign(coded("EPROTO", ":SSL routines:a.c:1605:"), { reason: "alert" }), "alert", undefined, ""],
    [Object.assign(coded("EPROTO", "broken"), { reason: "another" }), "broken", undefined, ""],
    // Only its own code counts.
    [coded("EOTHER", codes), codes, undefined, ""],
  ];
  for (const [error, problem, advice, traits, destination] of rows) {
    it(`a connection error with ${String((error as NodeJS.ErrnoException).code)} is explained: ${problem}; ${advice ?? "no advice"}`, () => {
      const { code: _, ...explanation } = explainConnectionError(error, { ...vault, ...destination });
      const permanent = traits !== "";
      const refused = traits === "permanent, refused";
      assert.deepEqual(explanation, { problem, advice, permanent, refused });
    });
  }
});
