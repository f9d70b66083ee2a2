import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { connect as connectSocket, type Socket } from "node:net";
import { ConnectionError, ServiceError, TimeoutError } from "../../sdk/base/errors";
import { processRedactor } from "../../sdk/base/redactor";
import { type Environment, proxyFor, proxyVariablesIn, unclearBypass } from "../../sdk/http/proxy";
import type { TransportSettings } from "../../sdk/http/transport";
import { certificates } from "../support/certificates";
import { repository } from "../support/packed-library";
import { useEnvironment } from "../connection/environment";
import { connect, disconnect, failure, make } from "./calls";
import { json, type Responder, startRawServer, startServer, unusedPort } from "./server";

const { authority, otherHost, selfSigned, server } = certificates();
const tls = { cert: otherHost.certificate, key: otherHost.key };
const tlsOfProxy = { cert: server.certificate, key: server.key };
const trusted = { caCertificate: authority.certificate };
const secure = "https://service.example:8443";
const plain = "http://service.example:81";

function call(address: string, proxies: Environment, settings: Partial<TransportSettings> = {}) {
  return connect(address, { ...trusted, proxies, maxRetries: 3, ...settings }).send(make);
}

const addressOf = (environment: Environment, url = "http://example.com"): string | undefined =>
  proxyFor(environment, new URL(url))?.address;

