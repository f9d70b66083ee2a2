import assert from "node:assert/strict";
import { ConfigurationError } from "../../sdk/base/errors";
import { path } from "../../sdk/base/path";
import { connect, type ServiceConnection } from "../../sdk/connection/connect";
import { schedulerService } from "../../sdk/scheduler/service";
import type { SecretsClient } from "../../sdk/secrets/client";
import { secretsService } from "../../sdk/secrets/service";
import { failure } from "../http/calls";
import { json, startServer, stopServers, unusedPort } from "../http/server";
import { sourcesWith } from "./environment";

type Values = Readonly<Record<string, string>>;

const { signal } = new AbortController();
const caller = { signal, progress: () => undefined, announce: () => undefined };
const token = "token-of-connect-test";

function connectWith(configuration: Values, environment: Values = {}): ServiceConnection<SecretsClient> {
  return connect(sourcesWith(environment, configuration), secretsService);
}

function list(configuration: Values, environment: Values = {}): Promise<unknown> {
  const client = connectWith(configuration, environment).clientFor(caller);
  return client.list({ summary: "list things", path: path`/things` });
}

describe("connect", () => {
  afterEach(stopServers);

  const settings = { "trivium:secretsAddress": "http://127.0.0.1:9", "trivium:secretsToken": token };

  it("connect shares a connection between equal settings from any source, and opens another one for each different value or service", () => {
    const environment = { SECRETS_ADDR: "http://127.0.0.1:9" };
    assert.equal(connectWith({ "trivium:secretsToken": token }, environment), connectWith(settings));
    const others = {
      Address: "http://127.0.0.1:10",
      Token: "other-token",
      MovedFrom: "https://old.example.com",
      Headers: '{"X-Team": "header-of-connect-test"}',
      ServerName: "inside.example.com",
      InsecureSkipVerify: "true",
      RequestTimeout: "5s",
      MaxRetries: "1",
      MaxConcurrency: "1",
      Namespace: "team/a",
      Dialect: "hashicorp",
    };
    const connections = Object.entries(others).map(([name, value]) =>
      connectWith({ ...settings, [`trivium:secrets${name}`]: value }),
    );
    assert.equal(new Set([connectWith(settings), ...connections]).size, Object.keys(others).length + 1);
    const scheduler = { SCHEDULER_ADDR: "http://127.0.0.1:9", SCHEDULER_TOKEN: token };
    assert.notEqual(connect(sourcesWith(scheduler), schedulerService), connectWith(settings));
  });

  it("connect fails as long as a setting is missing, and then works", () => {
    const given: Record<string, string> = { SECRETS_ADDR: "http://127.0.0.1:11" };
    const sources = sourcesWith(given);
    assert.throws(() => connect(sources, secretsService), ConfigurationError);
    assert.throws(() => connect(sources, secretsService), ConfigurationError);
    given.SECRETS_TOKEN = token;
    assert.equal(connect(sourcesWith(given), secretsService).identity, "http://127.0.0.1:11/v1");
  });

  it("the error for a rejected token names the product's variable that the token came from", async () => {
    const { address, received } = await startServer((response) => json(response, 401, { errors: ["no"] }));
    const product = { VAULT_ADDR: `${address}/v1/`, VAULT_TOKEN: token, VAULT_NAMESPACE: "team/a" };
    const environment = { SECRETS_DIALECT: "hashicorp", ...product };
    const identity = `${address}/v1 namespace=team/a dialect=hashicorp`;
    assert.equal(connectWith({}, environment).identity, identity);
    const { message } = await failure(list({}, environment));
    assert.match(message, /token from the environment variable VAULT_TOKEN.*set TRIVIUM_SECRETS_TOKEN\./);
    assert.equal(received[0]?.url, "/v1/things?list=true");
  });

  it("the error of a connection names the source of the address if nothing listens there, and where to set it in this dialect", async () => {
    const address = `http://127.0.0.1:${await unusedPort()}`;
    const common = { SECRETS_MAX_RETRIES: "0", SECRETS_TOKEN: token };
    const key = "trivium:secretsAddress";
    const products = { [key]: `${address}/`, "trivium:secretsDialect": "hashicorp" };
    const rows: readonly [configuration: Values, environment: Values, source: string, places: string][] = [
      [{}, { SECRETS_ADDR: address }, "the environment variable SECRETS_ADDR", "SECRETS_ADDR"],
      [products, {}, `the configuration value ${key}`, "SECRETS_ADDR, VAULT_ADDR"],
    ];
    for (const [configuration, environment, source, places] of rows) {
      const { message } = await failure(list(configuration, { ...common, ...environment }));
      const from = `Nothing is listening there. The address ${address} comes from ${source}.`;
      assert.ok(message.includes(from) && message.includes(`check address (${key}, ${places}).`), message);
    }
  });

  /** The headers of the one request that a call makes, of those whose values are ours. */
  async function headersOf(call: (address: string) => Promise<unknown>): Promise<unknown> {
    const server = await startServer((response) => json(response, 404, { errors: [] }));
    await call(server.address).catch(() => undefined);
    const sent = Object.entries(server.received[0]?.headers ?? {});
    const isOurs = (value: unknown): boolean => String(value).includes(token) || value === "team/a";
    return Object.fromEntries(sent.filter(([name, value]) => isOurs(value) || name.endsWith("-request")));
  }

  type Call = (address: string, environment: Values) => Promise<unknown>;
  const listing: Call = (address, environment) =>
    list({}, { SECRETS_ADDR: address, SECRETS_TOKEN: token, ...environment });
  const following: Call = (address, environment) => {
    const settings = { SCHEDULER_ADDR: address, SCHEDULER_TOKEN: token, ...environment };
    const { clientFor } = connect(sourcesWith(settings), schedulerService);
    return clientFor(caller).openEventStream({ topics: ["Node"] }, 0, signal);
  };
  const nomad = { SCHEDULER_DIALECT: "hashicorp" };
  const team = { SECRETS_NAMESPACE: "team/a" };
  const ofVault = { "x-vault-token": token, "x-vault-namespace": "team/a", "x-vault-request": "true" };
  const rows: readonly [what: string, Call, environment: Values, expected: Values][] = [
    ["a scheduler", following, {}, { authorization: `Bearer ${token}` }],
    ["Nomad", following, nomad, { "x-nomad-token": token }],
    ["a secrets service", listing, {}, { "x-secrets-token": token }],
    ["one with a namespace", listing, team, { "x-secrets-token": token, "x-secrets-namespace": "team/a" }],
    ["Vault", listing, { ...team, SECRETS_DIALECT: "hashicorp" }, ofVault],
  ];
  for (const [what, call, environment, expected] of rows) {
    it(`a service receives its token in its own header, and in no other way: ${what}`, async () =>
      assert.deepEqual(await headersOf((address) => call(address, environment)), expected));
  }
});
