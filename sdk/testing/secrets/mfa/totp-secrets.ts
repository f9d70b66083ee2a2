import type { Answer } from "../../answer";
import type { Area } from "../../area";
import { dataAnswer, noContent } from "../answers";
import type { FixedEndpoint } from "../endpoint";
import type { Records } from "../records";
import { badRequest } from "../refusal";
import { toBarcode } from "./barcode";
import type { TotpMethodRecord } from "./totp-method-record";
import { totpPath } from "./totp-methods";
import { newTotpSecret, totpSecretKey, type TotpSecretRecord } from "./totp-secret-record";

export interface TotpSecretsInspection {
  readonly totpSecrets: readonly TotpSecretRecord[];
}

/** Works behind a program's back. Every method throws an Error for what does not exist. */
export interface TotpSecretsSetup {
  /** In place of the one that is there, if any. */
  addTotpSecret(methodId: string, entityId: string): TotpSecretRecord;
  removeTotpSecret(methodId: string, entityId: string): void;
}

/** The TOTP secrets of entities. */
export function createTotpSecretsArea(
  records: Records,
): Area<FixedEndpoint, TotpSecretsInspection, TotpSecretsSetup> {
  const { totpSecrets, totpMethods, entities } = records;
  return {
    endpoints: [
      {
        operation: "POST",
        path: `${totpPath}/generate`,
        fields: ["method_id"],
        handle({ fields, caller }) {
          const methodId = fields.requiredText("method_id");
          if (caller.entityId === undefined) {
            throw badRequest("missing entityID");
          }
          return generate(records, methodId, caller.entityId);
        },
      },
      {
        operation: "POST",
        path: `${totpPath}/admin-generate`,
        fields: ["method_id", "entity_id"],
        handle: ({ fields }) =>
          generate(records, fields.requiredText("method_id"), fields.requiredText("entity_id")),
      },
      {
        operation: "POST",
        path: `${totpPath}/admin-destroy`,
        fields: ["method_id", "entity_id"],
        handle({ fields }) {
          const methodId = fields.requiredText("method_id");
          const entityId = fields.requiredText("entity_id");
          knownMethod(records, methodId, entityId);
          totpSecrets.delete(totpSecretKey(methodId, entityId));
          return noContent;
        },
      },
    ],
    setup: {
      addTotpSecret(methodId, entityId) {
        entities.known(entityId);
        return { ...totpSecrets.set(newTotpSecret(totpMethods.known(methodId), entityId)) };
      },
      removeTotpSecret(methodId, entityId) {
        totpSecrets.remove(totpSecretKey(methodId, entityId));
      },
    },
    inspect: () => ({ totpSecrets: totpSecrets.all() }),
    clear: () => totpSecrets.clear(),
  };
}

/** The barcode comes first: where it cannot be drawn, nothing is stored. */
function generate(records: Records, methodId: string, entityId: string): Answer {
  const { totpSecrets } = records;
  const method = knownMethod(records, methodId, entityId);
  if (totpSecrets.find(totpSecretKey(methodId, entityId)) !== undefined) {
    return dataAnswer(null, { warnings: ['Entity already has a secret for MFA method ""'] });
  }
  const secret = newTotpSecret(method, entityId);
  const barcode = method.qrSize === 0 ? "" : toBarcode(secret.url, method.qrSize);
  totpSecrets.set(secret);
  return dataAnswer({ barcode, url: secret.url });
}

/** @throws Refusal 400 when there is no such method or no such entity */
function knownMethod(
  { totpMethods, entities }: Records,
  methodId: string,
  entityId: string,
): TotpMethodRecord {
  const method = totpMethods.find(methodId);
  if (method === undefined) {
    throw badRequest(`configuration for method ID ${JSON.stringify(methodId)} does not exist`);
  }
  if (entities.find(entityId) === undefined) {
    throw badRequest("invalid entity ID");
  }
  return method;
}
