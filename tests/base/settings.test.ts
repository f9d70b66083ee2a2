import assert from "node:assert/strict";
import * as all from "../../sdk/base/settings";

const { configurationKey, environmentVariable, productVariables, serviceNames, settingsOf } = all;

describe("the settings of connections", () => {
  // What users write into their stacks, programs and pipelines must never be renamed.
  const table: readonly [all.SettingName, key: string, variable: string | undefined, traits: string][] = [
    ["address", "trivium:xAddress", "X_ADDR", "product trust"],
    ["token", "trivium:xToken", "X_TOKEN", "product secret trust"],
    ["tokenFile", "trivium:xTokenFile", "X_TOKEN_FILE", "trust"],
    ["login", "trivium:xLogin", "X_LOGIN", "secret trust"],
    ["caCertificate", "trivium:xCaCertificate", "X_CACERT", "product trust"],
    ["clientCertificate", "trivium:xClientCertificate", "X_CLIENT_CERT", "product trust"],
    ["clientKey", "trivium:xClientKey", "X_CLIENT_KEY", "product secret trust"],
    ["serverName", "trivium:xServerName", "X_TLS_SERVER_NAME", "product trust"],
    ["insecureSkipVerify", "trivium:xInsecureSkipVerify", "X_SKIP_VERIFY", "product trust"],
    ["requestTimeout", "trivium:xRequestTimeout", "X_REQUEST_TIMEOUT", ""],
    ["maxRetries", "trivium:xMaxRetries", "X_MAX_RETRIES", ""],
    ["maxConcurrency", "trivium:xMaxConcurrency", "X_MAX_CONCURRENCY", ""],
    ["headers", "trivium:xHeaders", undefined, "secret trust"],
    ["namespace", "trivium:xNamespace", "X_NAMESPACE", "product"],
    ["region", "trivium:xRegion", "X_REGION", "product"],
    ["dialect", "trivium:xDialect", "X_DIALECT", ""],
    ["movedFrom", "trivium:xMovedFrom", undefined, "trust"],
  ];

  it("the settings of connections are the ones in this list", () => {
    const names = table.map(([name]) => name);
    assert.deepEqual(Object.keys(all.settings), names);
    const namesOf = serviceNames.map((service) => settingsOf(service).map(([name]) => name));
    const without = (...left: readonly string[]) => names.filter((name) => !left.includes(name));
    assert.deepEqual(namesOf, [without("namespace", "region", "login"), without("region"), names]);
  });

  for (const [name, key, variable, traits] of table) {
    it(`the setting ${name} has its documented names for each service and its product`, () => {
      for (const service of serviceNames) {
        const own = variable?.replace("X", service.toUpperCase());
        assert.equal(configurationKey(service, name), key.replace("x", service));
        assert.equal(environmentVariable(service, name), own);
        assert.deepEqual(productVariables("documented", service, name), []);
      }
      const setting: all.Setting = all.settings[name];
      const found = (["product", "secret", "trust"] as const).filter((trait) => setting[trait]);
      assert.equal(found.join(" "), traits);
      const isProduct = traits.startsWith("product");
      const ofProducts = (["secrets", "scheduler"] as const).flatMap((service) =>
        productVariables("hashicorp", service, name),
      );
      const expected = ["VAULT", "NOMAD"].map((product) => variable?.replace("X", product));
      assert.deepEqual(ofProducts, isProduct ? expected : []);
    });
  }

  it("the services' settings can come from Terraform's variables, after the library's own", () => {
    const namesOf = (name: all.SettingName) => productVariables("hashicorp", "provisioning", name).join(" ");
    const found = table.map(([name]) => [name, namesOf(name)]).filter(([, names]) => names !== "");
    assert.deepEqual(found, [
      ["address", "TFE_ADDRESS TFE_HOSTNAME"],
      ["token", "TFE_TOKEN"],
      ["insecureSkipVerify", "TFE_SSL_SKIP_VERIFY"],
    ]);
    const ofAddress = all.dialects.map((dialect) => all.variablesOf(dialect, "provisioning", "address"));
    const own = "PROVISIONING_ADDR";
    assert.deepEqual(ofAddress, [[own], [own, "TFE_ADDRESS", "TFE_HOSTNAME"]]);
  });

  it("the token that overrides all others has its own variable", () => {
    const variables = "TRIVIUM_PROVISIONING_TOKEN,TRIVIUM_SECRETS_TOKEN,TRIVIUM_SCHEDULER_TOKEN";
    assert.equal(serviceNames.map(all.overrideVariable).join(), variables);
  });
});

describe("nameOfSetting", () => {
  const vault = { service: "secrets", dialect: "hashicorp" } as const;
  const own = { ...vault, ownAddress: true };
  const rows: readonly [owner: all.SettingOwner, name: all.SettingName, expected: string][] = [
    [{ ...vault, dialect: "documented" }, "caCertificate", "(trivium:secretsCaCertificate, SECRETS_CACERT)"],
    [vault, "caCertificate", "(trivium:secretsCaCertificate, SECRETS_CACERT, VAULT_CACERT)"],
    [vault, "headers", "(trivium:secretsHeaders)"],
    [own, "caCertificate", "(in the trivium.Provider or the call that sets the address)"],
    [own, "maxRetries", "(trivium:secretsMaxRetries, SECRETS_MAX_RETRIES)"],
  ];
  for (const [owner, name, expected] of rows) {
    it(`nameOfSetting lists every place where a setting can be set: ${expected}`, () =>
      assert.equal(all.nameOfSetting(owner, name), `${name} ${expected}`));
  }
});
