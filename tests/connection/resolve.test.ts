import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigurationError } from "../../sdk/base/errors";
import type { ServiceName } from "../../sdk/base/settings";
import { foresee, resolveSettings, type ResolvedSettings } from "../../sdk/connection/resolve";
import { sourcesWith } from "./environment";

type Values = Readonly<Record<string, string>>;

const base = { PROVISIONING_ADDR: "https://example.com", PROVISIONING_TOKEN: "token-1" };

function resolve(environment: Values, configuration: Values = {}): ResolvedSettings {
  return resolveSettings(sourcesWith({ ...base, ...environment }, configuration), "provisioning");
}

function refusal(service: ServiceName, environment: Values, configuration: Values = {}): string {
  try {
    resolveSettings(sourcesWith(environment, configuration), service);
  } catch (error) {
    return ConfigurationError.isInstance(error) ? error.message : String(error);
  }
  return "nothing was refused";
}

const setAddress =
  "Set the address (`pulumi config set --plaintext trivium:secretsAddress` or the environment variable " +
  "SECRETS_ADDR), or the provider argument `secrets.address`.";
const hashicorp = { TRIVIUM_DIALECT: "hashicorp" };
const noUrl = "is not a valid URL such as https://example.com";

describe("resolveSettings", () => {
  const directory = mkdtempSync(join(tmpdir(), "pulumi-trivium-settings-"));
  after(() => rmSync(directory, { recursive: true }));

  const file = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };

  describe("a missing setting", () => {
    const places = (service: string, key: string, address: string, token: string): string =>
      `The ${service} service is not configured. Missing: address (\`pulumi config set ${key}Address\` or the environment ` +
      `variable ${address}); token (\`pulumi config set --secret trivium:${service}Token\` or the environment variable ` +
      `${token}). Or pass them to a provider: new trivium.Provider("name", { ${service}: { address, token } }).`;

    it("the error about a missing setting lists every place where it can be set, including the products' variables in the hashicorp dialect", () => {
      const documented = places("secrets", "--plaintext trivium:secrets", "SECRETS_ADDR", "SECRETS_TOKEN");
      assert.equal(refusal("secrets", {}), documented);
      const addresses = "PROVISIONING_ADDR, TFE_ADDRESS or TFE_HOSTNAME";
      const tokens = "PROVISIONING_TOKEN or TFE_TOKEN";
      const products = places("provisioning", "trivium:provisioning", addresses, tokens);
      assert.equal(refusal("provisioning", hashicorp), products);
    });

    const own = { "trivium:secretsAddress": "https://own", "trivium:secretsOwnAddress": "true" };
    const beside =
      /Missing: token\. Set token or tokenFile in the trivium\.Provider or the call that sets the address\./;
    for (const [environment, configuration, names, not] of [
      [{ ...hashicorp, VAULT_TOKEN: "x" }, {}, /SECRETS_ADDR or VAULT_ADDR\)/, /SECRETS_TOKEN/],
      [{ ...hashicorp, VAULT_ADDR: "http://x" }, {}, /SECRETS_TOKEN or VAULT_TOKEN\)/, /SECRETS_ADDR/],
      [{ SECRETS_TOKEN: "x" }, own, beside, /SECRETS_TOKEN/],
      [{ SECRETS_DIALECT: "hashicrop", VAULT_ADDR: "http://x" }, {}, /SECRETS_DIALECT must be/, /Missing/],
    ] as const) {
      it(`the error about a missing setting names only that setting: ${String(names)}`, () => {
        const message = refusal("secrets", environment, configuration);
        assert.match(message, names);
        assert.doesNotMatch(message, not);
      });
    }
  });

  describe("the address", () => {
    const base = "https://example.com";
    const addresses = {
      [base]: `${base}|${base}/|https://EXAMPLE.com:443|${base}/api/v2| ${base} `,
      "http://127.0.0.1:8080": "http://127.0.0.1:8080",
      "http://[::1]:8080": "http://[::1]:8080/",
      [`${base}/tools`]: `${base}/tools//|${base}/tools/api/v2/`,
      [`${base}/api/v2/mirror`]: `${base}/api/v2/mirror`,
      [`${base}/v1`]: `${base}/v1`,
      [`${base}/myapi/v2`]: `${base}/myapi/v2`,
    };
    for (const [expected, written] of Object.entries(addresses)) {
      for (const given of written.split("|")) {
        it(`the address ${JSON.stringify(given)} means ${expected}`, () => {
          const { address, basePath } = resolve({ PROVISIONING_ADDR: given });
          assert.deepEqual([address, basePath], [expected, "/api/v2"]);
        });
      }
    }

    it("the addresses of the other services end with another path", () => {
      for (const service of ["secrets", "scheduler"] as const) {
        const given = { SECRETS_TOKEN: "x", [`${service.toUpperCase()}_ADDR`]: " http://a:1/tools/v1/ " };
        const { address, basePath } = resolveSettings(sourcesWith(given), service);
        assert.deepEqual([address, basePath], ["http://a:1/tools", "/v1"]);
      }
    });
  });

  const usual = { SECRETS_ADDR: "https://example.com", SECRETS_TOKEN: "token-1" };
  for (const name of ["ADDR", "TOKEN", "TOKEN_FILE", "CACERT", "MAX_RETRIES", "NAMESPACE"]) {
    for (const value of ['"https://canary"', "'canary", "\u201ccanary\u201d"]) {
      it(`the error for a value with quotation marks names the setting: ${name} ${value.slice(0, 1)}`, () => {
        const token = name === "TOKEN_FILE" ? { SECRETS_TOKEN: "" } : {};
        const message = refusal("secrets", { ...usual, ...token, [`SECRETS_${name}`]: value });
        const problem = "begins with a quotation mark. Remove the quotation marks.";
        assert.equal(message, `The environment variable SECRETS_${name} ${problem}`);
      });
    }
  }

  describe("an invalid value", () => {
    const extra = "must not have credentials, a query or a fragment";
    const count = "must be a whole number of at least";
    const noHeader = "contains a line break or another character that is not allowed in a header";
    const noPem = "is neither PEM nor a readable file";
    const unixSocket = "is a Unix socket, which is not supported: the library only connects over TCP";
    const lacksScheme = (value: string) => `${noUrl}: it is "${value}", and https:// is missing`;
    const rows: readonly [name: string, problem: string, values: string][] = [
      // A value that might be a secret is not shown.
      ["ADDR", noUrl, "canary|/canary|//canary|https://|hvs.CAESIcanary|user:canary@host|canary_token"],
      ["ADDR", lacksScheme("vault.example.com"), "vault.example.com"],
      ["ADDR", lacksScheme("vault.example.com:8200"), "vault.example.com:8200"],
      ["ADDR", lacksScheme("localhost:8200"), "localhost:8200"],
      ["ADDR", `${noUrl}: it is "htps://vault.example.com"`, "htps://vault.example.com"],
      ["ADDR", unixSocket, "unix:///run/canary| HTTP+unix://%2Frun%2Fcanary"],
      ["ADDR", extra, "https://canary@a.example|https://:canary@a.example"],
      ["ADDR", extra, "https://a.example/?token=canary|https://a.example/#canary"],
      // A key without its first line is taken for a path, which must not end in a message.
      ["CLIENT_KEY", `${noPem} (ENOENT)`, "canaryMIIEvQIBADANBgkqhkiG9w0BAQ"],
      ["CLIENT_KEY", `${noPem} (EISDIR)`, tmpdir()],
      ["CLIENT_CERT", `${noPem} (ENOENT)`, "canary"],
      ["CACERT", `${noPem} (ENOENT)`, "/nowhere/canary.pem"],
      ["SKIP_VERIFY", "must be true or false", "canary|yes"],
      ["REQUEST_TIMEOUT", 'is not a duration such as "30s"', "30 canaries|-5s|0"],
      ["REQUEST_TIMEOUT", "must not exceed 24 days", "25d"],
      ["MAX_RETRIES", `${count} 0`, "canary|-1|1.5|0x10|9007199254740993"],
      ["MAX_CONCURRENCY", `${count} 1`, "0|1e3"],
      ["DIALECT", 'must be "documented" or "hashicorp"', "canary"],
      ["NAMESPACE", noHeader, "canary\r\nX-Injected: 1|canary\0|canary \u6f22"],
    ];
    for (const [name, problem, values] of rows) {
      for (const value of values.split("|")) {
        it(`the error for an invalid value names its source: ${name}=${JSON.stringify(value)}`, () => {
          const message = refusal("secrets", { ...usual, [`SECRETS_${name}`]: value });
          const advice = name === "ADDR" ? ` ${setAddress}` : "";
          assert.equal(message, `The environment variable SECRETS_${name} ${problem}.${advice}`);
        });
      }
    }

    const noRecord = 'is not a JSON object of strings such as {"X-Team": "platform"}';
    const noRecords = ["canary", '"canary"', "null", '["canary"]', '{"canary": 5}', '{"canary": null}'];
    for (const [value, problem] of [
      ...noRecords.map((each) => [each, noRecord] as const),
      ['{"x bad":"canary"}', 'has the header "x bad", whose name or value is not valid'],
      ['{"x-good":"canary\\r\\nx-evil: 1"}', 'has the header "x-good", whose name or value is not valid'],
    ] as const) {
      it(`the error for an invalid value names its source: headers ${value}`, () => {
        const message = refusal("provisioning", base, { "trivium:provisioningHeaders": value });
        assert.equal(message, `The configuration value trivium:provisioningHeaders ${problem}.`);
      });
    }

    it("the error for an invalid value names the source that takes precedence", () => {
      const environment = { ...base, PROVISIONING_MAX_RETRIES: "3" };
      const message = refusal("provisioning", environment, { "trivium:provisioningMaxRetries": "canary" });
      assert.equal(message, `The configuration value trivium:provisioningMaxRetries ${count} 0.`);
    });
  });

  it("a value is what the user set, or undefined, so that the transport decides", () => {
    const pem = "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n";
    const proxies = { HTTP_PROXY: "upper:3128", https_proxy: "lower:3128", no_proxy: "localhost" };
    const {
      token,
      proxies: live,
      clientCertificate,
      ...given
    } = resolve(
      {
        PROVISIONING_CACERT: pem,
        PROVISIONING_CLIENT_CERT: file("client.pem", pem),
        PROVISIONING_CLIENT_KEY: `  ${pem}`,
        PROVISIONING_TLS_SERVER_NAME: "inside.example.com",
        PROVISIONING_SKIP_VERIFY: "TRUE",
        PROVISIONING_REQUEST_TIMEOUT: "1m30s",
        PROVISIONING_MAX_RETRIES: "0",
        PROVISIONING_MAX_CONCURRENCY: " 8 ",
        PROVISIONING_DIALECT: "hashicorp",
        PROVISIONING_NAMESPACE: "not of this service",
        TRIVIUM_ASSUME_GONE: "prj-1, prj-2,",
        ...proxies,
      },
      {
        "trivium:provisioningHeaders": '{"X-Team": "platform-team"}',
        "trivium:provisioningMovedFrom": "https://one.example.com, https://two.example.com/api/v2",
      },
    );
    assert.equal(typeof token, "function");
    assert.equal(JSON.stringify(live), JSON.stringify(proxies));
    assert.equal(typeof clientCertificate === "function" ? clientCertificate() : undefined, pem);
    const common = {
      service: "provisioning",
      address: "https://example.com",
      addressSource: "the environment variable PROVISIONING_ADDR",
      ownAddress: false,
      basePath: "/api/v2",
    };
    assert.deepEqual(given, {
      ...common,
      login: undefined,
      namespace: undefined,
      query: undefined,
      headers: { "X-Team": "platform-team" },
      caCertificate: pem,
      clientKey: `  ${pem}`,
      serverName: "inside.example.com",
      insecureSkipVerify: true,
      requestTimeoutMilliseconds: 90_000,
      maxRetries: 0,
      maxConcurrency: 8,
      dialect: "hashicorp",
      movedFrom: ["https://one.example.com", "https://two.example.com/api/v2"],
      assumedGone: new Set(["prj-1", "prj-2"]),
    });
    const { token: _, proxies: __, ...nothing } = resolve({});
    const known = Object.entries(nothing).filter(([, value]) => value !== undefined);
    const usual = { dialect: "documented", movedFrom: [], assumedGone: new Set() };
    assert.deepEqual(Object.fromEntries(known), { ...common, ...usual });
  });

  const times = { "45": 45_000, "1.005s": 1005, "1.5ms": 2, "1ns": 1, "24d": 2_073_600_000 };
  for (const [given, milliseconds] of Object.entries(times)) {
    it(`a time limit of ${given} is ${milliseconds} ms`, () => {
      const { requestTimeoutMilliseconds } = resolve({ PROVISIONING_REQUEST_TIMEOUT: given });
      assert.equal(requestTimeoutMilliseconds, milliseconds);
    });
  }
  for (const [given, isSet] of Object.entries({ 1: true, T: true, f: false, 0: false, False: false })) {
    it(`a certificate is ${isSet ? "not " : ""}verified when insecureSkipVerify is ${given}`, () =>
      assert.equal(resolve({ PROVISIONING_SKIP_VERIFY: given }).insecureSkipVerify, isSet));
  }

  it("the token is read from its file at each use, without leading or trailing white space", async () => {
    const path = file("token", " first\n");
    const { token } = resolve({ PROVISIONING_TOKEN: "", PROVISIONING_TOKEN_FILE: path });
    const source = `the file ${path}, named by the environment variable PROVISIONING_TOKEN_FILE`;
    assert.deepEqual(await token?.(), { value: "first", source });
    file("token", "\ufeffsecond\r\n");
    assert.deepEqual(await token?.(), { value: "second", source });
  });

  it("the error for a token file that cannot be read does not show its name, which might be the token itself", async () => {
    const { token } = resolve({ PROVISIONING_TOKEN: "", PROVISIONING_TOKEN_FILE: "canary-token" });
    const message = "The environment variable PROVISIONING_TOKEN_FILE is not a readable file (ENOENT).";
    await assert.rejects(async () => token?.(), { name: "ConfigurationError", message });
  });
});

