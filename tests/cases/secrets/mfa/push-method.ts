import { defineCase } from "../../support/case";
import { objectsAt } from "../../support/engines";

const canaries = {
  secretKey: "canary-secret-key-1b",
  otherSecretKey: "canary-secret-key-2c",
  integrationKey: "canary-integration-key-1d",
  otherIntegrationKey: "canary-integration-key-2e",
  driftedKey: "canary-drifted-key-f0",
};
const keys = ["secret_key", "integration_key", "api_hostname", "push_info"];
const kinds = { documented: "pushauth", hashicorp: "duo" };

export const pushMethod = defineCase({
  type: "secrets/mfa:PushMethod",
  async prepare(services) {
    const { secrets } = services;
    return {
      ...services.context("secrets", (inspection) => inspection.secrets.pushMethods),
      // On a real server there are methods of others.
      name: services.freshName("phone"),
      accessor: await secrets.addLogin(),
      otherAccessor: await secrets.addLogin(),
    };
  },
  needs: ["secrets service", "step-up methods"],
  ...objectsAt(
    (id, { dialect }) => `sys/mfa/method/${kinds[dialect]}/${id}`,
    ["mount_accessor", "username_format", ...keys],
  ),
  valid: ({ name, accessor }) => ({
    name,
    mountAccessor: accessor,
    usernameFormat: "{{alias.name}}@example.com",
    pushInfo: "from=portal",
    secretKey: canaries.secretKey,
    integrationKey: canaries.integrationKey,
    apiHostname: "api-1234.example.com",
  }),
  changes: [
    { mountAccessor: ({ otherAccessor }) => otherAccessor },
    { usernameFormat: "{{entity.metadata.login}}" },
    { secretKey: canaries.otherSecretKey },
    { integrationKey: canaries.otherIntegrationKey },
    { apiHostname: "api-5678.example.com" },
    { pushInfo: "from=console" },
    { name: ({ name }) => `${name}-2` },
  ],
  drifts: { secretKey: { secret_key: canaries.driftedKey } },
  hashicorp: { changes: [{ usePasscode: true }], drifts: { usePasscode: { use_passcode: false } } },
  canaries: Object.values(canaries),
});
