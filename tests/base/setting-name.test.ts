import assert from "node:assert/strict";
import { nameOfSetting } from "../../sdk/base/setting-name";

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