describe("the proxy of a request", () => {
  const dead = { HTTP_PROXY: "http://127.0.0.1:1" };
  useEnvironment(() => dead);
  afterEach(disconnect);

  const proxies: readonly [Environment, url: string, expected: string | undefined][] = [
    [{}, plain, undefined],
    [{ HTTP_PROXY: "127.0.0.1:8080" }, plain, "http://127.0.0.1:8080"],
    [{ HTTP_PROXY: "cache.example.com" }, plain, "http://cache.example.com"],
    [{ HTTP_PROXY: "localhost" }, plain, "http://localhost"],
    [{ HTTP_PROXY: "https://cache.example.com" }, plain, "https://cache.example.com"],
    [{ HTTP_PROXY: "  http://cache:3128 " }, plain, "http://cache:3128"],
    [{ HTTP_PROXY: "cache", HTTPS_PROXY: "secure" }, secure, "http://secure"],
    [{ HTTP_PROXY: "cache" }, secure, undefined],
    [{ HTTPS_PROXY: "cache" }, plain, undefined],
    [{ http_proxy: "", HTTP_PROXY: "cache" }, plain, "http://cache"],
    [{ http_proxy: " ", HTTP_PROXY: "cache" }, plain, "http://cache"],
    [{ http_proxy: "lower", HTTP_PROXY: "upper" }, plain, "http://lower"],
    [{ HTTP_PROXY: "cache", no_proxy: "", NO_PROXY: "*" }, plain, undefined],
    [{ HTTPS_PROXY: "socks://cache:1080" }, secure, "socks5://cache:1080"],
    [{ HTTPS_PROXY: "socks5://cache:1080" }, secure, "socks5://cache:1080"],
    [{ HTTPS_PROXY: "SOCKS5H://cache:1080" }, secure, "socks5://cache:1080"],
    [{ HTTPS_PROXY: "http://me:pass@cache:3128" }, secure, "http://cache:3128"],
    [{ HTTPS_PROXY: "cache/http://a" }, secure, "http://cache"],
    [{ HTTPS_PROXY: "cache", NO_PROXY: "a.example:443" }, "https://a.example", undefined],
  ];
  for (const [environment, url, expected] of proxies) {
    it(`the proxy is ${expected ?? "none"} for ${url} with ${JSON.stringify(environment)}`, () =>
      assert.equal(addressOf(environment, url), expected));
  }

  const list =
    "foobar.com, .barbaz.net, *.Wildcard.io, 192.168.1.1, 192.168.1.2:81, 192.168.1.3:80, 10.0.0.0/30, 10.1.0.1/32, " +
    "2001:db8::52:0:1, [2001:db8::52:0:2]:443, [2001:db8::52:0:3]:80, [2001:DB8::52:0:4], 2002:db8:a::45/64, " +
    "示例.com, port.example:81";
  const bypassed =
    "localhost 127.0.0.1 127.0.0.2 127.1 [::1] [::ffff:127.0.0.1] 192.168.1.1 192.168.1.3 10.0.0.2 10.1.0.1 [::ffff:10.0.0.2] " +
    "[2001:db8::52:0:1] [2001:db8::52:0:3] [2001:db8::52:0:4] [2002:db8:a::123] www.barbaz.net foobar.com " +
    "WWW.Foobar.com nested.wildcard.io www.示例.com";
  const proxied =
    "[::2] 192.168.1.2 192.168.1.4 10.0.0.4 [2001:db8::52:0:2] [fe80::424b:c8be:1643:a1b6] barbaz.net foofoobar.com " +
    "localhost.net local.localhost wildcard.io awildcard.io port.example";
  for (const host of [...bypassed.split(" "), ...proxied.split(" ")]) {
    const isProxied = proxied.split(" ").includes(host);
    it(`the proxy is ${isProxied ? "used" : "bypassed"} for ${host}, as by the products' own tools`, () => {
      const addressWith = (NO_PROXY: string) =>
        addressOf({ HTTP_PROXY: "cache", NO_PROXY }, `http://${host}`);
      assert.equal(addressWith(list) !== undefined, isProxied);
      assert.equal(addressWith("a.example, *"), undefined);
    });
  }

  const unclear =
    "10.0.0.0/33|10.0.0.0/8x|a/10.0.0.0/8|10.0.*|10.1|*.*.com|http://a.example|a.example b.example|:1|[a]".split(
      "|",
    );
  it("the proxy causes a warning about entries of NO_PROXY that match nothing", () => {
    for (const entry of unclear) {
      const environment = { HTTP_PROXY: "cache", no_proxy: `a.example, ${entry}` };
      const warning = unclearBypass(environment, new URL(plain)) ?? "";
      const known = "host names, addresses and networks such as 10.0.0.0/8";
      const expected = `no_proxy has entries that match nothing: \`${entry}\`. Separate ${known} by commas.`;
      assert.equal(warning, expected);
      assert.equal(unclearBypass(environment, new URL(secure)), undefined);
    }
    assert.equal(unclearBypass({ HTTP_PROXY: "cache", NO_PROXY: list }, new URL(plain)), undefined);
  });

  it("only the proxy variables are taken from an environment", () => {
    const variables = { HTTP_PROXY: "a", https_proxy: "b", no_proxy: "c" };
    const others = { MY_HTTP_PROXY: "d", NO_PROXY_TOO: "e", TOKEN: "f" };
    const environment = { ...others, ...variables };
    const taken = proxyVariablesIn(environment);
    assert.equal(JSON.stringify(taken), JSON.stringify(variables));
    environment.HTTP_PROXY = "later";
    assert.equal(taken.HTTP_PROXY, "later");
  });

  const credentials: readonly [written: string, username: string, password: string][] = [
    ["me:50%off", "me", "50%off"],
    ["me:100%", "me", "100%"],
    ["me:a%2Fb%40%", "me", "a/b@%"],
    ["me:%E9t%C3%A9", "me", "%E9té"],
    ["me:p@ss", "me", "p@ss"],
    ["me%3A1:a b", "me:1", "a b"],
    ["me", "me", ""],
    [":pass", "", "pass"],
  ];
  for (const [written, username, password] of credentials) {
    it(`the proxy has the credentials of ${written}, as by curl`, () => {
      const proxy = proxyFor({ HTTPS_PROXY: `http://${written}@cache:3128` }, new URL(secure));
      assert.deepEqual([proxy?.address, proxy?.credentials], ["http://cache:3128", { username, password }]);
    });
  }

  const noUrl = "https_proxy is not a proxy URL such as http://proxy.example.com:3128.";
  const encode =
    " Percent-encode special characters in the user name and password: %2F for /, %23 for #, %3F for ?, %3A for :.";
  const invalid = "http:// socks5:// gopher://a.example httpsx://a.example socks4://a.example cache:x".split(
    " ",
  );
  const cut = ["a/canary", "a#canary", "1/canary", "1?canary"].map((pass) => `me:${pass}@cache:3128`);
  for (const given of [...invalid, "a b", ...cut]) {
    it(`the proxy ${given} is rejected with the name of its variable`, () => {
      const message = noUrl + (given.includes("@") ? encode : "");
      assert.throws(() => addressOf({ https_proxy: given }, secure), { name: "ConfigurationError", message });
    });
  }

  const respond: Responder = (response) => json(response, 200, { ok: true });
  const service = () => startServer(respond, tls);
  /** Connects every host to one port. */
  const startTunnel = async (port: number, own?: typeof tls) => {
    const heads: string[] = [];
    const speak = (socket: Socket, heard: string): void => {
      heads.push(heard);
      join(socket, port, "HTTP/1.1 200 Connection established\r\n\r\n");
    };
    return { ...(await startRawServer(speak, own)), heads };
  };
  const join = (socket: Socket, port: number, before: string | Uint8Array): void => {
    const upstream = connectSocket(port, "127.0.0.1", () => {
      socket.write(before);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("close", () => upstream.destroy());
  };
  const withPassword = (address: string): string => address.replace("//", "//me:proxy%-canary@");
  const basic = Buffer.from("me:proxy%-canary").toString("base64");

  it("a proxy tunnels TLS to the service, by default at port 443, and cannot read the token", async () => {
    const { port, received } = await service();
    const { address, heads } = await startTunnel(port);
    const token = () => ({ value: "for-the-service", source: "a test" });
    const response = await call(secure, { HTTPS_PROXY: withPassword(address) }, { token });
    assert.deepEqual(response.body, { ok: true });
    await call("https://service.example", { HTTPS_PROXY: address });
    const [head = "", usual = "", ...more] = heads;
    assert.deepEqual(more, []);
    assert.match(head, /^CONNECT service\.example:8443 /);
    assert.ok(head.includes(`Basic ${basic}\r\n`), head);
    assert.doesNotMatch(head, /for-the-service/);
    assert.match(usual, /^CONNECT service\.example:443 HTTP\/1\.1\r\n(?!.*proxy-authorization)/is);
    assert.equal(received[0]?.headers.authorization, "Bearer for-the-service");
  });

  it("a proxy can itself use TLS, with its own certificate", async () => {
    const { address } = await startTunnel((await service()).port, tlsOfProxy);
    assert.deepEqual((await call(secure, { HTTPS_PROXY: address })).body, { ok: true });
  });

  for (const protocol of ["http:", "https:"]) {
    it(`a proxy receives the whole URL of plain HTTP requests, over ${protocol}`, async () => {
      const proxy = await startServer(respond, protocol === "http:" ? undefined : tlsOfProxy);
      const response = await call(plain, { HTTP_PROXY: proxy.address.replace("//", "//only-me@") });
      assert.deepEqual(response.body, { ok: true });
      const { url, headers } = proxy.received[0] ?? assert.fail();
      const sent = `Basic ${Buffer.from("only-me:").toString("base64")}`;
      const expected = ["http://service.example:81/things/1", "service.example:81", sent];
      assert.deepEqual([url, headers.host, headers["proxy-authorization"]], expected);
    });
  }

  it("a proxy can be a SOCKS 5 proxy, for both schemes", async () => {
    const ports = { [secure]: (await service()).port, [plain]: (await startServer(respond)).port };
    for (const [address, port] of Object.entries(ports)) {
      const proxy = await startRawServer((socket, hello) => {
        assert.equal(hello.charCodeAt(0), 5);
        socket.write(Buffer.from([5, 0]));
        socket.once("data", () => join(socket, port, Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])));
      });
      const socks = proxy.address.replace("http:", "socks5h:");
      assert.deepEqual((await call(address, { HTTP_PROXY: socks, HTTPS_PROXY: socks })).body, { ok: true });
    }
  });

  it("a SOCKS 5 proxy does not cause a warning", () => {
    // undici warns once in a process.
    const program =
      'const { HttpTransport } = require("./sdk/http/http-transport"); new HttpTransport({ service: "secrets", ' +
      'address: "https://a.example", dialect: "documented", proxies: { HTTPS_PROXY: "socks5://127.0.0.1:1" } }); process.emitWarning("mine");';
    const options = ["-r", "ts-node/register", "-e", program];
    const { status, stderr } = spawnSync(process.execPath, options, { cwd: repository, encoding: "utf8" });
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stderr, /experimental/i);
    assert.match(stderr, /Warning: mine/);
  });

  it("a proxy is not read from the environment of the process, and is bypassed for this machine", async () => {
    const { address } = await startServer(respond);
    for (const environment of [{}, dead]) {
      assert.deepEqual((await call(address, environment)).body, { ok: true });
    }
  });

  const goesThrough =
    /The request goes through the proxy \S+, which HTTPS?_PROXY names; to bypass it, add the host to NO_PROXY\./;

  const onlyOthers =
    /The proxy offers only Negotiate and NTLM, and this library only sends .*\(Basic\).*NO_PROXY/;
  const rejects = /The proxy rejects the user name and password/;
  for (const [offered, message] of [
    [["Negotiate", "NTLM"], onlyOthers],
    [["Negotiate, NTLM TlRMTVNTUAAC"], onlyOthers],
    [['Digest realm="a, Basic b", nonce="c"'], /The proxy offers only Digest, and this library/],
    [["NTLM", 'Basic realm="x"'], rejects],
    [[], rejects],
  ] as const) {
    it(`a proxy that offers ${offered.join(" and ") || "nothing"} is tried once, for a tunnel and for plain HTTP, and the error says what to do`, async () => {
      const lines = offered.map((each) => `Proxy-Authenticate: ${each}\r\n`).join("");
      const proxy = await startRawServer((socket) =>
        socket.end(`HTTP/1.1 407 Wanted\r\n${lines}Content-Length: 0\r\n\r\n`),
      );
      const variable = withPassword(proxy.address);
      for (const address of [secure, plain]) {
        const error = await failure(call(address, { HTTPS_PROXY: variable, HTTP_PROXY: variable }));
        assert.match(error.message, message);
      }
      assert.equal(proxy.sockets.length, 2);
    });
  }

  for (const [status, attempts, message] of [
    [407, 1, /the proxy http:\S+ requires authentication.*rejects the user name and password.*HTTPS_PROXY/],
    [403, 1, /refused to connect to https:\/\/service\.example:8443.*403.*Check what the proxy allows\./],
    [502, 4, /to the proxy .* failed: it returned 502.*The proxy could not connect to https:\/\/service/],
    [429, 4, /returned 429/],
  ] as const) {
    it(`a proxy that rejects a tunnel with ${status} is named in the error, after ${attempts} attempts`, async () => {
      const answer = `HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`;
      const proxy = await startRawServer((socket) => socket.end(answer));
      const environment = { HTTPS_PROXY: withPassword(proxy.address) };
      const error = await failure(call(secure, environment), ConnectionError);
      assert.match(error.message, message);
      assert.match(error.message, goesThrough);
      assert.doesNotMatch(error.message, /canary/);
      const found = [error.mayHaveBeenProcessed, error.code, proxy.sockets.length];
      assert.deepEqual(found, [false, `HTTP_${status}`, attempts]);
    });
  }

  it("a proxy that requires authentication for plain HTTP is tried once, with the same advice", async () => {
    const proxy = await startServer((response) => json(response, 407, {}));
    const error = await failure(call(plain, { HTTP_PROXY: proxy.address }), ServiceError);
    assert.match(error.message, /add user:password@ before the host in HTTP_PROXY, with special characters/);
    assert.match(error.message, goesThrough);
    assert.equal(proxy.received.length, 1);
  });

  it("a proxy that cannot be reached is named in the error with its variable, and the service is not blamed", async () => {
    const dead = `127.0.0.1:${await unusedPort()}`;
    const refused = /ECONNREFUSED.*Check that the proxy is running, and check HTTPS?_PROXY/;
    for (const [address, proxy, message] of [
      [secure, `http://me:canary-pass@${dead}`, refused],
      [plain, `http://me:canary-pass@${dead}`, refused],
      [secure, `socks5://${dead}`, refused],
      [secure, "http://proxy.invalid:3128", /The host name is unknown\. Check HTTPS_PROXY/],
    ] as const) {
      const variable = address === secure ? "HTTPS_PROXY" : "HTTP_PROXY";
      const settings = { addressSource: "the environment variable SECRETS_ADDR" };
      const error = await failure(call(address, { [variable]: proxy }, settings), ConnectionError);
      assert.match(error.message, message);
      const blamed = new RegExp(`the connection to the proxy \\S+ failed.* check ${variable}`, "i");
      assert.match(error.message, blamed);
      assert.match(error.message, goesThrough);
      assert.doesNotMatch(error.message, /canary-pass|address \S+ comes from|SECRETS_ADDR/);
    }
  });

  it("a proxy that does not respond is named in the error, for both schemes", async () => {
    const { address: proxy } = await startRawServer(() => undefined);
    const settings = { requestTimeoutMilliseconds: 100, maxRetries: 0 };
    for (const [address, phase] of [
      [secure, "connect"],
      [plain, "headers"],
    ] as const) {
      const error = await failure(call(address, { HTTP_PROXY: proxy, HTTPS_PROXY: proxy }, settings));
      assert.match(error.message, goesThrough);
      assert.ok(!TimeoutError.isInstance(error) || error.phase === phase, error.message);
      assert.match(error.message, /The service, or the proxy, might be overloaded\. To wait longer, raise/);
    }
  });

  it("if a proxy silently ends the connection, the error suggests https:// unless the address already has it", async () => {
    const advice = "If the proxy speaks HTTPS, start HTTP_PROXY with https://.";
    for (const own of [undefined, tlsOfProxy]) {
      const { address } = await startRawServer((socket) => socket.end(), own);
      const { message } = await failure(call(plain, { HTTP_PROXY: address }, { maxRetries: 0 }));
      assert.equal(message.includes(advice), own === undefined, message);
    }
  });

  it("the error for an unknown certificate names the proxy, or the service behind a proxy that might have replaced the certificate", async () => {
    const unknown = { cert: selfSigned.certificate, key: selfSigned.key };
    const encrypted = await startServer((response) => json(response, 200, {}), unknown);
    const { address: tunnel } = await startTunnel(encrypted.port);
    const ofProxy = "the proxy https://127\\.0\\.0\\.1:\\d+";
    for (const [proxy, subject, advice] of [
      [encrypted.address, ofProxy, "Set caCertificate .*NODE_EXTRA_CA_CERTS.*put all into one file"],
      [tunnel, "https://service\\.example:8443", "A proxy that decrypts TLS uses its own CA\\."],
    ] as const) {
      const { message } = await failure(call(secure, { HTTPS_PROXY: proxy }));
      const problem = `the certificate of ${subject} is signed by an unknown authority`;
      assert.match(message, new RegExp(`${problem}.*${advice}`));
      assert.match(message, goesThrough);
    }
  });

  it("the password of a proxy is redacted in every form", () => {
    proxyFor({ HTTPS_PROXY: "http://me:canary%40of%zz@cache" }, new URL(secure));
    const encoded = Buffer.from("me:canary@of%zz").toString("base64");
    for (const text of ["canary%40of%zz", "canary@of%zz", encoded]) {
      assert.equal(processRedactor.redact(text), "[secret]");
    }
  });
});
