import { defineCase } from "../../support/case";

export const totpSecret = defineCase({
  type: "secrets/mfa:TotpSecret",
  async prepare(services) {
    const { secrets } = services;
    return {
      ...services.context("secrets", (inspection) => inspection.secrets.totpSecrets),
      methodIds: [await secrets.addTotpMethod(), await secrets.addTotpMethod()],
      entityIds: [await secrets.addEntity(), await secrets.addEntity()],
    };
  },
  needs: ["secrets service"],
  count: "not shown by the service",
  valid: ({ methodIds, entityIds }) => ({
    methodId: methodIds[0],
    entityId: entityIds[0],
    triggers: { round: 1, forced: false },
  }),
  spellings: () => ({ triggers: { forced: false, round: 1 } }),
  changes: [
    { methodId: ({ methodIds }) => methodIds[1] },
    { entityId: ({ entityIds }) => entityIds[1] },
    { triggers: { round: 2 } },
  ],
});
