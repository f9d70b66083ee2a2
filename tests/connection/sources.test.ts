import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { configurationKey, movedFromKey, serviceNames, settingsOf } from "../../sdk/base/settings";
import type { ServiceName, SettingName } from "../../sdk/base/settings";
import { findDialect, findSetting, findToken, type Sources } from "../../sdk/connection/sources";
import { plainTokens, unknownKeys, warnOfConfiguration } from "../../sdk/connection/program";
import { useMocks, warningsOf } from "../resource/mocks";
import { sourcesWith } from "./environment";

type Values = Readonly<Record<string, string>>;

function found(sources: Sources, name: SettingName | "credential", service: ServiceName = "secrets"): string {
  const credential = name === "credential" ? findToken(sources, service) : undefined;
  const setting = name === "credential" ? credential : findSetting(sources, service, name);
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

  type Row = readonly [SettingName | "credential", configuration: Values, environment: Values, string];
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
    ...unknownDialects,
  ];
  for (const [name, configuration, environment, expected] of rows) {
    it(`the sources of a setting give ${expected} for ${name}: ${JSON.stringify({ ...configuration, ...environment })}`, () =>
      assert.equal(found(sourcesWith(environment, configuration), name), expected));
  }

  it("the sources of a setting are the environment alone before a provider process is configured", () => {
    const sources = { configuration: undefined, environment: variable };
    assert.equal(found(sources, "address"), `http://variable ${inVariable} SECRETS_ADDR`);
  });

  it("the sources of a setting are not those of another service's product", () => {
    const sources = sourcesWith({ ...vault, SCHEDULER_DIALECT: "hashicorp" });
    assert.equal(found(sources, "address", "scheduler"), "nothing");
    assert.equal(found(sources, "credential", "scheduler"), "nothing");
  });

  it("the sources of a setting are the stack's for the services whose address a provider does not set", () => {
    const sources = sourcesWith({ SCHEDULER_TOKEN: "variable" }, own);
    assert.equal(found(sources, "credential", "scheduler"), `token variable ${inVariable} SCHEDULER_TOKEN`);
  });

  const addresses: readonly [variables: Values, value: string, variable: string][] = [
    [{ TFE_ADDRESS: "https://tfe.example.com" }, "https://tfe.example.com", "TFE_ADDRESS"],
    [{ TFE_ADDRESS: "http://localhost:8080" }, "http://localhost:8080", "TFE_ADDRESS"],
    [{ TFE_HOSTNAME: " app.example.com " }, "https://app.example.com", "TFE_HOSTNAME"],
    [{ TFE_HOSTNAME: "localhost:8443" }, "https://localhost:8443", "TFE_HOSTNAME"],
    [{ TFE_ADDRESS: "tfe.example.com/tfe" }, "https://tfe.example.com/tfe", "TFE_ADDRESS"],
    [{ TFE_HOSTNAME: "second", TFE_ADDRESS: "https://first" }, "https://first", "TFE_ADDRESS"],
    [{ TFE_HOSTNAME: "second", TFE_ADDRESS: "" }, "https://second", "TFE_HOSTNAME"],
  ];
  for (const [environment, value, name] of addresses) {
    it(`the sources of a setting complete the host of a product to a URL: ${JSON.stringify(environment)}`, () => {
      const sources = sourcesWith(environment, { "trivium:provisioningDialect": "hashicorp" });
      assert.equal(found(sources, "address", "provisioning"), `${value} ${inVariable} ${name}`);
    });
  }
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
      assert.equal(findDialect(sourcesWith(environment, configuration), "secrets"), dialect));
  }

  it("the dialect of all services has its own source", () => {
    const source = (configuration: Values, environment: Values = {}) =>
      findSetting(sourcesWith(environment, configuration), "secrets", "dialect")?.source;
    assert.equal(source({}, variable), "the environment variable TRIVIUM_DIALECT");
    assert.equal(source(stack), "the configuration value trivium:dialect");
    const own = { ...stack, "trivium:secretsOwnAddress": "true" };
    assert.equal(source(own), "the provider's settings (trivium:dialect)");
  });
});

describe("unknownKeys", () => {
  it("unknownKeys passes every setting of every service, and what else is the library's or another's", () => {
    const own = serviceNames.flatMap((service) => [
      ...settingsOf(service).map(([name]) => configurationKey(service, name)),
      movedFromKey(service),
    ]);
    const others = ["aws:regoin", "project:secretsTokn", "triviums:secretsTokn"];
    assert.deepEqual(unknownKeys([...own, "trivium:adapter", "trivium:dialect", ...others]), []);
  });

  const typos: Readonly<Record<string, string | undefined>> = {
    secretsTokn: "trivium:secretsToken",
    secretstoken: "trivium:secretsToken",
    secretAddress: "trivium:secretsAddress",
    provisioningAdress: "trivium:provisioningAddress",
    schedulerDialekt: "trivium:schedulerDialect",
    dialekt: "trivium:dialect",
    x: undefined,
  };
  for (const [name, meant] of Object.entries(typos)) {
    it(`unknownKeys suggests ${meant ?? "nothing"} for ${name}`, () => {
      const found = unknownKeys([`trivium:${name}`]).map((each) => [each.key, each.meant]);
      assert.deepEqual(found, [[`trivium:${name}`, meant]]);
    });
  }

  it("unknownKeys has no namespace of the provisioning service", () =>
    assert.equal(unknownKeys(["trivium:provisioningNamespace"]).length, 1));
});

describe("warnings about the configuration", () => {
  useMocks();

  it("a token in the configuration that is no secret is named, with the command that makes it one", () => {
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
