import assert from "node:assert/strict";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../../sdk/testing";
import { useEnvironment } from "../../connection/environment";
import { json, type Responder, startServer, stopServers, type TestServer } from "../../http/server";
import { certificates } from "../../support/certificates";
import { brief, doctor, examined, found } from "./doctor";

const services = ["provisioning", "secrets", "scheduler"] as const;

describe("doctor: connections", function () {
  this.timeout(60_000);

  useEnvironment(() => ({}));
  const surround = (more: Readonly<Record<string, string>>): void => void Object.assign(process.env, more);

  const emulators: Emulator[] = [];
  afterEach(async () => {
    stopServers();
    await Promise.all(emulators.splice(0).map((emulator) => emulator.close()));
  });

  const start = async (options: EmulatorOptions = {}): Promise<Emulator> => {
    const emulator = await startEmulator(options);
    emulators.push(emulator);
    surround(emulator.environment);
    return emulator;
  };
  /** A server at the addresses of all services. */
  const serve = async (respond: Responder): Promise<TestServer> => {
    const server = await startServer(respond);
    for (const name of services.map((service) => service.toUpperCase())) {
      surround({ [`${name}_ADDR`]: server.address, [`${name}_TOKEN`]: "canary-of-a-token" });
    }
    return server;
  };
  const assertTokenKept = ({ received }: TestServer): void => {
    assert.ok(received.length > 0);
    assert.ok(!JSON.stringify(received).includes("canary-of-a-token"));
  };
  const plain = (status: number, text: string, type = "text/plain"): Responder => {
    return (response) => response.writeHead(status, { "content-type": type }).end(text);
  };

  const serveTls = (pair: "server" | "otherHost" | "expired", client: object = {}): Promise<Emulator> => {
    surround({ SECRETS_CACERT: certificates().authority.certificate });
    return start({ tls: { ...certificates()[pair], ...client } });
  };

  it("doctor reports that a certificate is valid, and which settings it used", async () => {
    await serveTls("server");
    const report = await examined("secrets");
    assert.deepEqual([report.status, found(report, "tls").message], [0, "the certificate is valid"]);
    const source = "the environment variable SECRETS_CACERT";
    const actual = report.settings.find(({ name }) => name === "caCertificate");
    assert.deepEqual(actual, { name: "caCertificate", source, secret: false });
  });

  const unknown = "unknown authority.*trivium:secretsCaCertificate, SECRETS_CACERT";
  const otherHost = "for another host \\(it names DNS:service\\.example\\).*SECRETS_TLS_SERVER_NAME";
  for (const [pair, problem] of [
    ["server", `(UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED\\w*) .*${unknown}`],
    ["otherHost", `ERR_TLS_CERT_ALTNAME_INVALID .*${otherHost}`],
    ["expired", "CERT_HAS_EXPIRED .*is not valid.*renew"],
  ] as const) {
    it(`doctor explains the problem of a certificate and what to do: ${problem}`, async () => {
      await serveTls(pair);
      surround(pair === "server" ? { SECRETS_CACERT: "" } : {});
      const report = await examined("secrets");
      assert.deepEqual([report.status, report.findings.length], [1, 1]);
      const { code, message, advice } = found(report, "tls");
      assert.match([code, message, advice].join(" "), new RegExp(`^${problem}`));
    });
  }

  it("doctor reports that a client certificate is required, and uses one", async () => {
    const { authority, client } = certificates();
    await serveTls("server", { clientCertificateAuthority: authority.certificate });
    const { message, advice = "" } = found(await examined("secrets"), "tls");
    assert.match(message, /requires a client certificate/);
    assert.match(advice, /SECRETS_CLIENT_CERT.*SECRETS_CLIENT_KEY/);
    surround({ SECRETS_CLIENT_CERT: client.certificate, SECRETS_CLIENT_KEY: client.key });
    const { status, out } = await doctor("secrets");
    assert.equal(status, 0);
    assert.ok(!out.includes("PRIVATE KEY") && !out.includes(client.key.split("\n")[1] ?? ""));
  });

  it("doctor warns of a connection that is not verified", async () => {
    await serveTls("otherHost");
    surround({ SECRETS_SKIP_VERIFY: "true" });
    const report = await examined("secrets");
    assert.deepEqual([report.status, found(report, "tls").code], [0, "NOT_VERIFIED"]);
  });

  it("doctor reports a wrong scheme, http or https", async () => {
    const encrypted = await serveTls("server");
    surround({ SECRETS_ADDR: encrypted.secrets.address.replace("https:", "http:") });
    assert.match((await examined("secrets")).findings[0]?.advice ?? "", /start .* with https:\/\//i);
    const { secrets } = await start();
    surround({ SECRETS_ADDR: secrets.address.replace("http:", "https:") });
    assert.match(found(await examined("secrets"), "tls").advice ?? "", /start .* with http:\/\//i);
  });

  it("doctor reports which proxy is used, which setting has no effect, and that a proxy fails", async () => {
    await start({ dialect: "hashicorp" });
    surround({ VAULT_CAPATH: "/etc/ssl", SECRETS_ADDR: "http://vault.example:8200", NO_PROXY: "10.*" });
    surround({ HTTP_PROXY: "http://me:canary-pass@127.0.0.1:1" });
    const report = await examined("secrets");
    const source = "the environment variable HTTP_PROXY";
    const value = "http://127.0.0.1:1";
    assert.deepEqual(report.settings.at(-1), { name: "proxy", source, secret: false, value });
    const warnings = report.findings.filter(({ code }) => code === "NO_EFFECT").map(({ message }) => message);
    assert.match(warnings.join(" "), /^VAULT_CAPATH .*NO_PROXY has entries that match nothing/);
    const { message, advice = "" } = found(report, "address");
    assert.match(message, /the connection to the proxy http:\/\/127\.0\.0\.1:1 failed/);
    assert.match(advice, /check HTTP_PROXY.*to bypass it, add the host to NO_PROXY/);
    const { out } = await doctor("secrets");
    assert.match(out, /^ {11}proxy +http:\/\/127\.0\.0\.1:1, from the environment variable HTTP_PROXY$/m);
    assert.doesNotMatch(out, /canary-pass/);
  });

  for (const service of services) {
    const name = service.toUpperCase();

    it(`doctor reports that nothing listens at the address of the ${service} service, or does not respond in time`, async () => {
      const { faults } = await start();
      const refusal = faults.add({ service, refuse: true });
      const refused = await examined(service);
      assert.deepEqual(brief(refused), [1, "problem address ECONNREFUSED"]);
      const check = `comes from the environment variable ${name}_ADDR\\. Check that the service is running`;
      assert.match(found(refused, "address").advice ?? "", new RegExp(check));
      refusal.remove();
      faults.add({ service, delay: "forever", times: 100 });
      surround({ [`${name}_REQUEST_TIMEOUT`]: "50ms" });
      const late = await examined(service);
      assert.deepEqual(brief(late), [1, "problem address TIMEOUT"]);
      const { message, advice = "" } = found(late, "address");
      assert.match(message, /no response.* 0\.05 s/i);
      assert.match(advice, new RegExp(`${name}_REQUEST_TIMEOUT`));
    });

    for (const status of [200, 403, 502]) {
      it(`doctor distinguishes a proxy's page (${status}) from the ${service} service`, async () => {
        await serve(plain(status, "<!doctype html><title>Sign in</title><p>Please sign in", "text/html"));
        const report = await examined(service);
        const { state, advice } = found(report, "address");
        assert.deepEqual([report.status, state], [1, "problem"]);
        assert.match(advice ?? "", /proxy/i);
      });
    }

    it(`doctor reports that the ${service} service redirects, and does not follow the redirect`, async () => {
      const headers = { location: "https://login.example/" };
      const server = await serve((response) => response.writeHead(302, headers).end());
      const report = await examined(service);
      assert.deepEqual(brief(report), [1, "problem address HTTP_302"]);
      assert.match(found(report, "address").advice ?? "", /redirects to https:\/\/login\.example/);
      assert.equal(server.received.length, 1);
      assertTokenKept(server);
    });
  }

  const others: readonly (readonly [number, body: string, code: string, message: RegExp, advice: RegExp])[] =
    [
      [
        200,
        '{"hello":"world"}',
        "NOT_THE_SERVICE",
        /does not identify itself .* service: it returned 200/,
        / gateway in front of the service\.$/,
      ],
      [503, '"down"', "HTTP_503", /returned 503: down/, /^Check address/],
      [
        404,
        '"no such page"',
        "NOT_RECOGNIZED",
        /returned 404: no such page/,
        /^Check address \(trivium:[^.]*\. .* gateway/,
      ],
    ];
  for (const service of ["provisioning", "secrets"] as const) {
    for (const [status, body, code, message, advice] of others) {
      it(`doctor reports ${code} for the server at the address of the ${service} service, and does not send the token`, async () => {
        const server = await serve(plain(status, body, "application/json"));
        const report = await examined(service);
        assert.deepEqual(brief(report), [1, `problem address ${code}`]);
        assert.match(found(report, "address").message, message);
        assert.match(found(report, "address").advice ?? "", advice);
        assertTokenKept(server);
      });
    }

    for (const body of ["404 page not found", "<html><h1>Not found</h1></html>"]) {
      it(`doctor accepts a ${service} service whose gateway returns ${body} for undocumented paths`, async () => {
        const { faults } = await start();
        const path = service === "secrets" ? "/v1/sys/health" : "/api/v2/ping";
        faults.add({ service, path, status: 404, body, times: 10 });
        assert.equal((await examined(service)).status, 0);
      });
    }
  }

  it("doctor uses the proxy, and warns that others can read the token", async () => {
    const { address, received } = await startServer((response) => json(response, 404, { errors: [] }));
    surround({ HTTP_PROXY: address, http_proxy: address, NO_PROXY: "", no_proxy: "" });
    surround({ SECRETS_ADDR: "http://secrets.example", SECRETS_TOKEN: "canary-of-a-token" });
    const report = await examined("secrets");
    assert.deepEqual([report.status, found(report, "tls").code], [0, "PLAIN_HTTP"]);
    assert.ok(received.every(({ url }) => url.startsWith("http://secrets.example/")));
  });

  it("doctor recognizes addresses that were swapped", async () => {
    const { provisioning, secrets } = await start();
    surround({ PROVISIONING_ADDR: secrets.address, SECRETS_ADDR: provisioning.address });
    for (const service of ["provisioning", "secrets"]) {
      assert.deepEqual(brief(await examined(service)), [1, "problem address NOT_THE_SERVICE"]);
    }
  });

  it("doctor does not let a service control the terminal", async () => {
    await serve(plain(503, "\u001b[2Jnothing \u0007here"));
    const { out } = await doctor("scheduler");
    assert.match(out, /returned 503: .*nothing/);
    assert.doesNotMatch(out, /[^\n\P{Cc}]/u);
  });
});
