import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import {
  configurationKey,
  serviceNames,
  settingsOf,
  type ServiceName,
  type SettingName,
} from "../../sdk/base/settings";
import { settingsIn } from "../../sdk/connection/found";
import type { Sources } from "../../sdk/connection/sources";
import {
  plainTokens,
  programSources,
  sourcesOf,
  unknownKeys,
  warnOfConfiguration,
} from "../../sdk/connection/program";
import { useMocks, warningsOf } from "../resource/mocks";
import { sourcesWith, useEnvironment } from "./environment";

type Values = Readonly<Record<string, string>>;

function found(sources: Sources, name: SettingName | "credential", service: ServiceName = "secrets"): string {
  const { values, ...settings } = settingsIn(sources, service);
  const credential = name === "credential" ? settings.credential : undefined;
  const setting = name === "credential" ? credential : values[name];
  const kind = credential === undefined ? "" : `${credential.kind} `;
  return setting === undefined ? "nothing" : `${kind}${setting.value} from ${setting.source}`;
}

describe("the sources of a setting", () => {
  const stack = { "trivium:secretsAddress": "http://stack" };
  const variable = { SECRETS_ADDR: "http://variable", PROVISIONING_ADDR: "http://other" };
  const file = { "trivium:secretsTokenFile": "/stack" };
  const tokens = { "trivium:secretsToken": "stack", ...file };
  const variableFile = { SECRETS_TOKEN_FILE: "/variable" };
  const variables = { SECRETS_TOKEN: "variable", ...variableFile };
  const override = { TRIVIUM_SECRETS_TOKEN: "override" };
  const own = { "trivium:secretsOwnAddress": "true" };
  const inStack = "from the configuration value trivium:secrets";
  const inVariable = "from the environment variable";
  const inProvider = "from the provider's settings (trivium:secretsToken)";
  const product = { VAULT_ADDR: "https://vault", VAULT_TOKEN: "product", VAULT_NAMESPACE: "team" };
  const vault = { SECRETS_DIALECT: "hashicorp", ...product };
  const others = { SCHEDULER_TOKEN: "x", TRIVIUM_SCHEDULER_TOKEN: "x", TRIVIUM_TOKEN: "x" };
  const ownNamespace = { ...vault, SECRETS_NAMESPACE: "own" };
  const names = ["address", "namespace", "credential"] as const;
  const unknownDialects = ["documented", "hashicrop", ""].flatMap((SECRETS_DIALECT) =>
    names.map((name) => [name, {}, { ...vault, SECRETS_DIALECT }, "nothing"] as const),
  );

  const forAll = { TRIVIUM_DIALECT: "hashicorp" };
  const stackForAll = { "trivium:dialect": "hashicorp" };
  type Row = readonly [SettingName | "credential", Values, environment: Values, string, ServiceName?];
  const ofTfe = (variables: Values, value: string, variable: string): Row => {
    const environment = { ...variables, PROVISIONING_DIALECT: "hashicorp" };
    return ["address", {}, environment, `${value} ${inVariable} ${variable}`, "provisioning"];
  };
  const rows: readonly Row[] = [
    ["address", stack, variable, `http://stack ${inStack}Address`],
    ["address", {}, variable, `http://variable ${inVariable} SECRETS_ADDR`],
    ["address", { "trivium:secretsAddress": "" }, { SECRETS_ADDR: "" }, "nothing"],
    ["headers", {}, { SECRETS_HEADERS: "{}", SECRETS_: "{}" }, "nothing"],
    ["address", { "trivium:address": "x" }, { TRIVIUM_ADDR: "x" }, "nothing"],
    ["credential", tokens, variables, `token stack ${inStack}Token`],
    ["credential", file, variables, `tokenFile /stack ${inStack}TokenFile`],
    ["credential", {}, variables, `token variable ${inVariable} SECRETS_TOKEN`],
    ["credential", {}, variableFile, `tokenFile /variable ${inVariable} SECRETS_TOKEN_FILE`],
    ["credential", tokens, { ...vault, ...override }, `token override ${inVariable} TRIVIUM_SECRETS_TOKEN`],
    ["credential", { ...tokens, ...own }, override, `token stack ${inProvider}`],
    ["credential", tokens, { TRIVIUM_SECRETS_TOKEN: "" }, `token stack ${inStack}Token`],
    ["credential", {}, others, "nothing"],
    ["credential", {}, vault, `token product ${inVariable} VAULT_TOKEN`],
    ["address", {}, vault, `https://vault ${inVariable} VAULT_ADDR`],
    ["namespace", {}, vault, `team ${inVariable} VAULT_NAMESPACE`],
    ["address", {}, { ...vault, VAULT_ADDR: "" }, "nothing"],
    ["address", stack, vault, `http://stack ${inStack}Address`],
    ["namespace", {}, ownNamespace, `own ${inVariable} SECRETS_NAMESPACE`],
    ["credential", {}, { ...vault, ...variableFile }, `tokenFile /variable ${inVariable} SECRETS_TOKEN_FILE`],
    ["dialect", {}, forAll, `hashicorp ${inVariable} TRIVIUM_DIALECT`],
    ["dialect", stackForAll, {}, "hashicorp from the configuration value trivium:dialect"],
    ["dialect", { ...stackForAll, ...own }, {}, "hashicorp from the provider's settings (trivium:dialect)"],
    ...unknownDialects,
    // The variables of another service's product.
    ["address", {}, { ...vault, SCHEDULER_DIALECT: "hashicorp" }, "nothing", "scheduler"],
    ["credential", {}, { ...vault, SCHEDULER_DIALECT: "hashicorp" }, "nothing", "scheduler"],
    // A provider that sets the address of another service.
    ["credential", own, { SCHEDULER_TOKEN: "x" }, `token x ${inVariable} SCHEDULER_TOKEN`, "scheduler"],
    // The host of a product is completed to a URL.
    ofTfe({ TFE_ADDRESS: "https://tfe.example.com" }, "https://tfe.example.com", "TFE_ADDRESS"),
    ofTfe({ TFE_ADDRESS: "http://localhost:8080" }, "http://localhost:8080", "TFE_ADDRESS"),
    ofTfe({ TFE_HOSTNAME: " app.example.com " }, "https://app.example.com", "TFE_HOSTNAME"),
    ofTfe({ TFE_HOSTNAME: "localhost:8443" }, "https://localhost:8443", "TFE_HOSTNAME"),
    ofTfe({ TFE_ADDRESS: "tfe.example.com/tfe" }, "https://tfe.example.com/tfe", "TFE_ADDRESS"),
    ofTfe({ TFE_HOSTNAME: "second", TFE_ADDRESS: "https://first" }, "https://first", "TFE_ADDRESS"),
    ofTfe({ TFE_HOSTNAME: "second", TFE_ADDRESS: "" }, "https://second", "TFE_HOSTNAME"),
  ];
  for (const [name, configuration, environment, expected, service] of rows) {
    it(`the sources of a setting give ${expected} for ${name}: ${JSON.stringify({ ...configuration, ...environment })}`, () =>
      assert.equal(found(sourcesWith(environment, configuration), name, service), expected));
  }

  it("only the environment is a source of settings before a provider process is configured", () => {
    const sources = { configuration: undefined, environment: variable };
    assert.equal(found(sources, "address"), `http://variable ${inVariable} SECRETS_ADDR`);
  });
});

