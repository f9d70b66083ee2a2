import assert from "node:assert/strict";
import {
  type Found,
  findDialect,
  findSetting,
  findToken,
  hasOwnAddress,
  ownAddressKey,
  type Sources,
} from "../../sdk/connection/sources";
import { serviceNames, configurationKey, movedFromKey, settingsOf } from "../../sdk/base/settings";
import { unknownKeys, warnOfUnknownKeys } from "../../sdk/connection/unknown-keys";
import { useMocks, warningsOf } from "../resource/mocks";
import * as pulumi from "@pulumi/pulumi";

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
      source: "the configuration value trivium:secretsAddress",
    });
    const fromEnvironment = { value: "http://environment", source: "the environment variable SECRETS_ADDR" };
    assert.deepEqual(find({ "trivium:provisioningAddress": "http://other" }, environment), fromEnvironment);
    assert.deepEqual(find(undefined, environment), fromEnvironment);
    assert.equal(find({}, {}), undefined);
  });

  it("treats an empty value as none", () => {
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
      "token of the stack from the configuration value trivium:schedulerToken",
    ],
    [
      "the stack's file before the environment's token",
      { "trivium:schedulerTokenFile": "/stack" },
      environment,
      "tokenFile /stack from the configuration value trivium:schedulerTokenFile",
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
      "a provider's own before the override, which is meant for another address",
      { ...configuration, "trivium:schedulerOwnAddress": "true" },
      { TRIVIUM_SCHEDULER_TOKEN: "of this run" },
      "token of the stack from the provider's settings (trivium:schedulerToken)",
    ],
    [
      "an empty override for none",
      configuration,
      { TRIVIUM_SCHEDULER_TOKEN: "" },
      "token of the stack from the configuration value trivium:schedulerToken",
    ],
    ["none of another service", {}, { SECRETS_TOKEN: "x", TRIVIUM_SECRETS_TOKEN: "x" }, "none"],
  ];
  for (const [name, given, variables, expected] of cases) {
    it(`takes ${name}`, () => {
      assert.equal(find(given, variables), expected);
    });
  }
});

describe("findDialect", () => {
  const rows: readonly [string, Values, Values, string | undefined][] = [
    ["nothing", {}, {}, "documented"],
    ["stack configuration", { "trivium:secretsDialect": "hashicorp" }, {}, "hashicorp"],
    ["the environment", {}, { SECRETS_DIALECT: "hashicorp" }, "hashicorp"],
    ["another service", {}, { SCHEDULER_DIALECT: "hashicorp" }, "documented"],
    ["a text that names none", {}, { SECRETS_DIALECT: "hashicrop" }, undefined],
    ["stack configuration for all services", { "trivium:dialect": "hashicorp" }, {}, "hashicorp"],
    ["the environment for all services", {}, { TRIVIUM_DIALECT: "hashicorp" }, "hashicorp"],
    [
      "stack configuration before the environment for all services",
      { "trivium:dialect": "documented" },
      { TRIVIUM_DIALECT: "hashicorp" },
      "documented",
    ],
    [
      "its own before that for all services",
      { "trivium:secretsDialect": "documented", "trivium:dialect": "hashicorp" },
      { TRIVIUM_DIALECT: "hashicorp" },
      "documented",
    ],
    [
      "its own of the environment before that for all services of the stack",
      { "trivium:dialect": "hashicorp" },
      { SECRETS_DIALECT: "documented" },
      "documented",
    ],
    ["a text for all services that names none", {}, { TRIVIUM_DIALECT: "hashicrop" }, undefined],
  ];
  for (const [what, configuration, environment, expected] of rows) {
    it(`uses ${what}`, () =>
      assert.equal(findDialect(sources(configuration, environment), "secrets"), expected));
  }
});

