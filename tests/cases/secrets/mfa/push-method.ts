import { defineCase } from "../../support/case";
import { countAt } from "../../support/engines";
import type { CaseContext } from "../../support/test-services";

const canaries = {
  secretKey: "canary-secret-key-1b",
  otherSecretKey: "canary-secret-key-2c",
  integrationKey: "canary-integration-key-1d",
  otherIntegrationKey: "canary-integration-key-2e",
  driftedKey: "canary-drifted-key-f0",
};
const fields = [
  "mount_accessor",
  "username_format",
  "secret_key",
  "integration_key",
  "api_hostname",
  "push_info",
];
const kinds = { documented: "pushauth", hashicorp: "duo" };

function pathIn({ services }: CaseContext): (id: string) => string {
  return (id) => `sys/mfa/method/${kinds[services.dialect]}/${id}`;
}

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
  live: {
    needs: ["secrets service", "step-up methods"],
    count: (context, ids) => countAt(pathIn(context))(context, ids),
  },
  valid: ({ name, accessor }) => ({
    name,
    mountAccessor: accessor,
    usernameFormat: "{{alias.name}}@example.com",
    secretKey: canaries.secretKey,
    integrationKey: canaries.integrationKey,
    apiHostname: "api-1234.example.com",
    pushInfo: "from=portal",
  }),
  changes: [
    { argument: "mountAccessor", toIn: ({ otherAccessor }) => otherAccessor },
    { argument: "usernameFormat", to: "{{entity.metadata.login}}" },
    { argument: "secretKey", to: canaries.otherSecretKey },
    { argument: "integrationKey", to: canaries.otherIntegrationKey },
    { argument: "apiHostname", to: "api-5678.example.com" },
    { argument: "pushInfo", to: "from=console" },
    { argument: "name", toIn: ({ name }) => `${name}-2`, replaces: true },
  ],
  cleared: ["usernameFormat", "secretKey", "integrationKey", "apiHostname", "pushInfo"],
  drift: {
    argument: "secretKey",
    cause: (context, id) =>
      context.services.secrets.api.change(pathIn(context)(id), fields, { secret_key: canaries.driftedKey }),
  },
  hashicorp: {
    changes: [{ argument: "usePasscode", to: true }],
    cleared: ["usePasscode"],
    drifts: [
      {
        argument: "usePasscode",
        cause: (context, id) =>
          context.services.secrets.api.change(pathIn(context)(id), fields, { use_passcode: false }),
      },
    ],
  },
  vanish: (context, id) => context.services.secrets.api.remove(pathIn(context)(id)),
  canaries: Object.values(canaries),
});