describe("the dialect", () => {
  const stack = { "trivium:dialect": "hashicorp" };
  const variable = { TRIVIUM_DIALECT: "hashicorp" };
  const rows: readonly [configuration: Values, environment: Values, dialect: string | undefined][] = [
    [{}, {}, "documented"],
    [{ "trivium:secretsDialect": "hashicorp" }, {}, "hashicorp"],
    [{}, { SECRETS_DIALECT: "hashicorp" }, "hashicorp"],
    [{}, { SCHEDULER_DIALECT: "hashicorp" }, "documented"],
    [{}, { SECRETS_DIALECT: "hashicrop" }, undefined],
    [stack, {}, "hashicorp"],
    [{}, variable, "hashicorp"],
    [{ "trivium:dialect": "documented" }, variable, "documented"],
    [{ "trivium:secretsDialect": "documented", ...stack }, variable, "documented"],
    [stack, { SECRETS_DIALECT: "documented" }, "documented"],
    [{}, { TRIVIUM_DIALECT: "hashicrop" }, undefined],
    // A provider with its own address inherits it.
    [{ "trivium:secretsOwnAddress": "true" }, variable, "hashicorp"],
  ];
  for (const [configuration, environment, dialect] of rows) {
    it(`the dialect is ${dialect ?? "invalid"} with ${JSON.stringify({ ...configuration, ...environment })}`, () =>
      assert.equal(settingsIn(sourcesWith(environment, configuration), "secrets").dialect, dialect));
  }
});

