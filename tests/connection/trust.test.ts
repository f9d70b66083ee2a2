import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { programSources, sourcesOf } from "../../sdk/connection/program";
import { resolveSettings } from "../../sdk/connection/resolve";
import {
  configurationKey,
  environmentVariable,
  movedFromKey,
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

type Name = SettingName | "movedFrom";

/** A value of each setting that a connection can use. An empty one is the name of a file with a token. */
const foreign: Readonly<Record<Name, string>> = {
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
const trust = new Set<Name>(
  Object.keys(foreign).filter(
    (name) => !/^(?:requestTimeout|maxRetries|maxConcurrency|namespace|region|dialect)$/.test(name),
  ) as Name[],
);

/** A place outside of the provider that has a value. */
interface Case {
  readonly service: ServiceName;
  readonly setting: Name;
  readonly place: string;
  readonly configuration: Values;
  readonly environment: Values;
  /** The dialect in which the place counts. */
  readonly dialect?: "hashicorp";
}

function casesOf(service: ServiceName): Case[] {
  const at = (
    source: "configuration" | "environment",
    setting: Name,
    place: string,
    ofProduct = false,
  ): Case => {
    const isLogin = setting === "login";
    const value =
      isLogin && service === "scheduler" ? '{"method":"foreign","jwt":"foreign"}' : foreign[setting];
    return {
      ...{ service, setting, place, configuration: {}, environment: {} },
      [source]: { [place]: value },
      ...(isLogin || ofProduct ? { dialect: "hashicorp" } : {}),
    };
  };
  return [
    ...settingsOf(service).flatMap(([name]) => {
      const variable = environmentVariable(service, name);
      return [
        at("configuration", name, configurationKey(service, name)),
        ...(variable === undefined ? [] : [at("environment", name, variable)]),
        ...productVariables("hashicorp", service, name).map((each) => at("environment", name, each, true)),
      ];
    }),
    at("configuration", "movedFrom", movedFromKey(service)),
    at("environment", "token", overrideVariable(service)),
  ];
}

describe("what the environment says, beside a provider", () => {
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
    place?: Pick<Case, "configuration" | "environment">,
  ): Promise<string> {
    const filled = (values: Values = {}): Values =>
      Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, value === "" ? tokenFile : value]),
      );
    pulumi.runtime.setAllConfig(filled(place?.configuration));
    Object.assign(process.env, filled(place?.environment));
    try {
      const settings = resolveSettings(await sources(), service);
      const token = await settings.token?.();
      const login = settings.login && { ...settings.login, environment: undefined };
      return JSON.stringify({ ...settings, login, token: token?.value });
    } catch (error) {
      return String(error);
    } finally {
      Object.keys(place?.environment ?? {}).forEach((name) => Reflect.deleteProperty(process.env, name));
    }
  }

  for (const each of serviceNames.flatMap(casesOf)) {
    const { service, setting, place, dialect } = each;
    const given = dialect === undefined ? {} : { dialect };
    const reaches = async (sources: () => Promise<Sources>): Promise<boolean> =>
      (await connectionOf(service, sources)) !== (await connectionOf(service, sources, each));
    const address = "https://own.example.com";
    const reachesText = trust.has(setting) ? "never reaches" : "reaches";

    it(`${place} ${reachesText} a provider with an own address`, async () => {
      const own = ofProvider({ [service]: { address, token: "own-token", ...given } });
      assert.equal(await reaches(own), !trust.has(setting));
    });

    if (service !== "provisioning") {
      const login = { path: "own", method: "own", jwt: "own-identity" };
      const ofService =
        service === "secrets" ? { path: login.path } : { method: login.method, jwt: login.jwt };
      it(`${place} ${reachesText} a provider with an own address and a login`, async () => {
        const own = ofProvider({ [service]: { address, login: ofService, dialect: "hashicorp" } });
        // Its dialect is its own.
        assert.equal(await reaches(own), !trust.has(setting) && setting !== "dialect");
      });
    }

    // The scheduler may be one that needs no token; the others are not asked without.
    const tokenIsOptional = service === "scheduler";
    const tokenless = tokenIsOptional ? reachesText : "never reaches";
    it(`${place} ${tokenless} a provider with an own address and no token`, async () => {
      const own = ofProvider({ [service]: { address, ...given } });
      assert.equal(await reaches(own), tokenIsOptional && !trust.has(setting));
    });

    if (service === "scheduler") {
      for (const [what, own] of [
        ["an address", { token: "own-token" }],
        ["an address and no token", {}],
      ] as const) {
        it(`${place} ${reachesText} a call that gives ${what}`, async () => {
          const call = (): Promise<Sources> =>
            Promise.resolve(withArguments(programSources(), { address, ...own, ...given }));
          assert.equal(await reaches(call), !trust.has(setting));
        });
      }
    }

    it(`${place} reaches a provider without one`, async () => {
      const addressElsewhere =
        setting === "address" ? {} : { [`${service.toUpperCase()}_ADDR`]: "https://stack.example.com" };
      // A token of the provider would win against the one that is tried.
      const isCredential = ["token", "tokenFile", "login"].includes(setting);
      const token = isCredential ? {} : { token: "own-token" };
      const sources = ofProvider({ [service]: { ...token, ...given } });
      const environment = { ...addressElsewhere, ...each.environment };
      assert.notEqual(
        await connectionOf(service, sources, { ...each, environment }),
        await connectionOf(service, sources, { configuration: {}, environment: addressElsewhere }),
      );
    });
  }

  it("a trust setting of the environment does not reach a call that gives an address beside a provider that has its own", async () => {
    const scheduler = {
      address: "https://other.example.com",
      token: "token-of-the-provider",
      caCertificate: foreign.caCertificate,
      clientCertificate: foreign.clientCertificate,
      clientKey: foreign.clientKey,
      serverName: foreign.serverName,
      insecureSkipVerify: true,
      headers: { "x-foreign": "foreign" },
      movedFrom: [foreign.movedFrom],
    };
    const call = (args: ProviderArgs) => async (): Promise<Sources> =>
      withArguments(await ofProvider(args)(), { address: "https://own.example.com", token: "own-token" });
    const found = await connectionOf("scheduler", call({ scheduler }));
    assert.equal(found, await connectionOf("scheduler", call({})));
  });

  it("the environment is not asked for an address that turns out to be none", async () => {
    const args = { secrets: { address: pulumi.output(""), token: "own-token" } };
    for (const place of casesOf("secrets").filter(({ setting }) => setting === "address")) {
      const actual = await connectionOf("secrets", ofProvider(args), place);
      assert.match(actual, /not configured\. Missing: address/);
    }
  });
});
