import { randomBytes } from "node:crypto";
import type { Area } from "../../area";
import { Table } from "../../table";
import { dataResponse, type SecretsResponse } from "../responses";
import { writes, type FixedEndpoint } from "../endpoint";
import type { Records } from "../records";
import { badRequest } from "../refusal";
import { barcodeOf } from "./barcode";
import { toBase32 } from "./base32";
import { totpPath, type TotpMethodRecord, type TotpParameters } from "./totp-methods";

/** A secret for one method on one entity. It keeps the parameters with which it was generated. */
export interface TotpSecretRecord extends TotpParameters {
  readonly methodId: string;
  readonly entityId: string;
  /** The shared key, in base 32 without padding. */
  readonly key: string;
  /** What an authenticator reads. */
  readonly url: string;
}

export interface TotpSecretsInspection {
  readonly totpSecrets: readonly TotpSecretRecord[];
}

/** Works behind a program's back. Every method throws an Error for what does not exist. */
export interface TotpSecretsSetup {
  /** Replaces the existing one, if any. */
  addTotpSecret(methodId: string, entityId: string): TotpSecretRecord;
  removeTotpSecret(methodId: string, entityId: string): void;
}

/** The TOTP secrets of entities. */
export function createTotpSecretsArea(
  records: Records,
  methods: Table<TotpMethodRecord>,
): Area<FixedEndpoint, TotpSecretsInspection, TotpSecretsSetup> {
  const { entities } = records;
  const keyOf = (methodId: string, entityId: string): string => `${methodId}/${entityId}`;
  const secrets = new Table<TotpSecretRecord>("TOTP secret", ({ methodId, entityId }) =>
    keyOf(methodId, entityId),
  );
  records.whenEntityGoes((id) => secrets.deleteWhere(({ entityId }) => entityId === id));

  /** @throws Refusal 400 when there is no such method or no such entity */
  const knownMethod = (methodId: string, entityId: string): TotpMethodRecord => {
    const method = methods.find(methodId);
    if (method === undefined) {
      throw badRequest(`configuration for method ID ${JSON.stringify(methodId)} does not exist`);
    }
    if (entities.find(entityId) === undefined) {
      throw badRequest("invalid entity ID");
    }
    return method;
  };

  const generate = async (methodId: string, entityId: string): Promise<SecretsResponse> => {
    const method = knownMethod(methodId, entityId);
    if (secrets.find(keyOf(methodId, entityId)) !== undefined) {
      return dataResponse(null, { warnings: ['Entity already has a secret for MFA method ""'] });
    }
    const secret = newTotpSecret(method, entityId);
    // Where the barcode cannot be drawn, nothing is stored.
    const draw = method.qrSize <= 0 ? undefined : barcodeOf(secret.url, method.qrSize);
    secrets.set(secret);
    return dataResponse({ barcode: (await draw?.()) ?? "", url: secret.url });
  };

  return {
    endpoints: [
      writes(`${totpPath}/generate`, ["method_id"], ({ body, caller }) => {
        const methodId = body.requiredText("method_id");
        if (caller.entityId === undefined) {
          throw badRequest("missing entityID");
        }
        return generate(methodId, caller.entityId);
      }),
      writes(`${totpPath}/admin-generate`, ["method_id", "entity_id"], ({ body }) =>
        generate(body.requiredText("method_id"), body.requiredText("entity_id")),
      ),
      writes(`${totpPath}/admin-destroy`, ["method_id", "entity_id"], ({ body }) => {
        const methodId = body.requiredText("method_id");
        const entityId = body.requiredText("entity_id");
        knownMethod(methodId, entityId);
        secrets.delete(keyOf(methodId, entityId));
      }),
    ],
    setup: {
      addTotpSecret(methodId, entityId) {
        entities.known(entityId);
        return { ...secrets.set(newTotpSecret(methods.known(methodId), entityId)) };
      },
      removeTotpSecret: (methodId, entityId) => secrets.remove(keyOf(methodId, entityId)),
    },
    inspect: () => ({ totpSecrets: secrets.all() }),
    clear: () => secrets.clear(),
  };
}

/** A new secret with the parameters that the method has at the moment. */
function newTotpSecret(method: TotpMethodRecord, entityId: string): TotpSecretRecord {
  const { issuer, period, algorithm, digits } = method;
  const key = toBase32(randomBytes(Math.max(0, method.keySize)));
  const query = Object.entries({ algorithm, digits, issuer, period, secret: key })
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
  const url = `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(entityId)}?${query}`;
  return { methodId: method.id, entityId, issuer, period, algorithm, digits, key, url };
}
