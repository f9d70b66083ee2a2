import { messageOf } from "../../sdk/base/errors";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dialectOf, foresee, resolveSettings, type ResolvedSettings } from "../../sdk/connection/resolve";
import type { ServiceName } from "../../sdk/base/settings";
import type { Sources } from "../../sdk/connection/sources";
import { ConfigurationError } from "../../sdk/base/errors";

type Values = Readonly<Record<string, string>>;

const base = { PROVISIONING_ADDR: "https://example.com", PROVISIONING_TOKEN: "token-1" };

function sources(environment: Values, configuration: Values = {}): Sources {
  return { configuration: { get: (key) => new Map(Object.entries(configuration)).get(key) }, environment };
}

function resolve(environment: Values, configuration: Values = {}): ResolvedSettings {
  return resolveSettings(sources({ ...base, ...environment }, configuration), "provisioning");
}

function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    assert.ok(ConfigurationError.isInstance(error), String(error));
    return error.message;
  }
  throw new assert.AssertionError({ message: "expected a refusal" });
}

describe("resolveSettings", () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), "pulumi-trivium-settings-"));
  });
  after(() => rmSync(directory, { recursive: true }));

  const file = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };

  describe("what is missing", () => {
    it("is named at once, with every place where it can be set", () => {
      assert.equal(
        refusal(() => resolveSettings(sources({}), "secrets")),
        "The secrets service is not configured. Missing: address (`pulumi config set --plaintext trivium:secretsAddress` or " +
          "the environment variable SECRETS_ADDR); token (`pulumi config set --secret trivium:secretsToken` or " +
          'the environment variable SECRETS_TOKEN). Or pass them to a provider: new trivium.Provider("name", ' +
          "{ secrets: { address, token } }).",
      );
    });

    it("is named with the products' variables too, in their dialect", () => {
      const message = (service: ServiceName, environment: Values): string =>
        refusal(() =>
          resolveSettings(
            sources({ [`${service.toUpperCase()}_DIALECT`]: "hashicorp", ...environment }),
            service,
          ),
        );
      assert.equal(
        message("provisioning", {}),
        "The provisioning service is not configured. Missing: address (`pulumi config set " +
          "trivium:provisioningAddress` or the environment variable PROVISIONING_ADDR, TFE_ADDRESS or TFE_HOSTNAME); " +
          "token (`pulumi config set --secret trivium:provisioningToken` or the environment variable " +
          'PROVISIONING_TOKEN or TFE_TOKEN). Or pass them to a provider: new trivium.Provider("name", ' +
          "{ provisioning: { address, token } }).",
      );
      assert.match(message("secrets", { VAULT_TOKEN: "x" }), /SECRETS_ADDR or VAULT_ADDR\)/);
      assert.match(message("secrets", { VAULT_ADDR: "http://x" }), /SECRETS_TOKEN or VAULT_TOKEN\)/);
    });

    it("is not said of an unknown dialect: that comes first", () => {
      const message = refusal(() =>
        resolveSettings(sources({ SECRETS_DIALECT: "hashicrop", VAULT_ADDR: "http://x" }), "secrets"),
      );
      assert.match(message, /SECRETS_DIALECT must be "documented" or "hashicorp"/);
    });

    it("is only what is missing", () => {
      const withoutToken = refusal(() =>
        resolveSettings(sources({ SECRETS_ADDR: "https://example.com" }), "secrets"),
      );
      assert.match(withoutToken, /SECRETS_TOKEN/);
      assert.doesNotMatch(withoutToken, /SECRETS_ADDR/);
      const withoutAddress = refusal(() => resolveSettings(sources({ SECRETS_TOKEN: "x" }), "secrets"));
      assert.match(withoutAddress, /SECRETS_ADDR/);
      assert.doesNotMatch(withoutAddress, /SECRETS_TOKEN/);
    });

    it("is not read from the environment for a provider with its own address", () => {
      const own = { "trivium:secretsAddress": "https://own", "trivium:secretsOwnAddress": "true" };
      const message = refusal(() => resolveSettings(sources({ SECRETS_TOKEN: "x" }, own), "secrets"));
      assert.match(
        message,
        /Missing: token\. Set token or tokenFile in the trivium\.Provider or the call that sets the address\./,
      );
      assert.doesNotMatch(message, /SECRETS_TOKEN/);
    });
  });

  describe("the address", () => {
    const addresses: readonly [string, string][] = [
      ["https://example.com", "https://example.com"],
      ["https://example.com/", "https://example.com"],
      ["https://EXAMPLE.com:443", "https://example.com"],
      ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
      ["http://[::1]:8080/", "http://[::1]:8080"],
      ["https://example.com/tools", "https://example.com/tools"],
      ["https://example.com/tools//", "https://example.com/tools"],
      ["https://example.com/api/v2", "https://example.com"],
      ["https://example.com/api/v2/", "https://example.com"],
      ["https://example.com/tools/api/v2/", "https://example.com/tools"],
      ["https://example.com/api/v2/mirror", "https://example.com/api/v2/mirror"],
      ["https://example.com/v1", "https://example.com/v1"],
      ["https://example.com/myapi/v2", "https://example.com/myapi/v2"],
      [" https://example.com ", "https://example.com"],
    ];
    for (const [given, expected] of addresses) {
      it(`${JSON.stringify(given)} means ${expected}`, () => {
        const { address, basePath } = resolve({ PROVISIONING_ADDR: given });
        assert.deepEqual([address, basePath], [expected, "/api/v2"]);
      });
    }

    const products: readonly [ServiceName, string, string, string][] = [
      ["provisioning", "TFE_ADDRESS", "https://app.example.com", "https://app.example.com"],
      ["provisioning", "TFE_ADDRESS", "https://example.com/tfe/api/v2/", "https://example.com/tfe"],
      ["provisioning", "TFE_HOSTNAME", "app.example.com", "https://app.example.com"],
      ["secrets", "VAULT_ADDR", "https://127.0.0.1:8200/v1", "https://127.0.0.1:8200"],
      ["secrets", "VAULT_ADDR", "http://127.0.0.1:8200/", "http://127.0.0.1:8200"],
      ["scheduler", "NOMAD_ADDR", " http://127.0.0.1:4646 ", "http://127.0.0.1:4646"],
    ];
    for (const [service, variable, given, expected] of products) {
      it(`${variable}=${given} means ${expected}`, () => {
        const name = service.toUpperCase();
        const environment = { [`${name}_DIALECT`]: "hashicorp", [`${name}_TOKEN`]: "x", [variable]: given };
        assert.equal(resolveSettings(sources(environment), service).address, expected);
      });
    }

    it("of a product that is no web address is refused, naming the variable", () => {
      const environment = {
        SECRETS_DIALECT: "hashicorp",
        SECRETS_TOKEN: "x",
        VAULT_ADDR: "unix:///run/canary",
      };
      assert.equal(
        refusal(() => resolveSettings(sources(environment), "secrets")),
        "The environment variable VAULT_ADDR is not a valid URL such as https://example.com. Set the address " +
          "(`pulumi config set --plaintext trivium:secretsAddress` or the environment variable SECRETS_ADDR or " +
          "VAULT_ADDR), or the provider argument `secrets.address`.",
      );
    });

    it("ends with another path for the other services", () => {
      for (const service of ["secrets", "scheduler"] as const) {
        const name = service.toUpperCase();
        const given = { [`${name}_ADDR`]: "https://example.com/tools/v1", [`${name}_TOKEN`]: "x" };
        const { address, basePath } = resolveSettings(sources(given), service);
        assert.deepEqual([address, basePath], ["https://example.com/tools", "/v1"]);
      }
    });
  });

  describe("an address that is no URL", () => {
    const messageFor = (value: string): string => {
      try {
        resolveSettings(sources({ SECRETS_ADDR: value, SECRETS_TOKEN: "x" }), "secrets");
      } catch (error) {
        return messageOf(error);
      }
      return assert.fail(`${value} was accepted`);
    };

    for (const value of ["vault.example.com", "vault.example.com:8200", "localhost:8200"]) {
      it(`is shown, and what it lacks: ${value}`, () => {
        const expected = `is not a valid URL such as https://example.com: it is "${value}", and https:// is missing.`;
        assert.ok(messageFor(value).includes(expected), messageFor(value));
      });
    }

    it("is shown with another scheme", () => {
      assert.match(messageFor("htps://vault.example.com"), /it is "htps:\/\/vault\.example\.com"\./);
    });

    it("is not shown if it may be a secret", () => {
      for (const value of ["hvs.CAESIcanary", "user:canary@host", "canary_token"]) {
        assert.ok(!messageFor(value).includes("it is"), value);
      }
    });
  });

  describe("a value that cannot be used", () => {
    const variable = "environment variable PROVISIONING_";
    const advice =
      " Set the address (`pulumi config set trivium:provisioningAddress` or the environment variable " +
      "PROVISIONING_ADDR), or the provider argument `provisioning.address`.";
    const refusals: readonly [string, string, string][] = [
      ["ADDR", "canary", "is not a valid URL such as https://example.com"],
      ["ADDR", "/canary", "is not a valid URL such as https://example.com"],
      ["ADDR", "//canary", "is not a valid URL such as https://example.com"],
      ["ADDR", "https://", "is not a valid URL such as https://example.com"],
      ["ADDR", "https://canary@example.com", "must not have credentials, a query or a fragment"],
      ["ADDR", "https://:canary@example.com", "must not have credentials, a query or a fragment"],
      ["ADDR", "https://user:canary@example.com", "must not have credentials, a query or a fragment"],
      ["ADDR", "https://example.com/?token=canary", "must not have credentials, a query or a fragment"],
      ["ADDR", "https://example.com/#canary", "must not have credentials, a query or a fragment"],
      ["CACERT", "/nowhere/canary.pem", "is neither PEM nor a readable file (ENOENT)"],
      ["CLIENT_CERT", "canary", "is neither PEM nor a readable file (ENOENT)"],
      // A key without its first line is taken for a path, which must not end in a message.
      ["CLIENT_KEY", "canaryMIIEvQIBADANBgkqhkiG9w0BAQ", "is neither PEM nor a readable file (ENOENT)"],
      ["CLIENT_KEY", tmpdir(), "is neither PEM nor a readable file (EISDIR)"],
      ["SKIP_VERIFY", "canary", "must be true or false"],
      ["SKIP_VERIFY", "yes", "must be true or false"],
      ["REQUEST_TIMEOUT", "canary", 'is not a duration such as "30s"'],
      ["REQUEST_TIMEOUT", "30 canaries", 'is not a duration such as "30s"'],
      ["REQUEST_TIMEOUT", "-5s", 'is not a duration such as "30s"'],
      ["REQUEST_TIMEOUT", "0", 'is not a duration such as "30s"'],
      ["REQUEST_TIMEOUT", "25d", "must not exceed 24 days"],
      ["MAX_RETRIES", "canary", "must be a whole number of at least 0"],
      ["MAX_RETRIES", "-1", "must be a whole number of at least 0"],
      ["MAX_RETRIES", "1.5", "must be a whole number of at least 0"],
      ["MAX_RETRIES", "0x10", "must be a whole number of at least 0"],
      ["MAX_RETRIES", "9007199254740993", "must be a whole number of at least 0"],
      ["MAX_CONCURRENCY", "0", "must be a whole number of at least 1"],
      ["MAX_CONCURRENCY", "1e3", "must be a whole number of at least 1"],
      ["DIALECT", "canary", 'must be "documented" or "hashicorp"'],
    ];
    for (const [name, value, problem] of refusals) {
      it(`is named by its place: ${name}=${value}`, () => {
        assert.equal(
          refusal(() => resolve({ [`PROVISIONING_${name}`]: value })),
          `The ${variable}${name} ${problem}.${name === "ADDR" ? advice : ""}`,
        );
      });
    }

    it("is named by its place: a namespace that no header carries", () => {
      const environment = { SECRETS_ADDR: "https://127.0.0.1", SECRETS_TOKEN: "token" };
      for (const value of ["canary\r\nX-Injected: 1", "canary\0", "canary \u6f22"]) {
        const sources = {
          configuration: undefined,
          environment: { ...environment, SECRETS_NAMESPACE: value },
        };
        assert.equal(
          refusal(() => resolveSettings(sources, "secrets")),
          "The environment variable SECRETS_NAMESPACE contains a line break or another character that is " +
            "not allowed in a header.",
        );
      }
    });

    const headers = ["canary", '"canary"', "null", '["canary"]', '{"canary": 5}', '{"canary": null}'];
    for (const value of headers) {
      it(`is named by its place: headers ${value}`, () => {
        assert.equal(
          refusal(() => resolve({}, { "trivium:provisioningHeaders": value })),
          "The configuration value trivium:provisioningHeaders is not a JSON object of strings such as " +
            '{"X-Team": "platform"}.',
        );
      });
    }

    for (const [name, text] of [
      ["x bad", "canary"],
      ["x-good", "canary\r\nx-evil: 1"],
    ] as const) {
      it(`is named by its place: a header that cannot be sent, ${name}`, () => {
        assert.equal(
          refusal(() => resolve({}, { "trivium:provisioningHeaders": JSON.stringify({ [name]: text }) })),
          `The configuration value trivium:provisioningHeaders has the header "${name}", whose name or value is ` +
            "not valid.",
        );
      });
    }

    it("is named by the place that counts, not by one that it beats", () => {
      const message = refusal(() =>
        resolve({ PROVISIONING_MAX_RETRIES: "3" }, { "trivium:provisioningMaxRetries": "canary" }),
      );
      assert.match(message, /configuration value trivium:provisioningMaxRetries/);
      assert.doesNotMatch(message, /canary/);
    });
  });

  describe("values", () => {
    it("are as the user gave them, and undefined where nobody did, so that the transport decides", () => {
      const pem = "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n";
      const { token, ...given } = resolve(
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
          TRIVIUM_ASSUME_GONE: "prj-1, prj-2,",
          HTTP_PROXY: "http://upper:3128",
          https_proxy: "http://lower:3128",
          HTTPS_PROXY: "http://upper:3128",
          no_proxy: "localhost",
        },
        {
          "trivium:provisioningHeaders": '{"X-Team": "platform-team"}',
          "trivium:provisioningMovedFrom": "https://one.example.com, https://two.example.com/api/v2",
        },
      );
      assert.equal(typeof token, "function");
      assert.deepEqual(given, {
        service: "provisioning",
        address: "https://example.com",
        addressSource: "the environment variable PROVISIONING_ADDR",
        ownAddress: false,
        basePath: "/api/v2",
        headers: { "X-Team": "platform-team" },
        caCertificate: pem,
        clientCertificate: pem,
        clientKey: `  ${pem}`,
        serverName: "inside.example.com",
        insecureSkipVerify: true,
        requestTimeoutMilliseconds: 90_000,
        maxRetries: 0,
        login: undefined,
        maxConcurrency: 8,
        proxies: { httpProxy: "http://upper:3128", httpsProxy: "http://lower:3128", noProxy: "localhost" },
        dialect: "hashicorp",
        namespace: undefined,
        movedFrom: ["https://one.example.com", "https://two.example.com/api/v2"],
        assumedGone: new Set(["prj-1", "prj-2"]),
      });
      const nothing = resolve({});
      for (const name of [
        "headers",
        "caCertificate",
        "insecureSkipVerify",
        "requestTimeoutMilliseconds",
        "maxRetries",
      ] as const) {
        assert.equal(nothing[name], undefined, name);
      }
      assert.equal(nothing.dialect, "documented");
      assert.deepEqual([nothing.movedFrom, nothing.assumedGone], [[], new Set()]);
    });

    const timeouts: readonly [string, number][] = [
      ["45", 45_000],
      ["1.005s", 1005],
      ["500ms", 500],
      ["1.5ms", 2],
      ["1ns", 1],
      ["24d", 2_073_600_000],
    ];
    for (const [given, expected] of timeouts) {
      it(`counts a timeout of ${given} in whole milliseconds`, () => {
        assert.equal(resolve({ PROVISIONING_REQUEST_TIMEOUT: given }).requestTimeoutMilliseconds, expected);
      });
    }

    for (const [given, expected] of [
      ["1", true],
      ["T", true],
      ["f", false],
      ["0", false],
      ["False", false],
    ] as const) {
      it(`reads ${given} as ${String(expected)}`, () => {
        assert.equal(resolve({ PROVISIONING_SKIP_VERIFY: given }).insecureSkipVerify, expected);
      });
    }

    it("have a namespace where the service knows one", () => {
      const given = { SECRETS_ADDR: "https://example.com", SECRETS_TOKEN: "x", SECRETS_NAMESPACE: "team/a" };
      assert.equal(resolveSettings(sources(given), "secrets").namespace, "team/a");
      assert.equal(resolve({ PROVISIONING_NAMESPACE: "team/a" }).namespace, undefined);
    });
  });

  describe("the token", () => {
    it("comes with its source", async () => {
      assert.deepEqual(await resolve({}).token?.(), {
        kind: "token",
        value: "token-1",
        source: "the environment variable PROVISIONING_TOKEN",
      });
    });

    it("is read from its file at each use, without white space at its ends", async () => {
      const path = file("token", " first\n");
      const { token } = resolve({ PROVISIONING_TOKEN: "", PROVISIONING_TOKEN_FILE: path });
      const source = `the file ${path}, named by the environment variable PROVISIONING_TOKEN_FILE`;
      assert.deepEqual(await token?.(), { value: "first", source });
      file("token", "second\r\n");
      assert.deepEqual(await token?.(), { value: "second", source });
    });

    it("is refused when its file cannot be read, without what may be the token itself", async () => {
      const { token } = resolve({ PROVISIONING_TOKEN: "", PROVISIONING_TOKEN_FILE: "canary-token" });
      await assert.rejects(
        async () => token?.(),
        (error: unknown) => {
          assert.ok(ConfigurationError.isInstance(error));
          assert.equal(
            error.message,
            "The environment variable PROVISIONING_TOKEN_FILE is not a readable file (ENOENT).",
          );
          return true;
        },
      );
    });
  });
});

