import assert from "node:assert/strict";
import { Connection } from "../../sdk/http/connection";
import type { ConnectionSettings } from "../../sdk/http/connection-settings";
import { type ConnectionProblem, explainConnectionError } from "../../sdk/http/connection-problem";

/** What is said of an error with a code, as sockets, TLS and undici raise them. */
function explain(error: Error, settings: Partial<ConnectionSettings> = {}): ConnectionProblem {
  const address = "http://vault.example:8200";
  return explainConnectionError(error, new Connection({ service: "secrets", address, ...settings }));
}

const coded = (code: string, message = "it failed"): Error => Object.assign(new Error(message), { code });

describe("explainConnectionError", () => {
  for (const code of ["ENOTFOUND", "EAI_AGAIN"]) {
    it(`says of ${code} that the host is unknown, and where its name comes from`, () => {
      const unnamed = explain(coded(code));
      assert.equal(
        unnamed.advice,
        "The host name is unknown. Check address (trivium:secretsAddress, SECRETS_ADDR).",
      );
      const { advice: hint } = explain(coded(code), {
        addressSource: "the environment variable SECRETS_ADDR",
      });
      assert.match(
        hint ?? "",
        /^The host name is unknown\. The address http:\/\/vault\.example:8200 comes from the environment variable SECRETS_ADDR\. Check /,
      );
    });
  }

  for (const code of ["CERT_NOT_YET_VALID", "CERT_REVOKED", "CRL_HAS_EXPIRED"]) {
    it(`does not say of ${code} that the certificate has expired`, () => {
      const { problem, advice: hint, permanent, refused } = explain(coded(code));
      assert.match(problem, /is not valid \(it failed\)$/);
      assert.match(hint ?? "", /^The certificate must be replaced/);
      assert.deepEqual([permanent, refused], [true, true]);
    });
  }

  it("says that an expired certificate must be renewed", () => {
    assert.match(explain(coded("CERT_HAS_EXPIRED")).advice ?? "", /must be renewed/);
  });

  it("knows each way to say that nobody vouches for a certificate", () => {
    for (const code of [
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      "UNABLE_TO_GET_ISSUER_CERT",
      "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "SELF_SIGNED_CERT_IN_CHAIN",
      "CERT_UNTRUSTED",
      "INVALID_CA",
    ]) {
      const { problem, permanent, refused } = explain(coded(code));
      assert.match(problem, /signed by an unknown authority/, code);
      assert.deepEqual([permanent, refused], [true, true], code);
    }
  });

  for (const code of ["UND_ERR_CLOSED", "UND_ERR_DESTROYED"]) {
    it(`says of ${code} that this process has closed the connection`, () => {
      const { problem, advice: hint, refused } = explain(coded(code));
      assert.deepEqual(
        [problem, hint, refused],
        ["this process has closed the connection", "Create a new connection.", true],
      );
    });
  }

  describe("bytes that are not HTTP", () => {
    const parserError = (message: string, data = ""): Error =>
      Object.assign(new Error(message), { name: "HTTPParserError", data });

    it("may follow a request that was processed", () => {
      const { problem, advice: hint, permanent, refused } = explain(parserError("Invalid HTTP version"));
      assert.match(problem, /HTTP version that does not exist/);
      assert.match(hint ?? "", /Upgrade the scheduler/);
      assert.deepEqual([permanent, refused], [true, false]);
    });

    it("are an alert of TLS only when they begin as one", () => {
      const { problem, refused } = explain(parserError("Expected HTTP/", "\x15\x03\x01\x00\x02\x02\x46"));
      assert.deepEqual([problem, refused], ["http://vault.example:8200 speaks TLS, not plain HTTP", true]);
      const other = explain(parserError("Expected HTTP/", "SSH-2.0-OpenSSH"));
      assert.deepEqual(
        [other.problem, other.permanent, other.refused, other.advice],
        ["Expected HTTP/", false, false, undefined],
      );
    });
  });

  it("supposes HTTPS only where plain HTTP got not a byte", () => {
    const ended = (bytesRead: number): Error =>
      Object.assign(coded("UND_ERR_SOCKET", "other side closed"), { socket: { bytesRead } });
    assert.match(explain(ended(0)).advice ?? "", /If the service speaks HTTPS/);
    assert.equal(explain(ended(1)).advice, undefined);
    assert.equal(explain(coded("UND_ERR_SOCKET", "other side closed")).advice, undefined);
    assert.equal(explain(ended(0), { address: "https://vault.example:8200" }).advice, undefined);
  });

  it("lists what each address of a host said, once, on one line", () => {
    const error = new AggregateError([
      coded("ECONNREFUSED", "connect ECONNREFUSED\n  ::1:8200"),
      coded("ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:8200 "),
      coded("ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:8200 "),
    ]);
    const { problem } = explain(Object.assign(error, { code: "ECONNREFUSED" }));
    assert.equal(problem, "connect ECONNREFUSED ::1:8200, connect ECONNREFUSED 127.0.0.1:8200");
  });

  it("leaves the lines of OpenSSL's source out", () => {
    const message =
      "C0A8:error:0A000412:SSL routines:ssl3_read_bytes:bad certificate:../deps/openssl/s3.c:1605:";
    const error = Object.assign(coded("EPROTO", message), { reason: "sslv3 alert bad certificate" });
    assert.equal(explain(error).problem, "sslv3 alert bad certificate");
    const unlike = Object.assign(coded("EPROTO", "broken"), { reason: "another" });
    assert.equal(explain(unlike).problem, "broken");
  });
});