describe("the sources of a program", () => {
  useEnvironment(() => ({ SECRETS_ADDR: "https://environment.example.com" }));
  afterEach(() => pulumi.runtime.setAllConfig({}));

  const addressIn = (sources: Sources) => settingsIn(sources, "secrets").values.address?.value;

  it("the sources of a program are the stack's configuration, and then the environment at the time of the call", () => {
    assert.equal(addressIn(programSources()), "https://environment.example.com");
    process.env.SECRETS_ADDR = "https://later.example.com";
    assert.equal(addressIn(programSources()), "https://later.example.com");
    pulumi.runtime.setAllConfig({ "trivium:secretsAddress": "https://stack.example.com" });
    assert.equal(addressIn(programSources()), "https://stack.example.com");
    const ofProvider = sourcesOf({ "trivium:secretsAddress": "https://eu.example.com" });
    assert.equal(addressIn(ofProvider), "https://eu.example.com");
    assert.equal(addressIn(sourcesOf({})), "https://later.example.com");
  });
});

describe("unknownKeys", () => {
  it("unknownKeys accepts every setting of every service, and other keys of the library or of other packages", () => {
    const own = serviceNames.flatMap((service) => [
      ...settingsOf(service).map(([name]) => configurationKey(service, name)),
    ]);
    const others = ["aws:regoin", "project:secretsTokn", "triviums:secretsTokn"];
    assert.deepEqual(unknownKeys([...own, "trivium:adapter", "trivium:dialect", ...others]), []);
  });

  for (const [name, meant] of [
    ["secretsTokn", "trivium:secretsToken"],
    ["secretstoken", "trivium:secretsToken"],
    ["secretAddress", "trivium:secretsAddress"],
    ["provisioningAdress", "trivium:provisioningAddress"],
    ["schedulerDialekt", "trivium:schedulerDialect"],
    ["dialekt", "trivium:dialect"],
    ["x", undefined],
    // That service has none.
    ["provisioningNamespace", "trivium:provisioningTokenFile"],
  ] as const) {
    it(`unknownKeys suggests ${meant ?? "nothing"} for ${name}`, () => {
      const found = unknownKeys([`trivium:${name}`]).map((each) => [each.key, each.meant]);
      assert.deepEqual(found, [[`trivium:${name}`, meant]]);
    });
  }
});

describe("warnings about the configuration", () => {
  useMocks();

  it("the warning about a plain-text token in the configuration names the key and the command that makes it secret", () => {
    const keys = ["trivium:secretsToken", "trivium:schedulerToken", "trivium:secretsAddress"];
    const [found, ...others] = plainTokens(keys, (key) => key === "trivium:schedulerToken");
    assert.deepEqual([found?.key, others], ["trivium:secretsToken", []]);
    assert.match(found?.advice ?? "", /`pulumi config set --secret trivium:secretsToken`/);
  });

  it("warnOfConfiguration is silent in unit tests of programs", async () => {
    const warnings = await warningsOf(() => {
      pulumi.runtime.setAllConfig({ "trivium:secretsTokn": "x" });
      warnOfConfiguration();
    });
    assert.deepEqual(warnings, []);
  });
});