describe("the dialect of all services", () => {
  it("says where it was found", () => {
    const find = (configuration: Values, environment: Values): string | undefined =>
      findSetting(sources(configuration, environment), "scheduler", "dialect")?.source;
    const environment = { TRIVIUM_DIALECT: "hashicorp" };
    assert.equal(find({}, environment), "the environment variable TRIVIUM_DIALECT");
    assert.equal(
      find({ "trivium:dialect": "hashicorp" }, environment),
      "the configuration value trivium:dialect",
    );
  });

  it("applies to a provider with an address of its own", () => {
    const own = { [ownAddressKey("secrets")]: "true", "trivium:secretsAddress": "https://eu.example.com" };
    assert.equal(findDialect(sources(own, { TRIVIUM_DIALECT: "hashicorp" }), "secrets"), "hashicorp");
    const given = { ...own, "trivium:dialect": "hashicorp" };
    assert.equal(
      findSetting(sources(given, {}), "secrets", "dialect")?.source,
      "the provider's settings (trivium:dialect)",
    );
  });

  it("makes every service read the variables of its product", () => {
    const environment = {
      TRIVIUM_DIALECT: "hashicorp",
      TFE_TOKEN: "tfe",
      VAULT_TOKEN: "vault",
      NOMAD_TOKEN: "nomad",
    };
    const tokens = serviceNames.map((service) => findToken(sources({}, environment), service)?.value);
    assert.deepEqual(tokens, ["tfe", "vault", "nomad"]);
  });

  it("is the only setting of all services", () => {
    const environment = { TRIVIUM_ADDR: "https://example.com", TRIVIUM_TOKEN: "token" };
    const configuration = { "trivium:address": "https://example.com", "trivium:token": "token" };
    assert.equal(findSetting(sources(configuration, environment), "secrets", "address"), undefined);
    assert.equal(findToken(sources(configuration, environment), "secrets"), undefined);
  });
});

