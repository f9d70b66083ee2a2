import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../../sdk/testing";
import { useEnvironment } from "../../connection/environment";
import { certificates } from "../../support/certificates";
import { brief, doctor, examined, found } from "./doctor";

const services = ["provisioning", "secrets", "scheduler"] as const;

describe("doctor: connections", function () {
  this.timeout(60_000);

  useEnvironment(() => ({}));

  const open: { close: () => unknown }[] = [];
  afterEach(async () => {
    for (const each of open.splice(0)) {
      await each.close();
    }
  });

  const surround = (values: Readonly<Record<string, string>>): void => {
    for (const [name, value] of Object.entries(values)) {
      process.env[name] = value;
    }
  };
  const start = async (options: EmulatorOptions = {}): Promise<Emulator> => {
    const emulator = await startEmulator(options);
    open.push(emulator);
    surround(emulator.environment);
    return emulator;
  };
  const serve = async (respond: Parameters<typeof createServer>[1]): Promise<Server> => {
    const server = createServer(respond ?? (() => undefined));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    open.push({
      close: () => {
        server.closeAllConnections();
        server.close();
      },
    });
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const service of services) {
      const name = service.toUpperCase();
      surround({ [`${name}_ADDR`]: address, [`${name}_TOKEN`]: "canary-of-a-token" });
    }
    return server;
  };

  describe("over TLS", () => {
    const serveTls = (
      pair: "server" | "otherHost" | "expired",
      client: { readonly clientCertificateAuthority?: string } = {},
    ): Promise<Emulator> => start({ tls: { ...certificates()[pair], ...client } });
    const trust = (service: string): void => {
      surround({ [`${service.toUpperCase()}_CACERT`]: certificates().authority.certificate });
    };

    for (const service of services) {
      it(`finds the certificate of the ${service} service valid, and says by which authority`, async () => {
        await serveTls("server");
        trust(service);
        const report = await examined(service);
        assert.equal(report.status, 0);
        const { state, message } = found(report, "tls");
        assert.equal(state, "ok");
        assert.match(
          message,
          new RegExp(`CA certificate from the environment variable ${service.toUpperCase()}_CACERT\\)$`),
        );
      });
    }

    it("tells a private authority, and how to trust it", async () => {
      await serveTls("server");
      const report = await examined("secrets");
      assert.deepEqual([report.status, report.findings.length], [1, 1]);
      const { state, message, advice, code } = found(report, "tls");
      assert.equal(state, "problem");
      assert.match(code ?? "", /UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED/);
      assert.match(message, /unknown authority/);
      assert.match(advice ?? "", /trivium:secretsCaCertificate, SECRETS_CACERT/);
    });

    it("tells a certificate for another host, and how to say so", async () => {
      await serveTls("otherHost");
      trust("secrets");
      const { message, advice, code } = found(await examined("secrets"), "tls");
      assert.equal(code, "ERR_TLS_CERT_ALTNAME_INVALID");
      assert.match(message, /for another host \(it names DNS:service\.example\)/);
      assert.match(advice ?? "", /SECRETS_TLS_SERVER_NAME/);
      surround({ SECRETS_TLS_SERVER_NAME: "service.example" });
      assert.equal((await examined("secrets")).status, 0);
    });

    it("tells a certificate that has expired", async () => {
      await serveTls("expired");
      trust("secrets");
      const { message, advice, code } = found(await examined("secrets"), "tls");
      assert.equal(code, "CERT_HAS_EXPIRED");
      assert.match(message, /is not valid/);
      assert.match(advice ?? "", /renew/);
    });

    it("reports that a client certificate is wanted, and accepts one", async () => {
      const { authority, client } = certificates();
      await serveTls("server", { clientCertificateAuthority: authority.certificate });
      trust("secrets");
      const { message, advice } = found(await examined("secrets"), "tls");
      assert.match(message, /requires a client certificate/);
      assert.match(advice ?? "", /SECRETS_CLIENT_CERT.*SECRETS_CLIENT_KEY/);
      surround({ SECRETS_CLIENT_CERT: client.certificate, SECRETS_CLIENT_KEY: client.key });
      const report = await examined("secrets");
      assert.equal(report.status, 0);
      assert.match(found(report, "tls").message, /a client certificate was sent$/);
      const { out } = await doctor("secrets");
      assert.ok(!out.includes("PRIVATE KEY") && !out.includes(client.key.split("\n")[1] ?? ""));
    });

    it("warns of a connection that is not verified", async () => {
      await serveTls("otherHost");
      surround({ SECRETS_SKIP_VERIFY: "true" });
      const report = await examined("secrets");
      assert.equal(report.status, 0);
      assert.deepEqual([found(report, "tls").state, found(report, "tls").code], ["warning", "NOT_VERIFIED"]);
    });

    it("tells the wrong scheme, either way", async () => {
      const encrypted = await serveTls("server");
      surround({ SECRETS_ADDR: encrypted.secrets.address.replace("https:", "http:") });
      assert.match((await examined("secrets")).findings[0]?.advice ?? "", /start .* with https:\/\//i);
      const plain = await start();
      surround({ SECRETS_ADDR: plain.secrets.address.replace("http:", "https:") });
      assert.match(found(await examined("secrets"), "tls").advice ?? "", /start .* with http:\/\//i);
    });
  });

  for (const service of services) {
    it(`reports that nothing listens at the address of the ${service} service`, async () => {
      const emulator = await start();
      emulator.faults.add({ service, refuse: true });
      const report = await examined(service);
      assert.deepEqual([report.status, brief(report)], [1, ["problem address ECONNREFUSED"]]);
      assert.match(
        found(report, "address").advice ?? "",
        new RegExp(
          `comes from the environment variable ${service.toUpperCase()}_ADDR\\. Check that the service is running`,
        ),
      );
    });

    it(`reports that the ${service} service does not answer in time`, async () => {
      const emulator = await start();
      emulator.faults.add({ service, delay: "forever", times: 100 });
      surround({ [`${service.toUpperCase()}_REQUEST_TIMEOUT`]: "50ms" });
      const report = await examined(service);
      assert.deepEqual([report.status, brief(report)], [1, ["problem address TIMEOUT"]]);
      assert.equal(found(report, "address").message, "no response within 0.05 s");
      assert.match(
        found(report, "address").advice ?? "",
        new RegExp(`${service.toUpperCase()}_REQUEST_TIMEOUT`),
      );
    });

    for (const status of [200, 403, 502]) {
      it(`tells a page of a proxy (${status}) from the ${service} service`, async () => {
        await serve((_request, response) => {
          response.writeHead(status, { "content-type": "text/html" });
          response.end("<!doctype html><title>Sign in</title><p>Please sign in");
        });
        const report = await examined(service);
        assert.equal(report.status, 1);
        const { state, advice } = found(report, "address");
        assert.equal(state, "problem");
        assert.match(advice ?? "", /proxy/i);
      });
    }

    it(`reports that the ${service} service redirects, and does not follow`, async () => {
      const asked: (string | undefined)[] = [];
      await serve((request, response) => {
        asked.push(request.headers.authorization);
        response.writeHead(302, { location: "https://login.example/" }).end();
      });
      const report = await examined(service);
      assert.deepEqual(brief(report), ["problem address HTTP_302"]);
      assert.match(found(report, "address").advice ?? "", /redirects to https:\/\/login\.example/);
      assert.deepEqual(asked, [undefined]);
    });
  }

  for (const service of ["provisioning", "secrets"] as const) {
    it(`reports that something other than the ${service} service responds, which does not get the token`, async () => {
      const headers: string[] = [];
      await serve((request, response) => {
        headers.push(...Object.values(request.headers).map(String));
        response.writeHead(200, { "content-type": "application/json" }).end('{"hello":"world"}');
      });
      const report = await examined(service);
      assert.deepEqual([report.status, brief(report)], [1, ["problem address NOT_THE_SERVICE"]]);
      assert.match(found(report, "address").message, /the response does not come from the/);
      assert.ok(headers.length > 0 && headers.every((value) => !value.includes("canary-of-a-token")));
    });

    it(`says what it could not find out of a ${service} service that knows no request of doctor, and keeps the token`, async () => {
      const headers: string[] = [];
      await serve((request, response) => {
        headers.push(...Object.values(request.headers).map(String));
        response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found");
      });
      const report = await examined(service);
      assert.deepEqual([report.status, brief(report)], [1, ["problem address NOT_RECOGNIZED"]]);
      const { message, advice } = found(report, "address");
      assert.match(message, /^could not verify that this is the .* service and that the token is valid/);
      assert.match(advice ?? "", /returned 404: 404 page not found\. Check address \(trivium:/);
      assert.ok(headers.length > 0 && headers.every((value) => !value.includes("canary-of-a-token")));
    });
  }

  it("finds notification configurations at a compatible server that has little else", async () => {
    await serve((request, response) => {
      if (/^\/api\/v2\/workspaces\/ws-1\/notification-configurations/.test(request.url ?? "")) {
        response.writeHead(200, { "content-type": "application/vnd.api+json" }).end('{"data":[]}');
      } else {
        response.writeHead(404, { "content-type": "text/plain" }).end("404 page not found");
      }
    });
    assert.match(found(await examined("provisioning"), "address").advice ?? "", /--workspace/);
    const report = await examined("provisioning", "--workspace", "ws-1");
    assert.deepEqual(
      [report.status, brief(report)],
      [0, ["ok rights (ws-1)", "warning address NOT_RECOGNIZED"]],
    );
    assert.match(found(report, "address").advice ?? "", /The checks you named succeeded\.$/);
  });

  for (const [service, path] of [
    ["provisioning", "/api/v2/ping"],
    ["secrets", "/v1/sys/health"],
  ] as const) {
    for (const body of ["404 page not found", "<html><h1>Not found</h1></html>"]) {
      it(`accepts a ${service} service whose gateway returns ${body} to what is not documented`, async () => {
        const emulator = await start();
        emulator.faults.add({ service, path, status: 404, body, times: 10 });
        assert.equal((await examined(service)).status, 0);
      });
    }
  }

  it("goes through the proxy, and warns of a token that can be read on the way", async () => {
    const { secrets } = await start();
    const reached: string[] = [];
    const proxy = createServer(({ method, url = "", headers }, response) => {
      const { origin, pathname, search } = new URL(url);
      reached.push(origin);
      const target = `${secrets.address}${pathname}${search}`;
      const forwarded = request(target, { method, headers }, (upstream) => {
        response.writeHead(upstream.statusCode ?? 0, upstream.headers);
        upstream.pipe(response);
      });
      forwarded.on("error", () => response.destroy());
      forwarded.end();
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
    open.push({
      close: () => {
        proxy.closeAllConnections();
        proxy.close();
      },
    });
    const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    surround({ SECRETS_ADDR: "http://secrets.example", HTTP_PROXY: address, http_proxy: address });
    surround({ NO_PROXY: "", no_proxy: "" });
    const report = await examined("secrets");
    assert.equal(report.status, 0);
    assert.deepEqual([found(report, "tls").state, found(report, "tls").code], ["warning", "PLAIN_HTTP"]);
    assert.deepEqual([...new Set(reached)], ["http://secrets.example"]);
  });

  it("tells addresses that were mixed up", async () => {
    const { provisioning, secrets } = await start();
    surround({ PROVISIONING_ADDR: secrets.address, SECRETS_ADDR: provisioning.address });
    for (const service of ["provisioning", "secrets"]) {
      assert.deepEqual(brief(await examined(service)), ["problem address NOT_THE_SERVICE"]);
    }
  });

  it("does not let a service steer the terminal", async () => {
    await serve((_request, response) => {
      response.writeHead(503, { "content-type": "text/plain" }).end("\u001b[2Jnothing \u0007here");
    });
    const { out } = await doctor("scheduler");
    assert.match(out, /returned 503: .*nothing/);
    assert.ok(Array.from(out).every((character) => character === "\n" || character >= " "));
  });
});
