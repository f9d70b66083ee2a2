import assert from "node:assert/strict";
import { connect } from "../../sdk/connection/connect";
import type { ServiceName } from "../../sdk/base/settings";
import type { Sources } from "../../sdk/connection/sources";
import { ConfigurationError } from "../../sdk/base/errors";
import { path } from "../../sdk/base/path";
import { schedulerService } from "../../sdk/scheduler/service";
import { secretsService } from "../../sdk/secrets/service";
import { services } from "../../sdk/services";
import { failure } from "../http/calls";
import { json, startServer, stopServers, unusedPort } from "../http/server";

type Values = Readonly<Record<string, string>>;

function sources(configuration: Values, environment: Values = {}): Sources {
  return { configuration: { get: (key) => new Map(Object.entries(configuration)).get(key) }, environment };
}

describe("connect", () => {
  const settings = {
    "trivium:secretsAddress": "http://127.0.0.1:9",
    "trivium:secretsToken": "token-of-clients-test",
  };
  const connected = (given: Values, service: ServiceName = "secrets"): unknown =>
    connect(sources(given), services[service]);

  it("makes one connection for a process and settings", () => {
    assert.equal(connected(settings), connected({ ...settings }));
  });

  it("makes the same one wherever equal settings come from", () => {
    const environment = { SECRETS_ADDR: "http://127.0.0.1:9" };
    const given = sources({ "trivium:secretsToken": "token-of-clients-test" }, environment);
    assert.equal(connect(given, secretsService), connected(settings));
  });

  const others: readonly [string, string][] = [
    ["Address", "http://127.0.0.1:10"],
    ["Token", "other-token-of-clients-test"],
    ["Headers", '{"X-Team": "header-of-clients-test"}'],
    ["ServerName", "inside.example.com"],
    ["InsecureSkipVerify", "true"],
    ["RequestTimeout", "5s"],
    ["MaxRetries", "1"],
    ["MaxConcurrency", "1"],
    ["Namespace", "team/a"],
    ["Dialect", "hashicorp"],
    ["MovedFrom", "https://old.example.com"],
  ];
  for (const [name, value] of others) {
    it(`makes another one for another ${name}`, () => {
      assert.notEqual(connected({ ...settings, [`trivium:secrets${name}`]: value }), connected(settings));
    });
  }

  it("makes another one for another service at the same address", () => {
    const scheduler = {
      "trivium:schedulerAddress": "http://127.0.0.1:9",
      "trivium:schedulerToken": "token-of-clients-test",
    };
    assert.notEqual(connected(scheduler, "scheduler"), connected(settings));
  });

  it("fails again and again while something is missing, and then works", () => {
    const given: Record<string, string> = { "trivium:secretsAddress": "http://127.0.0.1:11" };
    for (const attempt of [1, 2]) {
      assert.throws(
        () => connected(given),
        (error) => ConfigurationError.isInstance(error),
        `attempt ${attempt}`,
      );
    }
    given["trivium:secretsToken"] = "token-of-clients-test";
    assert.equal(connect(sources(given), secretsService).identity, "//127.0.0.1:11");
  });

  it("knows which objects were made there", () => {
    const connection = connect(sources(settings), secretsService);
    connection.assertSameService("http://127.0.0.1:9/v1");
    assert.throws(
      () => connection.assertSameService("http://127.0.0.1:10/v1"),
      /created at http:\/\/127\.0\.0\.1:10/,
    );
  });
});