describe("the products' own variables", () => {
  const spoken = { SECRETS_DIALECT: "hashicorp" };
  const products = {
    VAULT_ADDR: "https://vault",
    VAULT_TOKEN: "of the product",
    VAULT_NAMESPACE: "team",
    VAULT_CACERT: "/product/ca",
    VAULT_CLIENT_CERT: "/product/certificate",
    VAULT_CLIENT_KEY: "/product/key",
    VAULT_TLS_SERVER_NAME: "product",
    VAULT_SKIP_VERIFY: "1",
  };
  const names = [
    "address",
    "namespace",
    "caCertificate",
    "clientCertificate",
    "clientKey",
    "serverName",
    "insecureSkipVerify",
  ] as const;

  it("are read in the products' dialect, each saying where it was found", () => {
    const given = sources({}, { ...spoken, ...products });
    assert.deepEqual(
      names.map((name) => findSetting(given, "secrets", name)?.value),
      ["https://vault", "team", "/product/ca", "/product/certificate", "/product/key", "product", "1"],
    );
    assert.deepEqual(findToken(given, "secrets"), {
      kind: "token",
      value: "of the product",
      source: "the environment variable VAULT_TOKEN",
    });
  });

  for (const dialect of ["documented", "hashicrop", ""]) {
    it(`are not read where the dialect is ${JSON.stringify(dialect)}`, () => {
      const given = sources({}, { ...products, SECRETS_DIALECT: dialect });
      assert.equal(findToken(given, "secrets"), undefined);
      assert.ok(names.every((name) => findSetting(given, "secrets", name) === undefined));
    });
  }

  it("are not read for another service, whatever it speaks", () => {
    const given = sources({}, { ...products, ...spoken, SCHEDULER_DIALECT: "hashicorp" });
    assert.equal(findSetting(given, "scheduler", "address"), undefined);
    assert.equal(findToken(given, "scheduler"), undefined);
  });

  it("come last, setting by setting", () => {
    const own = { SECRETS_NAMESPACE: "own", SECRETS_CACERT: "/own/ca", SECRETS_TOKEN_FILE: "/own/token" };
    const given = sources({ "trivium:secretsAddress": "https://stack" }, { ...spoken, ...products, ...own });
    assert.deepEqual(
      names.map((name) => findSetting(given, "secrets", name)?.source),
      [
        "the configuration value trivium:secretsAddress",
        "the environment variable SECRETS_NAMESPACE",
        "the environment variable SECRETS_CACERT",
        "the environment variable VAULT_CLIENT_CERT",
        "the environment variable VAULT_CLIENT_KEY",
        "the environment variable VAULT_TLS_SERVER_NAME",
        "the environment variable VAULT_SKIP_VERIFY",
      ],
    );
    const token = findToken(given, "secrets");
    assert.deepEqual([token?.kind, token?.value], ["tokenFile", "/own/token"]);
    const overridden = findToken(
      sources({}, { ...spoken, ...products, TRIVIUM_SECRETS_TOKEN: "of this run" }),
      "secrets",
    );
    assert.equal(overridden?.value, "of this run");
  });

  it("that are empty are none", () => {
    const given = sources({}, { ...spoken, ...products, VAULT_ADDR: "", VAULT_TOKEN: "" });
    assert.equal(findSetting(given, "secrets", "address"), undefined);
    assert.equal(findToken(given, "secrets"), undefined);
  });

  const addresses: readonly [string, Values, string, string][] = [
    ["an origin", { TFE_ADDRESS: "https://tfe.example.com" }, "https://tfe.example.com", "TFE_ADDRESS"],
    ["plain HTTP", { TFE_ADDRESS: "http://localhost:8080" }, "http://localhost:8080", "TFE_ADDRESS"],
    ["the name of a host", { TFE_HOSTNAME: "app.example.com" }, "https://app.example.com", "TFE_HOSTNAME"],
    ["a host and a port", { TFE_HOSTNAME: "localhost:8443" }, "https://localhost:8443", "TFE_HOSTNAME"],
    ["no scheme", { TFE_ADDRESS: "tfe.example.com/tfe" }, "https://tfe.example.com/tfe", "TFE_ADDRESS"],
    ["two", { TFE_HOSTNAME: "second", TFE_ADDRESS: "https://first" }, "https://first", "TFE_ADDRESS"],
    ["an empty one before", { TFE_HOSTNAME: "second", TFE_ADDRESS: "" }, "https://second", "TFE_HOSTNAME"],
  ];
  for (const [what, variables, value, variable] of addresses) {
    it(`may hold as an address ${what}`, () => {
      const given = sources({ "trivium:provisioningDialect": "hashicorp" }, variables);
      const source = `the environment variable ${variable}`;
      assert.deepEqual(findSetting(given, "provisioning", "address"), { value, source });
    });
  }

  it("give no credentials to a provider with an address of its own", () => {
    const own = { "trivium:secretsAddress": "http://own", "trivium:secretsOwnAddress": "true" };
    const given = sources(own, { ...spoken, ...products });
    assert.equal(findToken(given, "secrets"), undefined);
    assert.equal(findSetting(given, "secrets", "clientCertificate"), undefined);
    assert.equal(findSetting(given, "secrets", "clientKey"), undefined);
    assert.equal(findSetting(given, "secrets", "namespace")?.value, "team");
    assert.equal(findSetting(given, "secrets", "address")?.value, "http://own");
  });
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

  it("gets no credentials from the environment: they belong to another address", () => {
    const given = sources(own, environment);
    assert.equal(findToken(given, "secrets"), undefined);
    const trust = [
      "token",
      "tokenFile",
      "caCertificate",
      "clientCertificate",
      "clientKey",
      "headers",
    ] as const;
    for (const name of trust) {
      assert.equal(findSetting(given, "secrets", name), undefined, name);
    }
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

describe("unknownKeys", () => {
  it("passes every setting of every service, and what else is the library's", () => {
    const own = serviceNames.flatMap((service) => [
      ...settingsOf(service).map(([name]) => configurationKey(service, name)),
      movedFromKey(service),
    ]);
    assert.deepEqual(unknownKeys([...own, "trivium:adapter", "trivium:dialect"]), []);
  });

  it("leaves other namespaces alone", () => {
    assert.deepEqual(unknownKeys(["aws:regoin", "project:secretsTokn", "triviums:secretsTokn"]), []);
  });

  const typos: readonly [string, string | undefined][] = [
    ["secretsTokn", "secretsToken"],
    ["secretstoken", "secretsToken"],
    ["secretAddress", "secretsAddress"],
    ["provisioningAdress", "provisioningAddress"],
    ["schedulerDialekt", "schedulerDialect"],
    ["dialekt", "dialect"],
    ["provisioningNamespace", undefined],
    ["x", undefined],
  ];
  for (const [key, meant] of typos) {
    it(`asks whether ${key} is meant to be ${meant ?? "another"}`, () => {
      const [found, ...more] = unknownKeys([`trivium:${key}`]);
      assert.deepEqual([found?.key, more], [`trivium:${key}`, []]);
      if (meant !== undefined) {
        assert.equal(found?.meant, `trivium:${meant}`);
      }
    });
  }
});

describe("warnOfUnknownKeys", () => {
  useMocks();

  it("says nothing in unit tests of programs", async () => {
    const warnings = await warningsOf(() => {
      pulumi.runtime.setAllConfig({ "trivium:secretsTokn": "x" });
      warnOfUnknownKeys();
    });
    assert.deepEqual(warnings, []);
  });
});
