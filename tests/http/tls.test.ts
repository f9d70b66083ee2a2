import assert from "node:assert/strict";
import type { ServerOptions } from "node:https";
import type { SecureVersion } from "node:tls";
import type { TransportSettings } from "../../sdk/http/transport";
import { ConnectionError, ServiceError } from "../../sdk/base/errors";
import { certificates, type KeyPair } from "../support/certificates";
import { connect, disconnect, failure, make } from "./calls";
import { json, startRawServer, startServer, type TestServer } from "./server";

const { authority, client, expired, notYetValid, otherAuthority, otherHost, selfSigned, server, ...more } =
  certificates();
const { intermediate, leaf } = more;
/** As systems have it: names, comments, lines that end in CR LF. */
const bundle = [
  "# Authorities of the company",
  otherAuthority.certificate,
  "Issuer: CN=authority",
  authority.certificate.replaceAll("\n", "\r\n"),
].join("\r\n");
const trusted = { caCertificate: authority.certificate };
const token = { value: "canary-token-of-tls", source: "a test" };

/** All three names of a setting. */
const settingNames = {
  caCertificate: /caCertificate \(trivium:secretsCaCertificate, SECRETS_CACERT\)/,
  serverName: /serverName \(trivium:secretsServerName, SECRETS_TLS_SERVER_NAME\)/,
  clientCertificate: /clientCertificate \(trivium:secretsClientCertificate, SECRETS_CLIENT_CERT\)/,
  clientKey: /clientKey \(trivium:secretsClientKey, SECRETS_CLIENT_KEY\)/,
};

function serve(pair: KeyPair | undefined, options: ServerOptions = {}): Promise<TestServer> {
  const tls = pair && { cert: pair.certificate, key: pair.key, ...options };
  return startServer((response) => json(response, 200, { ok: true }), tls);
}

function call(address: string, settings: Partial<TransportSettings> = {}) {
  return connect(address, { token: () => token, ...settings }).send(make);
}

const clientsWanted: ServerOptions = { ca: authority.certificate, requestCert: true };
/** What a server needs to speak a version that nobody should. */
const ancient: ServerOptions = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" };

const own = (pair: KeyPair) => ({ ...trusted, clientCertificate: pair.certificate, clientKey: pair.key });
const only = (version: SecureVersion) => ({ ...clientsWanted, minVersion: version, maxVersion: version });

const wanted = /requires a client certificate, and none was sent or it was rejected/;
const clientRefused = [wanted, settingNames.clientCertificate, settingNames.clientKey];

