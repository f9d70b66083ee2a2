import assert from "node:assert/strict";
import {
  type Found,
  findSetting,
  findToken,
  hasOwnAddress,
  type Sources,
} from "../../sdk/connection/sources";

type Values = Readonly<Record<string, string>>;

function sources(configuration: Values | undefined, environment: Values): Sources {
  return {
    configuration:
      configuration === undefined
        ? undefined
        : { get: (key) => new Map(Object.entries(configuration)).get(key) },
    environment,
  };
}

describe("findSetting", () => {
  const find = (configuration: Values | undefined, environment: Values): Found | undefined =>
    findSetting(sources(configuration, environment), "secrets", "address");

  it("prefers configuration to the environment, and says where it found what", () => {
    const environment = { SECRETS_ADDR: "http://environment", PROVISIONING_ADDR: "http://other" };
    assert.deepEqual(find({ "trivium:secretsAddress": "http://stack" }, environment), {
      value: "http://stack",
      source: "the configuration trivium:secretsAddress",
    });
    const fromEnvironment = { value: "http://environment", source: "the environment variable SECRETS_ADDR" };
    assert.deepEqual(find({ "trivium:provisioningAddress": "http://other" }, environment), fromEnvironment);
    assert.deepEqual(find(undefined, environment), fromEnvironment);
    assert.equal(find({}, {}), undefined);
  });

  it("takes an empty value for none", () => {
    assert.equal(find({ "trivium:secretsAddress": "" }, { SECRETS_ADDR: "" }), undefined);
    const found = find({ "trivium:secretsAddress": "" }, { SECRETS_ADDR: "http://environment" });
    assert.equal(found?.value, "http://environment");
  });

  it("knows no variable for headers", () => {
    const found = findSetting(sources({}, { SECRETS_HEADERS: "{}", SECRETS_: "{}" }), "secrets", "headers");
    assert.equal(found, undefined);
  });
});

describe("findToken", () => {
  const environment = { SCHEDULER_TOKEN: "of the environment", SCHEDULER_TOKEN_FILE: "/environment" };
  const configuration = {
    "trivium:schedulerToken": "of the stack",
    "trivium:schedulerTokenFile": "/stack",
  };
  const find = (given: Values, variables: Values): string => {
    const found = findToken(sources(given, variables), "scheduler");
    return found === undefined ? "none" : `${found.kind} ${found.value} from ${found.source}`;
  };

  const cases: readonly [string, Values, Values, string][] = [
    [
      "the stack's before the environment's",
      configuration,
      environment,
      "token of the stack from the configuration trivium:schedulerToken",
    ],
    [
      "the stack's file before the environment's token",
      { "trivium:schedulerTokenFile": "/stack" },
      environment,
      "tokenFile /stack from the configuration trivium:schedulerTokenFile",
    ],
    [
      "the environment's token before its file",
      {},
      environment,
      "token of the environment from the environment variable SCHEDULER_TOKEN",
    ],
    [
      "the environment's file",
      {},
      { SCHEDULER_TOKEN_FILE: "/environment" },
      "tokenFile /environment from the environment variable SCHEDULER_TOKEN_FILE",
    ],
    [
      "the override before everything",
      configuration,
      { ...environment, TRIVIUM_SCHEDULER_TOKEN: "of this run" },
      "token of this run from the environment variable TRIVIUM_SCHEDULER_TOKEN",
    ],
    [
      "the override also before a provider's own",
      { ...configuration, "trivium:schedulerOwnAddress": "true" },
      { TRIVIUM_SCHEDULER_TOKEN: "of this run" },
      "token of this run from the environment variable TRIVIUM_SCHEDULER_TOKEN",
    ],
    [
      "an empty override for none",
      configuration,
      { TRIVIUM_SCHEDULER_TOKEN: "" },
      "token of the stack from the configuration trivium:schedulerToken",
    ],
    ["none of another service", {}, { SECRETS_TOKEN: "x", TRIVIUM_SECRETS_TOKEN: "x" }, "none"],
  ];
  for (const [name, given, variables, expected] of cases) {
    it(`takes ${name}`, () => {
      assert.equal(find(given, variables), expected);
    });
  }
});

describe("a provider that gives the address", () => {
  const own = { "trivium:secretsAddress": "http://own", "trivium:secretsOwnAddress": "true" };
  const environment = {
    SECRETS_ADDR: "http://environment",
    SECRETS_TOKEN: "of the environment",
    SECRETS_TOKEN_FILE: "/environment",
    SECRETS_CLIENT_CERT: "of the environment",
    SECRETS_CLIENT_KEY: "of the environment",
    SECRETS_CACERT: "of the environment",
    SECRETS_NAMESPACE: "of the environment",
  };

  it("gets no credentials from the surroundings: they belong to another address", () => {
    const given = sources(own, environment);
    assert.equal(findToken(given, "secrets"), undefined);
    for (const name of ["token", "tokenFile", "clientCertificate", "clientKey", "headers"] as const) {
      assert.equal(findSetting(given, "secrets", name), undefined, name);
    }
    assert.equal(findSetting(given, "secrets", "caCertificate")?.value, "of the environment");
    assert.equal(findSetting(given, "secrets", "namespace")?.value, "of the environment");
  });

  it("uses its own, and says that they are its own", () => {
    const given = sources({ ...own, "trivium:secretsToken": "its own" }, environment);
    assert.deepEqual(findToken(given, "secrets"), {
      kind: "token",
      value: "its own",
      source: "the provider's settings (trivium:secretsToken)",
    });
  });

  it("leaves the other services as they are", () => {
    const given = sources(own, { SCHEDULER_TOKEN: "of the environment" });
    assert.equal(findToken(given, "scheduler")?.value, "of the environment");
    assert.deepEqual([hasOwnAddress(given, "secrets"), hasOwnAddress(given, "scheduler")], [true, false]);
  });
});
