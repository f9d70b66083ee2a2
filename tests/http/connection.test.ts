import assert from "node:assert/strict";
import { Connection } from "../../sdk/http/connection";
import { type ConnectionSettings, headerText } from "../../sdk/http/connection-settings";
import { ConfigurationError } from "../../sdk/base/errors";
import { processRedactor } from "../../sdk/base/redactor";
import { certificates } from "../support/certificates";

function refuses(settings: Partial<ConnectionSettings>, ...patterns: readonly RegExp[]): void {
  assert.throws(
    () => new Connection({ service: "provisioning", address: "https://127.0.0.1", ...settings }),
    (error: unknown) => {
      assert.ok(ConfigurationError.isInstance(error));
      patterns.forEach((pattern) => assert.match(error.message, pattern));
      return true;
    },
  );
}

describe("connection", () => {
  it("joins the address's path, the base path and the endpoint's", () => {
    const full = (address: string, basePath?: string): string =>
      new Connection({
        service: "secrets",
        address,
        ...(basePath === undefined ? {} : { basePath }),
      }).fullPath("/a");
    assert.equal(full("https://service.example"), "/a");
    assert.equal(full("https://service.example/", "/api/v2"), "/api/v2/a");
    assert.equal(full("https://service.example/prefix/", "v1/"), "/prefix/v1/a");
    assert.equal(full("https://service.example//prefix//", "//v1//"), "/prefix/v1/a");
  });

  for (const [value, problem] of [
    ["", "is empty"],
    ["a\nb", "contains a line break or another character that is not allowed in a header"],
  ] as const) {
    it(`refuses a token that ${problem}`, async () => {
      const token = { value, source: "the file token.txt" };
      const connection = new Connection({
        service: "secrets",
        address: "https://127.0.0.1",
        token: () => token,
      });
      await assert.rejects(connection.headers(), (error: unknown) => {
        assert.ok(ConfigurationError.isInstance(error));
        assert.equal(error.message, `The token of the secrets service, from the file token.txt, ${problem}.`);
        return true;
      });
    });
  }

  it("refuses certificates that are none, or not a pair", () => {
    const { client, server } = certificates();
    const pair = { clientCertificate: client.certificate, clientKey: client.key };
    refuses({ caCertificate: "nonsense" }, /CA certificate/, /PROVISIONING_CACERT/);
    refuses({ clientCertificate: client.certificate }, /without a client key/, /PROVISIONING_CLIENT_KEY/);
    refuses({ clientKey: client.key }, /without a client certificate/, /PROVISIONING_CLIENT_CERT/);
    refuses({ ...pair, clientCertificate: "nonsense" }, /client certificate is not a PEM certificate/);
    refuses({ ...pair, clientKey: "nonsense" }, /client key/);
    refuses({ ...pair, clientKey: server.key }, /client key/);
  });

  it("refuses a proxy that is no address", () => {
    refuses({ proxies: { httpsProxy: "http://" } }, /HTTPS_PROXY/);
    refuses({ proxies: { httpsProxy: "gopher://proxy.example" } }, /HTTPS_PROXY/);
    refuses({ proxies: { httpsProxy: "httpsx://proxy.example" } }, /HTTPS_PROXY/);
    refuses({ address: "http://127.0.0.1", proxies: { httpProxy: "gopher://proxy.example" } }, /HTTP_PROXY/);
    new Connection({
      service: "secrets",
      address: "https://127.0.0.1",
      proxies: { httpsProxy: "socks://proxy.example" },
    });
  });

  it("makes every secret among them known to the redactor", () => {
    const { client } = certificates();
    new Connection({
      service: "secrets",
      address: "https://127.0.0.1",
      headers: { "x-key": "header-secret" },
      clientCertificate: client.certificate,
      clientKey: client.key,
      proxies: { httpsProxy: "http://me:proxy-secret@proxy.example" },
    });
    const [, line = ""] = client.key.split("\n");
    const shown = processRedactor.redact(`header-secret, proxy-secret, ${line}`);
    assert.equal(shown, "[secret], [secret], [secret]");
    const credentials = Buffer.from("me:proxy-secret").toString("base64");
    assert.equal(processRedactor.redact(`Basic ${credentials}`), "Basic [secret]");
  });
});

describe("the text of a header", () => {
  for (const text of ["", "token", "two words\tand more", "caf\u00e9"]) {
    it(`may be ${JSON.stringify(text)}`, () => assert.match(text, headerText));
  }
  for (const text of ["a\nb", "a\r\nX-Injected: 1", "a\n", "a\0", "\u007f", "\u6f22", "\ud800"]) {
    it(`may not be ${JSON.stringify(text)}`, () => assert.doesNotMatch(text, headerText));
  }
});
