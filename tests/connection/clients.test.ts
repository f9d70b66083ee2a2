import assert from "node:assert/strict";
import { connect } from "../../sdk/connection/clients";
import type { ServiceName } from "../../sdk/connection/settings";
import type { Sources } from "../../sdk/connection/sources";
import { ConfigurationError } from "../../sdk/http/errors";
import { path } from "../../sdk/http/path";
import type { SecretsClient } from "../../sdk/secrets/client";
import { json, startServer, stopServers } from "../http/server";

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
    connect(sources(given), service);

  it("makes one connection for a process and settings", () => {
    assert.equal(connected(settings), connected({ ...settings }));
  });

  it("makes the same one wherever equal settings come from", () => {
    const environment = { SECRETS_ADDR: "http://127.0.0.1:9" };
    const given = sources({ "trivium:secretsToken": "token-of-clients-test" }, environment);
    assert.equal(connect(given, "secrets"), connected(settings));
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
    assert.equal(connect(sources(given), "secrets").identity, "http://127.0.0.1:11/v1");
  });

  it("knows which objects were made there", () => {
    const connection = connect(sources(settings), "secrets");
    connection.assertMadeHere("http://127.0.0.1:9/v1");
    assert.throws(
      () => connection.assertMadeHere("http://127.0.0.1:10/v1"),
      /made at http:\/\/127\.0\.0\.1:10/,
    );
  });
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
      const client = connect(sources(given), "secrets").clientFor(caller) as SecretsClient;
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