describe("transport security", () => {
  afterEach(disconnect);

  const named = { ...trusted, serverName: "service.example" };
  const mutual = own(client);
  const unverified = { insecureSkipVerify: true };
  for (const [what, pair, settings, options] of [
    ["a certificate of the configured authority", server, trusted, {}],
    ["one for another host if its name is configured", otherHost, named, {}],
    ["a self-signed one that is configured", selfSigned, { caCertificate: selfSigned.certificate }, {}],
    [
      "one of an intermediate authority that alone is configured",
      leaf,
      { caCertificate: intermediate.certificate },
    ],
    ["one that is itself configured", server, { caCertificate: server.certificate }],
    [
      "one of the last authority in a file with text and other authorities",
      server,
      { caCertificate: bundle },
    ],
    ["a client certificate that the service requires, with TLS 1.2", server, mutual, only("TLSv1.2")],
    ["a client certificate that the service requires, with TLS 1.3", server, mutual, only("TLSv1.3")],
    ["an expired one if nothing is verified", expired, unverified, {}],
    ["one for another host if nothing is verified", otherHost, unverified, {}],
  ] as const) {
    it(`the transport accepts ${what}, and sends the token`, async () => {
      const { address, received } = await serve(pair, options);
      assert.equal((await call(address, settings)).status, 200);
      assert.equal(received[0]?.headers.authorization, `Bearer ${token.value}`);
    });
  }

  const unknown = [/is signed by an unknown authority/, settingNames.caCertificate];
  const inPlace = /replaces the system's authorities and NODE_EXTRA_CA_CERTS: .* into one file/;
  const selfSigning = [/unknown authority \(.*self-signed/, settingNames.caCertificate];
  const otherName = [/for another host \(it names DNS:service\.example\)/, settingNames.serverName];
  const early = [/is not valid \(certificate is not yet valid\)/, /the clock of this machine is wrong/];
  const old = [/supports no secure TLS version/, /TLS 1\.2 or 1\.3/];
  const otherAuthorities = { caCertificate: otherAuthority.certificate };

  for (const [what, pair, settings, options, says] of [
    ["an unknown authority", server, {}, {}, unknown],
    ["an authority other than the configured one", server, otherAuthorities, {}, [...unknown, inPlace]],
    ["a self-signed certificate", selfSigned, {}, {}, selfSigning],
    ["a self-signed certificate instead of another one", selfSigned, trusted, {}, selfSigning],
    ["a certificate for another host", otherHost, trusted, {}, otherName],
    ["a certificate for a name other than the configured one", server, named, {}, [/for another host/]],
    ["an expired certificate", expired, trusted, {}, [/is not valid/, /has expired and must be renewed/]],
    ["a certificate that is not valid yet", notYetValid, trusted, {}, early],
    ["a missing client certificate, with TLS 1.2", server, trusted, only("TLSv1.2"), clientRefused],
    ["a missing client certificate, with TLS 1.3", server, trusted, only("TLSv1.3"), clientRefused],
    ["a service that supports nothing newer than TLS 1.1", server, trusted, ancient, old],
  ] as const) {
    it(`the transport rejects ${what} at once, says what to do, and does not send the token`, async () => {
      const { address, received } = await serve(pair, options);
      isRefusal(await failure(call(address, settings), ConnectionError), says);
      assert.deepEqual(received, []);
    });
  }

  it("the advice mentions the client certificate if a handshake ends without a reason", async () => {
    const { address, received } = await serve(server, { ...clientsWanted, maxVersion: "TLSv1.2" });
    const settings = { ...own(otherAuthority), maxRetries: 0 };
    const { message, mayHaveBeenProcessed } = await failure(call(address, settings), ConnectionError);
    assert.match(
      message,
      /might require a different client certificate: check clientCertificate .* and clientKey/,
    );
    assert.deepEqual([mayHaveBeenProcessed, received], [false, []]);
  });

  it("the error for plain HTTP at an https address, and for TLS at an http address, advises correcting the address", async () => {
    const plain = await serve(undefined);
    const secure = await serve(server);
    const noTls = await failure(call(plain.address.replace("http:", "https:"), trusted), ConnectionError);
    isRefusal(noTls, [
      /does not speak TLS/,
      /start address \(trivium:secretsAddress, SECRETS_ADDR\) with http:/,
    ]);
    const { message } = await failure(call(secure.address.replace("https:", "http:"), trusted));
    assert.match(message, /start address \(trivium:secretsAddress, SECRETS_ADDR\) with https:/i);
    assert.deepEqual([plain.received, secure.received], [[], []]);
  });

  it("the transport does not follow a redirect to plain HTTP, and does not advise it", async () => {
    const plain = await serve(undefined);
    for (const status of [301, 302, 303, 307, 308]) {
      const secure = await startServer(
        (response) => response.writeHead(status, { location: `${plain.address}/things/1` }).end(),
        { cert: server.certificate, key: server.key },
      );
      const { message } = await failure(call(secure.address, trusted), ServiceError);
      assert.match(message, /redirects to .*, which is not encrypted/);
      assert.doesNotMatch(message, /set address/);
      assert.deepEqual([secure.received.length, plain.received.length], [1, 0]);
    }
  });

  it("the transport gives up on a handshake that is broken off, and reports that", async () => {
    // The first bytes are those of the handshake.
    const { address } = await startRawServer((socket) => socket.destroy());
    const settings = { ...trusted, maxRetries: 0 };
    const error = await failure(call(address.replace("http:", "https:"), settings), ConnectionError);
    assert.equal(error.mayHaveBeenProcessed, false);
    assert.doesNotMatch(error.message, /canary/);
  });
});

function isRefusal({ message, permanent }: ConnectionError, says: readonly RegExp[]): void {
  says.forEach((expected) => assert.match(message, expected));
  assert.equal(permanent, true, "trying again cannot fix it");
  assert.doesNotMatch(message, /attempts|canary|PRIVATE/);
}