describe("dialectOf", () => {
  it("needs neither address nor token", () => {
    const service: ServiceName = "scheduler";
    assert.equal(dialectOf(sources({}), service), "documented");
    assert.equal(dialectOf(sources({ SCHEDULER_DIALECT: "hashicorp" }), service), "hashicorp");
    const given = sources({ SCHEDULER_DIALECT: "hashicorp" }, { "trivium:schedulerDialect": "documented" });
    assert.equal(dialectOf(given, service), "documented");
  });
});

describe("foresee", () => {
  const none = { PROVISIONING_ADDR: "" };
  const configured = { "trivium:provisioningAddress": "https://example.com" };
  const table: readonly [
    what: string,
    configuration: Values,
    environment: Values,
    failure: RegExp | undefined,
    warning: RegExp | undefined,
  ][] = [
    ["a complete connection", configured, { PROVISIONING_TOKEN: "x" }, undefined, undefined],
    [
      "no address",
      {},
      none,
      /address \(`pulumi config set trivium:provisioningAddress` or the environment variable PROVISIONING_ADDR\).*new trivium\.Provider\(/,
      undefined,
    ],
    [
      "a host in the place of an URL",
      { "trivium:provisioningAddress": "foo.example.com" },
      {},
      /^The configuration value trivium:provisioningAddress is not a valid URL.*`pulumi config set trivium:provisioningAddress`.*PROVISIONING_ADDR.*the provider argument/,
      undefined,
    ],
    [
      "an unknown dialect",
      { ...configured, "trivium:provisioningDialect": "klingon" },
      {},
      /trivium:provisioningDialect must be/,
      undefined,
    ],
    ["no token", configured, {}, undefined, /token \(`pulumi config set --secret trivium:provisioningToken`/],
    ["a file with the token", configured, { PROVISIONING_TOKEN_FILE: "/nowhere" }, undefined, undefined],
    [
      "a file that is not there",
      configured,
      { PROVISIONING_TOKEN: "x", PROVISIONING_CACERT: "/nowhere" },
      undefined,
      undefined,
    ],
    [
      "a time limit that is none",
      { ...configured, "trivium:provisioningRequestTimeout": "soon" },
      { PROVISIONING_TOKEN: "x" },
      /trivium:provisioningRequestTimeout is not a duration/,
      undefined,
    ],
  ];
  for (const [what, configuration, environment, failure, warning] of table) {
    it(`says without a request what is wrong: ${what}`, () => {
      const found = foresee(sources(environment, configuration), "provisioning");
      for (const [text, expected] of [
        [found.failure, failure],
        [found.warning, warning],
      ] as const) {
        assert.match(text ?? "nothing", expected ?? /^nothing$/);
      }
    });
  }

  it("needs no token of a scheduler", () => {
    const found = foresee(sources({ SCHEDULER_ADDR: "http://127.0.0.1:4646" }), "scheduler");
    assert.deepEqual([found.failure, found.warning], [undefined, undefined]);
  });

  it("tells the location of a service without its token", () => {
    const { settings } = foresee(sources({}, configured), "provisioning");
    assert.equal(settings?.address, "https://example.com");
  });

  it("knows nothing before the engine has configured the process", () => {
    assert.deepEqual(foresee({ configuration: undefined, environment: {} }, "secrets"), {});
  });
});