describe("foresee", () => {
  const configured = { "trivium:provisioningAddress": "https://example.com" };
  const token = { PROVISIONING_TOKEN: "x" };
  type Row = readonly [string, configuration: Values, Values, failure?: RegExp, warning?: RegExp];
  const badProxy = { ...token, HTTPS_PROXY: "http://me:a/canary@proxy.example" };
  const badBypass = { ...token, HTTPS_PROXY: "proxy.example", NO_PROXY: "10.0.*" };
  const badLimit = { ...token, PROVISIONING_REQUEST_TIMEOUT: "soon" };
  const noBypass = /^NO_PROXY has entries that match nothing: `10\.0\.\*`/;
  const rows: readonly Row[] = [
    ["a complete connection", configured, token],
    ["no address", {}, {}, /Missing: address .*PROVISIONING_ADDR\).*new trivium\.Provider\(/],
    ["a host instead of a URL", { "trivium:provisioningAddress": "a.b" }, {}, /Address is not a valid URL/],
    ...["https://exam\nple.com", "https://example.com/a b"].map((address): Row => [
      `an address with a blank or a line break: ${JSON.stringify(address)}`,
      { "trivium:provisioningAddress": address },
      {},
      /Address is not a valid URL/,
    ]),
    ["an unknown dialect", { ...configured, "trivium:dialect": "klingon" }, {}, /trivium:dialect must be/],
    ["no token", configured, {}, undefined, /token \(`pulumi config set --secret trivium:provisioningToken`/],
    ["a file with the token", configured, { PROVISIONING_TOKEN_FILE: "/nowhere" }],
    ["a file that does not exist", configured, { ...token, PROVISIONING_CACERT: "/nowhere" }],
    ["a password that ends the proxy", configured, badProxy, /^HTTPS_PROXY is not .*Percent-encode/],
    ["an entry of NO_PROXY that matches nothing", configured, badBypass, undefined, noBypass],
    ["an invalid time limit", configured, badLimit, /TIMEOUT is not/],
  ];
  for (const [what, configuration, environment, failure, warning] of rows) {
    it(`foresee reports problems without a request: ${what}`, () => {
      const found = foresee(sourcesWith(environment, configuration), "provisioning");
      assert.match(found.failure ?? "nothing", failure ?? /^nothing$/);
      assert.match(found.warning ?? "nothing", warning ?? /^nothing$/);
      assert.equal(found.settings?.address, failure === undefined ? "https://example.com" : undefined);
    });
  }

  const capath = { VAULT_CAPATH: "/etc/ssl" };
  const insteadOfPath =
    /^VAULT_CAPATH is set, but has no effect: set caCertificate .*VAULT_CACERT\) instead\.$/;
  const insteadOfProxy = /^VAULT_PROXY_ADDR .* set HTTPS_PROXY or HTTP_PROXY instead\.$/;
  const own = { "trivium:secretsOwnAddress": "true" };
  const addresses = { VAULT_ADDR: "https://example.com", BAO_ADDR: "https://canary" };
  const hosts = { TFE_HOSTNAME: "a.example", TF_CLOUD_HOSTNAME: "canary" };
  const unread: readonly [ServiceName, variables: Values, instead: RegExp | undefined, Values?][] = [
    ["secrets", capath, insteadOfPath],
    ["secrets", capath, undefined, { "trivium:secretsCaCertificate": "x.pem" }],
    ["secrets", capath, undefined, own],
    ["secrets", capath, undefined, { "trivium:dialect": "documented" }],
    ["secrets", { VAULT_PROXY_ADDR: "http://canary" }, insteadOfProxy],
    ["secrets", { VAULT_HTTP_PROXY: "http://canary" }, /^VAULT_HTTP_PROXY/],
    ["secrets", addresses, /^BAO_ADDR .* set address/, { "trivium:secretsAddress": "" }],
    ["secrets", { BAO_TOKEN: "canary" }, /BAO_TOKEN .* set token/, { "trivium:secretsToken": "" }],
    ["secrets", { BAO_NAMESPACE: "canary" }, undefined, { "trivium:secretsNamespace": "team" }],
    ["scheduler", { NOMAD_HTTP_AUTH: "canary" }, /^NOMAD_HTTP_AUTH .* headers \(trivium:schedulerHeaders\)/],
    ["scheduler", { NOMAD_CAPATH: "/etc/ssl" }, /^NOMAD_CAPATH/],
    ["provisioning", { TF_CLOUD_HOSTNAME: "canary" }, undefined],
    ["provisioning", hosts, /^TF_CLOUD_HOSTNAME/, { "trivium:provisioningAddress": "" }],
  ];
  for (const [service, variables, instead, more = {}] of unread) {
    it(`foresee ${instead === undefined ? "says nothing" : "says what has no effect"}: ${JSON.stringify({ ...variables, ...more })}`, () => {
      const address = { [`trivium:${service}Address`]: "https://example.com" };
      const configuration = {
        "trivium:dialect": "hashicorp",
        [`trivium:${service}Token`]: "x",
        ...address,
        ...more,
      };
      const { warning = "nothing" } = foresee(sourcesWith(variables, configuration), service);
      assert.match(warning, instead ?? /^nothing$/);
      assert.doesNotMatch(warning, /canary/);
    });
  }

  it("foresee does not require a scheduler token, and reports nothing before the engine has configured the process", () => {
    const found = foresee(sourcesWith({ SCHEDULER_ADDR: "http://127.0.0.1:4646" }), "scheduler");
    assert.deepEqual([found.failure, found.warning], [undefined, undefined]);
    assert.deepEqual(foresee({ configuration: undefined, environment: {} }, "secrets"), {});
  });

  for (const [address, environment, warns] of [
    ["http://vault.example:8200", { SECRETS_TOKEN: "t" }, true],
    [
      "http://10.0.0.1:8200",
      { SECRETS_DIALECT: "hashicorp", SECRETS_LOGIN: '{"path":"jwt","role":"ci","jwt":"a.b.c"}' },
      true,
    ],
    ["http://127.0.0.1:8200", { SECRETS_TOKEN: "t" }, false],
    ["http://localhost:8200", { SECRETS_TOKEN: "t" }, false],
    ["http://[::1]:8200", { SECRETS_TOKEN: "t" }, false],
    ["https://vault.example:8200", { SECRETS_TOKEN: "t" }, false],
  ] as const) {
    it(`foresee ${warns ? "warns" : "does not warn"} about a token that is sent to ${address} with ${JSON.stringify(environment)}`, () => {
      const given = sourcesWith({ SECRETS_ADDR: address, ...environment }, {});
      const { warning = "" } = foresee(given, "secrets");
      assert.equal(
        /The token of the secrets service is sent unencrypted to http:.*start address/.test(warning),
        warns,
        warning,
      );
    });
  }
});
