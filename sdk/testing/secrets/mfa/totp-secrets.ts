import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import type * as QrCode from "qrcode";
import { messageOf } from "../../../base/errors";
import type { ServiceResponse } from "../../response";
import type { Body } from "../body";
import { Table } from "../../table";
import { dataResponse } from "../responses";
import { writes, type FixedEndpoint, type SecretsArea } from "../endpoint";
import type { Records } from "../records";
import { badRequest, EngineFailure } from "../refusal";
import { totpPath } from "./totp-methods";
import type { TotpMethodRecord, TotpSecretRecord, TotpSecretsSetup } from "../types";

export function createTotpSecretsArea(
  records: Records,
): SecretsArea<FixedEndpoint, "totpSecrets", TotpSecretsSetup> {
  const { entities, totpMethods: methods } = records;
  const keyOf = (methodId: string, entityId: string): string => `${methodId}/${entityId}`;
  const secrets = new Table<TotpSecretRecord>("TOTP secret", ({ methodId, entityId }) =>
    keyOf(methodId, entityId),
  );
  records.onEntityRemoved((id) => secrets.deleteWhere(({ entityId }) => entityId === id));

  const requireEntity = (entityId: string): void => {
    if (entities.find(entityId) === undefined) {
      throw badRequest("invalid entity ID");
    }
  };
  const requireMethod = (methodId: string): TotpMethodRecord => {
    const method = methods.find(methodId);
    if (method === undefined) {
      throw badRequest(`configuration for method ID ${JSON.stringify(methodId)} does not exist`);
    }
    return method;
  };
  /** @param missing the products' name for what is missing */
  const idIn = (body: Body, name: string, missing: string): string => {
    const id = body.text(name) ?? "";
    if (id === "") {
      throw badRequest(`missing ${records.traits.namesMissingIds ? missing : name}`);
    }
    return id;
  };

  const generate = async (methodId: string, entityId: string): Promise<ServiceResponse> => {
    const method = requireMethod(methodId);
    requireEntity(entityId);
    if (secrets.find(keyOf(methodId, entityId)) !== undefined) {
      return dataResponse(null, { warnings: ['Entity already has a secret for MFA method ""'] });
    }
    const secret = newTotpSecret(method, entityId);
    // Before the secret is stored: without a barcode there is no secret.
    const draw = method.qrSize <= 0 ? undefined : barcodeOf(secret.url, method.qrSize);
    secrets.set(secret);
    return dataResponse({ barcode: (await draw?.()) ?? "", url: secret.url });
  };

  return {
    endpoints: [
      writes(`${totpPath}/generate`, ["method_id"], ({ body, caller }) => {
        const methodId = idIn(body, "method_id", "method ID");
        const { entityId } = caller.rights;
        if (entityId === undefined) {
          throw badRequest("missing entityID");
        }
        return generate(methodId, entityId);
      }),
      writes(`${totpPath}/admin-generate`, ["method_id", "entity_id"], ({ body }) =>
        generate(idIn(body, "method_id", "method ID"), idIn(body, "entity_id", "entityID")),
      ),
      writes(`${totpPath}/admin-destroy`, ["method_id", "entity_id"], ({ body }) => {
        const methodId = idIn(body, "method_id", "method ID");
        const entityId = idIn(body, "entity_id", "entity ID");
        if (!records.traits.destroysOfUnknownMethods) {
          requireMethod(methodId);
        }
        requireEntity(entityId);
        requireMethod(methodId);
        secrets.delete(keyOf(methodId, entityId));
      }),
    ],
    setup: {
      addTotpSecret(methodId, entityId) {
        entities.get(entityId);
        return secrets.set(newTotpSecret(methods.get(methodId), entityId));
      },
      removeTotpSecret: (methodId, entityId) => secrets.remove(keyOf(methodId, entityId)),
    },
    inspect: () => ({ totpSecrets: secrets.all() }),
  };
}

/** Copies the method's parameters: later changes of the method do not apply. */
function newTotpSecret(method: TotpMethodRecord, entityId: string): TotpSecretRecord {
  const { issuer, period, algorithm, digits } = method;
  const key = toBase32(randomBytes(Math.max(0, method.keySize)));
  const query = Object.entries({ algorithm, digits, issuer, period, secret: key })
    .map(([name, value]) => `${name}=${escaped(String(value), "$&+:=@")}`)
    .join("&");
  const url = `otpauth://totp/${escaped(`${issuer}:${entityId}`, "$&+:=@,/;")}?${query}`;
  return { methodId: method.id, entityId, issuer, period, algorithm, digits, key, url };
}

/**
 * As in the products, parameters can contain unescaped characters that an authenticator app treats as separators.
 *
 * @param plain characters that are not escaped, beside letters, digits and `-_.~`
 */
function escaped(text: string, plain: string): string {
  return encodeURIComponent(text)
    .replace(/%[0-9A-F]{2}/g, (code) => (plain.includes(unescaped(code)) ? unescaped(code) : code))
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Decodes one escaped byte, which is a character in ASCII only. */
function unescaped(code: string): string {
  return String.fromCharCode(Number.parseInt(code.slice(1), 16));
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648, without padding. */
export function toBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.replace(/.{1,5}/g, (group) => alphabet.charAt(Number.parseInt(group.padEnd(5, "0"), 2)));
}

/** White modules that readers want around the symbol; fewer when there is no room. */
const quietZone = 4;

/**
 * @returns a function that draws a PNG file in base64
 * @throws Refusal 500 if the size is too small for the text, or the text too long for any code
 */
export function barcodeOf(text: string, size: number): () => Promise<string> {
  const { create, toBuffer } = loadPeer();
  const modules = sizeOf(text, create);
  const scale = Math.floor(size / (modules + 2 * quietZone)) || Math.floor(size / modules);
  if (scale === 0) {
    throw new EngineFailure(`can not scale barcode to an image smaller than ${modules}x${modules}`);
  }
  // Without this quarter of a pixel, rounding makes some images a pixel too small.
  const margin = ((size - modules * scale) / 2 + (scale > 2 ? 0.25 : 0)) / scale;
  return async () => {
    const picture = await toBuffer(text, { errorCorrectionLevel: "M", scale, margin });
    return picture.toString("base64");
  };
}

/** Modules per side. */
function sizeOf(text: string, create: typeof QrCode.create): number {
  try {
    return create(text, { errorCorrectionLevel: "M" }).modules.size;
  } catch (error) {
    throw new EngineFailure(messageOf(error));
  }
}

/** Loaded by the first barcode, so that it is not required without barcodes. */
function loadPeer(): typeof QrCode {
  try {
    return createRequire(__filename)("qrcode") as typeof QrCode;
  } catch {
    // A 400, because a 500 would leave open whether the secret exists.
    throw badRequest(
      'The emulator needs the package "qrcode" to draw QR codes: npm install --save-dev qrcode@1, or set qrSize to 0.',
    );
  }
}
