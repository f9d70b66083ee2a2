import assert from "node:assert/strict";
import { connect } from "../../sdk/connection/clients";
import type { ServiceName } from "../../sdk/connection/settings";
import type { Sources } from "../../sdk/connection/sources";
import { ConfigurationError } from "../../sdk/http/errors";

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