describe("a connection by the products' own variables", () => {
  afterEach(stopServers);

  const caller = {
    signal: new AbortController().signal,
    progress: () => undefined,
    announce: () => undefined,
  };

  it("reaches them, and says of a refused token which variable it came from", async () => {
    const service = await startServer((response) => json(response, 401, { errors: ["no"] }));
    const environment = {
      SECRETS_DIALECT: "hashicorp",
      VAULT_ADDR: `${service.address}/v1/`,
      VAULT_TOKEN: "token-of-products-test",
      VAULT_NAMESPACE: "team/a",
    };
    const connection = connect(sources({}, environment), secretsService);
    const place = service.address.replace("http:", "");
    assert.equal(connection.identity, `${place} namespace=team/a h`);
    const client = connection.clientFor(caller);
    const error = await failure(client.list({ summary: "list things", path: path`/things` }));
    assert.match(
      error.message,
      /comes from the environment variable VAULT_TOKEN.*TRIVIUM_SECRETS_TOKEN overrides/,
    );
    const { headers, url } = service.received[0] ?? {};
    assert.deepEqual(
      [url, headers?.["x-vault-token"], headers?.["x-vault-namespace"]],
      ["/v1/things?list=true", "token-of-products-test", "team/a"],
    );
  });

  it("says of a refused connection where the address came from", async () => {
    const address = `http://127.0.0.1:${await unusedPort()}`;
    const environment = { SECRETS_MAX_RETRIES: "0", SECRETS_TOKEN: "token-of-products-test" };
    const places: readonly [Sources, string][] = [
      [sources({}, { ...environment, SECRETS_ADDR: address }), "the environment variable SECRETS_ADDR"],
      [
        sources({ "trivium:secretsAddress": `${address}/` }, environment),
        "the configuration value trivium:secretsAddress",
      ],
    ];
    for (const [given, place] of places) {
      const client = connect(given, secretsService).clientFor(caller);
      const { message } = await failure(client.list({ summary: "list things", path: path`/things` }));
      assert.ok(
        message.includes(`Nothing is listening there. The address ${address} comes from ${place}.`),
        message,
      );
    }
  });

  it("names them where a setting is wrong, in their dialect only", async () => {
    const port = await unusedPort();
    const given = {
      "trivium:secretsAddress": `http://127.0.0.1:${port}`,
      "trivium:secretsToken": "token-of-products-test",
      "trivium:secretsMaxRetries": "0",
    };
    const problem = async (dialect: string): Promise<string> => {
      const connection = connect(sources({ ...given, "trivium:secretsDialect": dialect }), secretsService);
      const client = connection.clientFor(caller);
      return (await failure(client.list({ summary: "list things", path: path`/things` }))).message;
    };
    assert.match(
      await problem("hashicorp"),
      /Check .* address \(trivium:secretsAddress, SECRETS_ADDR, VAULT_ADDR\)/,
    );
    assert.match(await problem("documented"), /Check .* address \(trivium:secretsAddress, SECRETS_ADDR\)/);
  });
});

describe("the headers of the scheduler", () => {
  afterEach(stopServers);

  for (const [dialect, expected] of [
    ["documented", { authorization: "Bearer token-of-headers-test" }],
    ["hashicorp", { "x-nomad-token": "token-of-headers-test" }],
  ] as const) {
    it(`carry the token as ${dialect} schedulers take it, and in no other way`, async () => {
      const service = await startServer((response) => json(response, 403, "no"));
      const given = {
        "trivium:schedulerAddress": service.address,
        "trivium:schedulerToken": "token-of-headers-test",
        "trivium:schedulerDialect": dialect,
      };
      const caller = {
        signal: new AbortController().signal,
        progress: () => undefined,
        announce: () => undefined,
      };
      const client = connect(sources(given), schedulerService).clientFor(caller);
      await failure(client.openEventStream({ topics: ["Node"] }, 0, caller.signal));
      const sent = Object.entries(service.received[0]?.headers ?? {});
      assert.deepEqual(
        Object.fromEntries(sent.filter(([, value]) => String(value).includes("token-of-headers-test"))),
        expected,
      );
    });
  }
});

describe("the headers of the secrets service", () => {
  afterEach(stopServers);

  const rows: readonly [string, Values, Values][] = [
    ["carry the token", {}, { "x-secrets-token": "token-of-headers-test" }],
    [
      "carry the namespace when there is one",
      { "trivium:secretsNamespace": "team/a" },
      { "x-secrets-token": "token-of-headers-test", "x-secrets-namespace": "team/a" },
    ],
    [
      "are those of the products in their dialect",
      { "trivium:secretsNamespace": "team/a", "trivium:secretsDialect": "hashicorp" },
      { "x-vault-token": "token-of-headers-test", "x-vault-namespace": "team/a" },
    ],
  ];
  for (const [title, settings, expected] of rows) {
    it(title, async () => {
      const service = await startServer((response) => json(response, 404, { errors: [] }));
      const given = {
        "trivium:secretsAddress": service.address,
        "trivium:secretsToken": "token-of-headers-test",
        ...settings,
      };
      const caller = {
        signal: new AbortController().signal,
        progress: () => undefined,
        announce: () => undefined,
      };
      const client = connect(sources(given), secretsService).clientFor(caller);
      await client.list({ summary: "list things", path: path`/things` });
      const names = [
        "authorization",
        "x-secrets-token",
        "x-secrets-namespace",
        "x-vault-token",
        "x-vault-namespace",
      ];
      const sent = service.received[0]?.headers ?? {};
      assert.deepEqual(
        Object.fromEntries(names.filter((name) => name in sent).map((name) => [name, sent[name]])),
        expected,
      );
      assert.equal(service.received[0]?.url, "/v1/things?list=true");
    });
  }
});
