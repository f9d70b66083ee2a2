import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { programSources, sourcesOf } from "../../sdk/connection/program";
import { resolveSettings } from "../../sdk/connection/resolve";
import { readCertificates } from "../../sdk/http/tls";
import {
  configurationKey,
  environmentVariable,
  overrideVariable,
  productVariables,
  serviceNames,
  type ServiceName,
  type SettingName,
  settingsOf,
} from "../../sdk/base/settings";
import type { Sources } from "../../sdk/connection/sources";
import { Provider, type ProviderArgs } from "../../sdk/connection/provider";
import { withArguments } from "../../sdk/scheduler/options";
import { declared, useMocks, valueOf } from "../resource/mocks";
import { useEnvironment } from "./environment";

type Values = Readonly<Record<string, string>>;

/** A value of each setting that a connection can use. An empty one is the name of a file with a token. */
const foreign: Readonly<Record<SettingName, string>> = {
  address: "https://foreign.example.com",
  token: "foreign-token",
  tokenFile: "",
  login: '{"path":"foreign"}',
  caCertificate: "-----FOREIGN AUTHORITY",
  clientCertificate: "-----FOREIGN CERTIFICATE",
  clientKey: "-----FOREIGN KEY",
  serverName: "foreign.example.com",
  insecureSkipVerify: "true",
  requestTimeout: "7s",
  maxRetries: "7",
  maxConcurrency: "7",
  headers: '{"x-foreign":"foreign"}',
  namespace: "foreign",
  region: "foreign",
  dialect: "hashicorp",
  movedFrom: "https://foreign.example.com",
};

/** What decides whom a connection trusts, and who is trusted with it. */
const inherited = /^(?:requestTimeout|maxRetries|maxConcurrency|namespace|region|dialect)$/;
const trust = new Set(Object.keys(foreign).filter((name) => !inherited.test(name)));

const nowhere: Readonly<Record<"configuration" | "environment", Values>> = {
  configuration: {},
  environment: {},
};

/** The places outside of the provider that have a value, each in the dialect in which it counts. */
function casesOf(service: ServiceName) {
  const product = "hashicorp";
  const ofLogin = (setting: SettingName): "hashicorp" | undefined =>
    setting === "login" ? product : undefined;
  const login = service === "scheduler" ? '{"method":"foreign","jwt":"foreign"}' : foreign.login;
  const at = (
    source: keyof typeof nowhere,
    setting: SettingName,
    place: string,
    dialect = ofLogin(setting),
  ) => {
    const values = { [place]: setting === "login" ? login : foreign[setting] };
    return { service, setting, place, ...nowhere, [source]: values, dialect };
  };
  return [
    ...settingsOf(service).flatMap(([name]) => {
      const variable = environmentVariable(service, name);
      return [
        at("configuration", name, configurationKey(service, name)),
        ...(variable === undefined ? [] : [at("environment", name, variable)]),
        ...productVariables(product, service, name).map((each) => at("environment", name, each, product)),
      ];
    }),
    at("environment", "token", overrideVariable(service)),
  ];
}

