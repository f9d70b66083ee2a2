import assert from "node:assert/strict";
import { nameOfSetting } from "../../sdk/http/setting-name";

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
});
