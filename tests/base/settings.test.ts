import assert from "node:assert/strict";
import {
  configurationKey,
  environmentVariable,
  movedFromKey,
  overrideVariable,
  productVariables,
  type ServiceName,
  type SettingName,
  settings,
  settingsOf,
  variablesOf,
} from "../../sdk/base/settings";
import { nameOfSetting } from "../../sdk/base/setting-name";

describe("the products' own variables", () => {
  const services = ["provisioning", "secrets", "scheduler"] as const;
  const names = Object.keys(settings) as SettingName[];
  const table: Readonly<Record<ServiceName, Readonly<Partial<Record<SettingName, string>>>>> = {
    provisioning: { address: "TFE_ADDRESS TFE_HOSTNAME", token: "TFE_TOKEN" },
    secrets: {
      address: "VAULT_ADDR",
      token: "VAULT_TOKEN",
      caCertificate: "VAULT_CACERT",
      clientCertificate: "VAULT_CLIENT_CERT",
      clientKey: "VAULT_CLIENT_KEY",
      serverName: "VAULT_TLS_SERVER_NAME",
      insecureSkipVerify: "VAULT_SKIP_VERIFY",
      namespace: "VAULT_NAMESPACE",
    },
    scheduler: {
      address: "NOMAD_ADDR",
      token: "NOMAD_TOKEN",
      caCertificate: "NOMAD_CACERT",
      clientCertificate: "NOMAD_CLIENT_CERT",
      clientKey: "NOMAD_CLIENT_KEY",
      serverName: "NOMAD_TLS_SERVER_NAME",
      insecureSkipVerify: "NOMAD_SKIP_VERIFY",
      namespace: "NOMAD_NAMESPACE",
    },
  };

  for (const service of services) {
    it(`are these for the ${service} service, and none in the documented dialect`, () => {
      for (const name of names) {
        assert.equal(
          productVariables("hashicorp", service, name).join(" "),
          table[service][name] ?? "",
          name,
        );
        assert.deepEqual(productVariables("documented", service, name), [], name);
      }
    });
  }

  it("come after the library's own", () => {
    assert.deepEqual(variablesOf("hashicorp", "provisioning", "address"), [
      "PROVISIONING_ADDR",
      "TFE_ADDRESS",
      "TFE_HOSTNAME",
    ]);
    assert.deepEqual(variablesOf("documented", "provisioning", "address"), ["PROVISIONING_ADDR"]);
    assert.deepEqual(variablesOf("hashicorp", "secrets", "headers"), []);
  });
});

describe("the settings of connections", () => {
  // What users write into their stacks, programs and pipelines: none may ever be renamed.
  const table: readonly [keyof typeof settings, string, string | undefined, string][] = [
    ["address", "trivium:provisioningAddress", "PROVISIONING_ADDR", "trust"],
    ["token", "trivium:provisioningToken", "PROVISIONING_TOKEN", "secret trust"],
    ["tokenFile", "trivium:provisioningTokenFile", "PROVISIONING_TOKEN_FILE", "trust"],
    ["login", "trivium:provisioningLogin", "PROVISIONING_LOGIN", "secret trust"],
    ["caCertificate", "trivium:provisioningCaCertificate", "PROVISIONING_CACERT", "trust"],
    ["clientCertificate", "trivium:provisioningClientCertificate", "PROVISIONING_CLIENT_CERT", "trust"],
    ["clientKey", "trivium:provisioningClientKey", "PROVISIONING_CLIENT_KEY", "secret trust"],
    ["serverName", "trivium:provisioningServerName", "PROVISIONING_TLS_SERVER_NAME", "trust"],
    ["insecureSkipVerify", "trivium:provisioningInsecureSkipVerify", "PROVISIONING_SKIP_VERIFY", "trust"],
    ["requestTimeout", "trivium:provisioningRequestTimeout", "PROVISIONING_REQUEST_TIMEOUT", ""],
    ["maxRetries", "trivium:provisioningMaxRetries", "PROVISIONING_MAX_RETRIES", ""],
    ["maxConcurrency", "trivium:provisioningMaxConcurrency", "PROVISIONING_MAX_CONCURRENCY", ""],
    ["headers", "trivium:provisioningHeaders", undefined, "secret trust"],
    ["namespace", "trivium:provisioningNamespace", "PROVISIONING_NAMESPACE", ""],
    ["dialect", "trivium:provisioningDialect", "PROVISIONING_DIALECT", ""],
  ];

  it("are these", () => {
    assert.deepEqual(
      Object.keys(settings),
      table.map(([name]) => name),
    );
  });

  for (const [name, key, variable, traits] of table) {
    it(`has ${name} under its names`, () => {
      for (const service of ["provisioning", "secrets", "scheduler"] as const) {
        const expected = key.replace("provisioning", service);
        assert.equal(configurationKey(service, name), expected);
        assert.equal(
          environmentVariable(service, name),
          variable?.replace("PROVISIONING", service.toUpperCase()),
        );
      }
      const setting: { secret?: boolean; trust?: boolean; argument: string } = settings[name];
      assert.equal(setting.argument, name);
      const found = [setting.secret === true ? "secret" : "", setting.trust === true ? "trust" : ""];
      assert.equal(found.join(" ").trim(), traits);
    });
  }

  it("has a namespace and a login for the services that know one", () => {
    const names = (service: ServiceName): string[] => settingsOf(service).map(([name]) => name);
    const all = table.map(([name]) => name);
    assert.deepEqual(
      names("provisioning"),
      all.filter((name) => name !== "namespace" && name !== "login"),
    );
    assert.deepEqual(names("secrets").toSorted(), all.toSorted());
    assert.deepEqual(names("scheduler").toSorted(), all.toSorted());
  });

  it("has a variable of its own for the token that beats all others, and a key for former places", () => {
    assert.deepEqual(
      ["provisioning", "secrets", "scheduler"].map((name) => overrideVariable(name as ServiceName)),
      ["TRIVIUM_PROVISIONING_TOKEN", "TRIVIUM_SECRETS_TOKEN", "TRIVIUM_SCHEDULER_TOKEN"],
    );
    assert.equal(movedFromKey("secrets"), "trivium:secretsMovedFrom");
  });
});

describe("nameOfSetting", () => {
  it("says every place where a setting can be given", () => {
    assert.equal(
      nameOfSetting({ service: "secrets", dialect: "documented" }, "caCertificate"),
      "caCertificate (trivium:secretsCaCertificate, SECRETS_CACERT)",
    );
    assert.equal(
      nameOfSetting({ service: "secrets", dialect: "hashicorp" }, "caCertificate"),
      "caCertificate (trivium:secretsCaCertificate, SECRETS_CACERT, VAULT_CACERT)",
    );
    assert.equal(
      nameOfSetting({ service: "provisioning", dialect: "hashicorp" }, "maxRetries"),
      "maxRetries (trivium:provisioningMaxRetries, PROVISIONING_MAX_RETRIES)",
    );
    assert.equal(
      nameOfSetting({ service: "scheduler", dialect: "hashicorp" }, "headers"),
      "headers (trivium:schedulerHeaders)",
    );
  });

  it("says the one place that counts beside an own address, for what decides about trust", () => {
    const owner = { service: "secrets", dialect: "hashicorp", ownAddress: true } as const;
    assert.equal(
      nameOfSetting(owner, "caCertificate"),
      "caCertificate (in the trivium.Provider or the call that sets the address)",
    );
    assert.equal(
      nameOfSetting(owner, "maxRetries"),
      "maxRetries (trivium:secretsMaxRetries, SECRETS_MAX_RETRIES)",
    );
  });
});
