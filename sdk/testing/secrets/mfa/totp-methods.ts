import { randomUUID } from "node:crypto";
import type { FixedEndpoint, SecretsArea } from "../endpoint";
import {
  boolean,
  enterprise,
  type Field,
  FieldTable,
  integer,
  oneOf,
  requiredText,
  seconds,
} from "../fields";
import type { Records } from "../records";
import { identityMethodEndpoints, methodsPath } from "./identity-methods";
import type { TotpMethodRecord, TotpMethodsSetup } from "../types";
import type { TotpMethodSettings } from "../seeds";
import type { SecretsTraits } from "../traits";

function fieldsOf({ limitsTotp, enrollsThemselves }: SecretsTraits): FieldTable<TotpMethodSettings> {
  const least = (limit: number, refusal: string): Pick<Field<number>, "rule"> =>
    limitsTotp ? { rule: [(value) => value >= limit, refusal] } : {};
  return new FieldTable<TotpMethodSettings>({
    issuer: requiredText("issuer must be set"),
    period: seconds({ initial: 30, ...least(1, "period must be greater than zero") }),
    keySize: integer({ initial: 20, ...least(1, "key_size must be greater than zero") }),
    qrSize: integer({ initial: 200 }),
    algorithm: oneOf(["SHA1", "SHA256", "SHA512"], "unrecognized algorithm", { initial: "SHA1" }),
    digits: integer({
      initial: 6,
      rule: [(digits) => digits === 6 || digits === 8, "digits can only be 6 or 8"],
    }),
    skew: integer({ initial: 1, rule: [(skew) => skew === 0 || skew === 1, "skew must be 0 or 1"] }),
    maxValidationAttempts: integer({
      initial: 5,
      // Zero attempts would lock everybody out: the products treat it as not sent.
      read: (body, name) => {
        const attempts = body.integer(name);
        return limitsTotp && attempts === 0 ? undefined : attempts;
      },
      ...least(0, "max_validation_attempts must be greater than zero"),
    }),
    ...(enrollsThemselves ? { enableSelfEnrollment: enterprise(boolean()) } : {}),
  });
}

export const totpPath = `${methodsPath}/totp`;

export function createTotpMethodsArea(
  records: Records,
): SecretsArea<FixedEndpoint, "totpMethods" | "enforcements", TotpMethodsSetup> {
  const { traits, totpMethods: methods, enforcements } = records;
  const methodFields = fieldsOf(traits);
  return {
    endpoints: identityMethodEndpoints<TotpMethodRecord>(records, {
      type: "totp",
      fields: methodFields.names,
      all: () => methods.all(),
      find: (id) => methods.find(id),
      set: (method) => methods.set(method),
      delete: (id) => methods.delete(id),
      read: (body) => methodFields.read(body),
      returned: (method) => methodFields.returned(method),
    }),
    setup: {
      addTotpMethod: (method) => methods.add({ id: randomUUID(), ...methodFields.with(method) }),
      changeTotpMethod: (id, change) => methods.change(id, change),
      removeTotpMethod(id) {
        methods.remove(id);
        for (const enforcement of enforcements.all()) {
          const methodIds = enforcement.methodIds.filter((methodId) => methodId !== id);
          enforcements.set({ ...enforcement, methodIds });
        }
      },
      addEnforcement(enforcement) {
        for (const methodId of enforcement.methodIds) {
          if (!records.mfaMethods.some((known) => known.find(methodId) !== undefined)) {
            throw new Error(`The emulator has no MFA method ${JSON.stringify(methodId)}.`);
          }
        }
        return records.addEnforcement(enforcement);
      },
      removeEnforcement: (id) => enforcements.remove(id),
    },
    inspect: () => ({ totpMethods: methods.all(), enforcements: enforcements.all() }),
  };
}