describe("settings from the environment, with a provider", () => {
  useMocks();
  useEnvironment(() => ({}));

  const folder = mkdtempSync(join(tmpdir(), "pulumi-trivium-trust-"));
  const tokenFile = join(folder, "token");
  before(() => writeFileSync(tokenFile, "foreign-token-in-a-file"));
  after(() => rmSync(folder, { recursive: true }));

  const ofProvider = (args: ProviderArgs) => async (): Promise<Sources> => {
    const provider = new Provider("provider", args);
    await declared(provider);
    return sourcesOf(await valueOf(provider.settings));
  };

  /** All that a connection is made with, or why there is none. */
  async function connectionOf(
    service: ServiceName,
    sources: () => Promise<Sources>,
    { configuration, environment }: typeof nowhere = nowhere,
  ): Promise<string> {
    const filled = (values: Values): [string, string][] =>
      Object.entries(values).map(([key, value]) => [key, value === "" ? tokenFile : value]);
    pulumi.runtime.setAllConfig(Object.fromEntries(filled(configuration)));
    Object.assign(process.env, Object.fromEntries(filled(environment)));
    try {
      const settings = resolveSettings(await sources(), service);
      const token = await settings.token?.();
      const login = settings.login && { ...settings.login, environment: undefined };
      const certificates = readCertificates(settings);
      return JSON.stringify({ ...settings, ...certificates, login, token: token?.value });
    } catch (error) {
      return String(error);
    } finally {
      Object.keys(environment).forEach((name) => Reflect.deleteProperty(process.env, name));
    }
  }

  const address = "https://own.example.com";
  for (const each of serviceNames.flatMap(casesOf)) {
    const { service, setting, place, dialect } = each;
    const given = dialect && { dialect };
    const isInherited = !trust.has(setting);
    const isScheduler = service === "scheduler";
    const login = isScheduler ? { method: "own", jwt: "own-identity" } : { path: "own" };
    // Its dialect is its own.
    const isForeign = isInherited && setting !== "dialect";
    const withLogin = { address, login, dialect: "hashicorp" } as const;
    const provider = (args: object) => ofProvider({ [service]: { ...args, ...given } });
    const call = (args: object) => async (): Promise<Sources> =>
      Promise.resolve(withArguments(programSources(), { address, ...args, ...given }));
    const own = { token: "own-token" };
    type Row = readonly [what: string, sources: () => Promise<Sources>, reaches: boolean, applies?: boolean];
    const hasLogin = service !== "provisioning";
    const rows: readonly Row[] = [
      ["a provider with its own address", provider({ address, ...own }), isInherited],
      ["a provider with its own address and a login", provider(withLogin), isForeign, hasLogin],
      // A scheduler might not need a token; the other services are not sent requests without one.
      ["a provider with its own address and no token", provider({ address }), isInherited && isScheduler],
      ["a call that sets an address", call(own), isInherited, isScheduler],
      ["a call that sets an address and no token", call({}), isInherited, isScheduler],
    ];
    for (const [what, sources, reaches] of rows.filter(([, , , applies = true]) => applies)) {
      it(`${place} ${reaches ? "reaches" : "never reaches"} ${what}`, async () => {
        const found = await connectionOf(service, sources, each);
        assert.equal(found !== (await connectionOf(service, sources)), reaches);
      });
    }

    it(`${place} reaches a provider that does not set the address`, async () => {
      const variable = `${service.toUpperCase()}_ADDR`;
      const elsewhere = setting === "address" ? {} : { [variable]: "https://stack.example.com" };
      // A token of the provider would win against the one that is tried.
      const sources = provider(["token", "tokenFile", "login"].includes(setting) ? {} : own);
      const environment = { ...elsewhere, ...each.environment };
      const without = await connectionOf(service, sources, { ...nowhere, environment: elsewhere });
      assert.notEqual(await connectionOf(service, sources, { ...each, environment }), without);
    });
  }

  it("a trust setting from the environment does not reach a call that sets an address, even with a provider that sets another", async () => {
    const { caCertificate, clientCertificate, clientKey, serverName, movedFrom } = foreign;
    const own = {
      address: "https://other.example.com",
      token: "token-of-the-provider",
      movedFrom: [movedFrom],
    };
    const tls = { caCertificate, clientCertificate, clientKey, serverName, insecureSkipVerify: true };
    const scheduler = { ...own, ...tls, headers: { "x-foreign": "foreign" } };
    const call = (args: ProviderArgs) => async (): Promise<Sources> =>
      withArguments(await ofProvider(args)(), { address, token: "own-token" });
    const found = await connectionOf("scheduler", call({ scheduler }));
    assert.equal(found, await connectionOf("scheduler", call({})));
  });

  it("the environment is not used if a provider's address turns out to be empty", async () => {
    const args = { secrets: { address: pulumi.output(""), token: "own-token" } };
    for (const place of casesOf("secrets").filter(({ setting }) => setting === "address")) {
      const actual = await connectionOf("secrets", ofProvider(args), place);
      assert.match(actual, /not configured\. Missing: address/);
    }
  });
});
