import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ownAddressKey, type ServiceName } from "../../sdk/base/settings";
import { settingsIn } from "../../sdk/connection/found";
import { sourcesWith } from "./environment";

type Values = Readonly<Record<string, string>>;

describe("a token that a product's own tool has stored", () => {
  const home = mkdtempSync(join(tmpdir(), "pulumi-trivium-home-"));
  const file = (name: string, text: string): string => {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  after(() => rmSync(home, { recursive: true }));

  const tokenFor = (service: ServiceName, environment: Values, configuration: Values = {}) => {
    const given = { "trivium:dialect": "hashicorp", ...configuration };
    return settingsIn(sourcesWith({ HOME: home, ...environment }, given), service).credential;
  };
  const tokenOf = (host: string, environment: Values = {}): string | undefined =>
    tokenFor("provisioning", { TFE_ADDRESS: `https://${host}`, ...environment })?.value;
  const login = ".terraform.d/credentials.tfrc.json";

  for (const [variable, host] of [
    ["TF_TOKEN_app_terraform_io", "app.terraform.io"],
    ["TF_TOKEN_tfe__one_example_com", "tfe-one.example.com"],
    ["TF_TOKEN_tfe-one_example_com", "TFE-one.example.com"],
    ["TF_TOKEN_xn____bcher__kva_example", "xn--bcher-kva.example"],
    ["TF_TOKEN_xn--bcher-kva_example", "bücher.example"],
    ["TF_TOKEN_bücher_example", "xn--bcher-kva.example"],
  ] as const) {
    it(`a Terraform token in ${variable} is used only for ${host}`, () => {
      assert.equal(tokenOf(host, { [variable]: "own-token" }), "own-token");
      for (const other of ["other.example.com", `${host}:8443`, `${host}.example.net`]) {
        assert.equal(tokenOf(other, { [variable]: "own-token" }), undefined);
      }
    });
  }

  it("a Terraform token is read for each host from the file that terraform login writes", () => {
    const credentials = { "one.example.com": { token: "one" }, "two.example.com:8443": { token: "two" } };
    const source = `the file ${file(login, JSON.stringify({ credentials }))}`;
    assert.deepEqual([tokenOf("two.example.com:8443"), tokenOf("two.example.com")], ["two", undefined]);
    const found = tokenFor("provisioning", { TFE_ADDRESS: "https://one.example.com" });
    assert.deepEqual([found?.value, found?.source], ["one", source]);
  });

  it("a Terraform token is only read from the file in TF_CLI_CONFIG_FILE if that variable is set", () => {
    file(login, '{"credentials":{"one.example.com":{"token":"token-1"}}}');
    const comment = '# credentials "old.example.com" { token = "old" }';
    const text = `${comment}\ncredentials "two.example.com" {\n  token = "token-2"\n}\n`;
    const environment = { TF_CLI_CONFIG_FILE: file("chosen.tfrc", text) };
    const found = ["two", "one", "old"].map((name) => tokenOf(`${name}.example.com`, environment));
    assert.deepEqual(found, ["token-2", undefined, undefined]);
  });

  it("a Terraform token is not sent unencrypted, and every other source takes precedence", () => {
    const variables = { TF_TOKEN_one_example_com: "last" };
    const plain = { TFE_ADDRESS: "http://one.example.com", ...variables };
    assert.equal(tokenFor("provisioning", plain), undefined);
    assert.equal(tokenOf("one.example.com", { ...variables, TFE_TOKEN: "of-tfe" }), "of-tfe");
  });

  it("a Vault token in the home directory is used only for the address in VAULT_ADDR, and every other source takes precedence", () => {
    const source = `the file ${file(".vault-token", "token-of-a-person\n")}`;
    const address = "https://vault.example.com";
    const same = { "trivium:secretsAddress": address };
    const expected = { kind: "token", value: "token-of-a-person", source };
    assert.deepEqual(tokenFor("secrets", { VAULT_ADDR: `${address}/` }), expected);
    assert.deepEqual(tokenFor("secrets", { VAULT_ADDR: address }, same), expected);
    for (const VAULT_ADDR of ["", `${address}:8200`, "https://a.example"]) {
      assert.equal(tokenFor("secrets", { VAULT_ADDR }, same), undefined);
    }
    assert.equal(tokenFor("secrets", { VAULT_ADDR: address, VAULT_TOKEN: "own" })?.value, "own");
    assert.equal(tokenFor("secrets", { VAULT_ADDR: address, SECRETS_LOGIN: "{}" })?.kind, "login");
  });

  it("a product's token is not used for a provider that sets the address or for a documented service", () => {
    file(".vault-token", "token-of-a-person");
    const address = "https://one.example.com";
    const environment = { VAULT_ADDR: address, TFE_ADDRESS: address, TF_TOKEN_one_example_com: "own-token" };
    for (const service of ["provisioning", "secrets"] as const) {
      for (const more of [{ [ownAddressKey(service)]: "true" }, { "trivium:dialect": "documented" }]) {
        const configuration = { [`trivium:${service}Address`]: address, ...more };
        assert.equal(tokenFor(service, environment, configuration), undefined);
      }
    }
  });
});
