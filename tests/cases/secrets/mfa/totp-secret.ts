import assert from "node:assert/strict";
import type { Inspection, TotpSecretRecord } from "pulumi-trivium/testing";
import { defineCase } from "../../support/case";
import type { TestServices } from "../../support/test-services";

/** Parts of all generated secrets; they must not appear anywhere in plain text. */
export const generated: string[] = [];

export async function prepare(services: TestServices) {
  const { secrets } = services;
  return {
    ...services.context("secrets", (inspection) => generatedIn(inspection)),
    methodIds: [await secrets.addTotpMethod(), await secrets.addTotpMethod()],
    entityIds: [await secrets.addEntity(), await secrets.addEntity()],
  };
}

/** Also adds the secrets to `generated`. */
export function generatedIn({ secrets: { totpSecrets } }: Inspection): readonly TotpSecretRecord[] {
  generated.push(...totpSecrets.flatMap(({ key, url }) => [key, url]));
  return totpSecrets;
}

export const totpSecret = defineCase({
  type: "secrets/mfa:TotpSecret",
  prepare,
  needs: ["secrets service"],
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
  keepsId: ["triggers"],
  // The service returns nothing about a secret, so a refresh cannot check it.
  holds: ({ emulator }, { secret }) => {
    if (emulator !== undefined) {
      const alive = generatedIn(emulator.inspect()).filter(({ key }) => JSON.stringify(secret).includes(key));
      assert.equal(alive.length, 1, "state holds a secret that is gone");
    }
  },
  canaries: generated,
});
