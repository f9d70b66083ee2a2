import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findToken, ownAddressKey } from "../../sdk/connection/sources";
import type { ServiceName } from "../../sdk/base/settings";

type Environment = Readonly<Record<string, string>>;

describe("a token that a product's own tool knows", () => {
  const home = mkdtempSync(join(tmpdir(), "pulumi-trivium-home-"));
  const file = (name: string, text: string): string => {
    const path = join(home, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  after(() => rmSync(home, { recursive: true }));

  const tokenFor = (service: ServiceName, environment: Environment, configuration: Environment = {}) => {
    const all: Environment = { "trivium:dialect": "hashicorp", ...configuration };
    return findToken(
      { configuration: { get: (key) => all[key] }, environment: { HOME: home, ...environment } },
      service,
    );
  };

  describe("for Terraform", () => {
    const tokenOf = (host: string, environment: Environment = {}): string | undefined =>
      tokenFor("provisioning", { TFE_ADDRESS: `https://${host}`, ...environment })?.value;

    for (const [variable, host] of [
      ["TF_TOKEN_app_terraform_io", "app.terraform.io"],
      ["TF_TOKEN_tfe__one_example_com", "tfe-one.example.com"],
      ["TF_TOKEN_tfe-one_example_com", "TFE-one.example.com"],
      ["TF_TOKEN_xn____bcher__kva_example", "xn--bcher-kva.example"],
      ["TF_TOKEN_xn--bcher-kva_example", "bücher.example"],
      ["TF_TOKEN_bücher_example", "xn--bcher-kva.example"],
    ] as const) {
      it(`is in ${variable} for ${host} alone`, () => {
        assert.equal(tokenOf(host, { [variable]: "own-token" }), "own-token");
        assert.equal(tokenOf("other.example.com", { [variable]: "own-token" }), undefined);
        assert.equal(tokenOf(`${host}:8443`, { [variable]: "own-token" }), undefined);
        assert.equal(tokenOf(`${host}.example.net`, { [variable]: "own-token" }), undefined);
      });
    }

    it("is in the file that terraform login writes, for each host its own", () => {
      const credentials = {
        "one.example.com": { token: "token-1" },
        "two.example.com:8443": { token: "token-2" },
      };
      file(".terraform.d/credentials.tfrc.json", JSON.stringify({ credentials }));
      assert.equal(tokenOf("one.example.com"), "token-1");
      assert.equal(tokenOf("two.example.com:8443"), "token-2");
      assert.equal(tokenOf("two.example.com"), undefined);
      const { source } = tokenFor("provisioning", { TFE_ADDRESS: "https://one.example.com" }) ?? {};
      assert.equal(source, `the file ${join(home, ".terraform.d/credentials.tfrc.json")}`);
    });

    it("is in the file of TF_CLI_CONFIG_FILE and then in no other", () => {
      file(".terraform.d/credentials.tfrc.json", '{"credentials":{"one.example.com":{"token":"token-1"}}}');
      const chosen = file(
        "chosen.tfrc",
        '# credentials "old.example.com" { token = "old" }\ncredentials "two.example.com" {\n  token = "token-2"\n}\n',
      );
      const environment = { TF_CLI_CONFIG_FILE: chosen };
      assert.equal(tokenOf("two.example.com", environment), "token-2");
      assert.equal(tokenOf("one.example.com", environment), undefined);
      assert.equal(tokenOf("old.example.com", environment), undefined);
    });

    it("is not sent unencrypted", () => {
      const environment = { TFE_ADDRESS: "http://one.example.com", TF_TOKEN_one_example_com: "own-token" };
      assert.equal(tokenFor("provisioning", environment), undefined);
    });

    it("gives way to every other source", () => {
      const variables = { TF_TOKEN_one_example_com: "last", TFE_TOKEN: "of-tfe" };
      assert.equal(tokenOf("one.example.com", variables), "of-tfe");
    });
  });

  describe("for Vault and OpenBao", () => {
    const address = "https://vault.example.com";
    before(() => void file(".vault-token", "token-of-a-person\n"));

    it("is in the home directory for the address that VAULT_ADDR names", () => {
      assert.deepEqual(tokenFor("secrets", { VAULT_ADDR: `${address}/` }), {
        kind: "token",
        value: "token-of-a-person",
        source: `the file ${join(home, ".vault-token")}`,
      });
      const same = { "trivium:secretsAddress": address };
      assert.equal(tokenFor("secrets", { VAULT_ADDR: address }, same)?.value, "token-of-a-person");
    });

    it("is used for no other address", () => {
      const other = { "trivium:secretsAddress": "https://other.example.com" };
      assert.equal(tokenFor("secrets", { VAULT_ADDR: address }, other), undefined);
      assert.equal(tokenFor("secrets", {}, { "trivium:secretsAddress": address }), undefined);
      assert.equal(
        tokenFor("secrets", { VAULT_ADDR: `${address}:8200` }, { "trivium:secretsAddress": address }),
        undefined,
      );
    });

    it("gives way to every other source", () => {
      assert.equal(tokenFor("secrets", { VAULT_ADDR: address, VAULT_TOKEN: "own" })?.value, "own");
      assert.equal(tokenFor("secrets", { VAULT_ADDR: address, SECRETS_LOGIN: "{}" })?.kind, "login");
    });
  });

  it("reaches no provider that sets the address, and no documented service", () => {
    file(".vault-token", "token-of-a-person");
    const address = "https://one.example.com";
    const environment = { VAULT_ADDR: address, TFE_ADDRESS: address, TF_TOKEN_one_example_com: "own-token" };
    for (const service of ["provisioning", "secrets"] as const) {
      const setting = `trivium:${service}Address`;
      const own = { [setting]: address, [ownAddressKey(service)]: "true" };
      assert.equal(tokenFor(service, environment, own), undefined);
      const documented = { [setting]: address, "trivium:dialect": "documented" };
      assert.equal(tokenFor(service, environment, documented), undefined);
    }
  });
});
