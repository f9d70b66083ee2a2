import { randomUUID } from "node:crypto";
import { Table } from "../../table";
import { dataResponse, describedListResponse, listResponse } from "../responses";
import type { Body } from "../body";
import { deletes, lists, reads, writes, type FixedEndpoint, type SecretsArea } from "../endpoint";
import { type Field, FieldTable, integer, oneOf, requiredText, seconds } from "../fields";
import type { Records } from "../records";
import { badRequest, EngineFailure, unsupportedPath } from "../refusal";
import type { EnforcementRecord, TotpMethodRecord, TotpMethodSettings } from "../types";
import type { TotpMethodsSetup } from "../types";

/** @param isHashicorp the documents limit only `digits` and `skew` */
function fieldsOf(isHashicorp: boolean): FieldTable<TotpMethodSettings> {
  const least = (limit: number, refusal: string): Pick<Field<number>, "rule"> =>
    isHashicorp ? { rule: [(value) => value >= limit, refusal] } : {};
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
        return isHashicorp && attempts === 0 ? undefined : attempts;
      },
      ...least(0, "max_validation_attempts must be greater than zero"),
    }),
  });
}

export const totpPath = "/identity/mfa/method/totp";

export function createTotpMethodsArea({
  isHashicorp,
  totpMethods: methods,
}: Records): SecretsArea<FixedEndpoint, "totpMethods" | "enforcements", TotpMethodsSetup> {
  const methodFields = fieldsOf(isHashicorp);
  const enforcements = new Table<EnforcementRecord>("enforcement", ({ id }) => id);
  const fields = [...(isHashicorp ? [] : ["id"]), ...methodFields.names];
  /** Updating an unknown id does nothing, and the response is the same. */
  const replace = (id: string, body: Body): void => {
    if (methods.find(id) !== undefined) {
      methods.set({ id, ...methodFields.read(body) });
    }
  };
  const dataOf = (method: TotpMethodRecord): Record<string, unknown> => ({
    ...(isHashicorp ? { name: "", namespace_id: "root", namespace_path: "" } : { namespace: "root" }),
    ...methodFields.returned(method),
    id: method.id,
    type: "totp",
  });

  return {
    endpoints: [
      writes(totpPath, fields, ({ body }) => {
        const id = body.text("id") ?? "";
        if (id !== "") {
          replace(id, body);
          return undefined;
        }
        const method = methods.set({ id: randomUUID(), ...methodFields.read(body) });
        return dataResponse({ method_id: method.id });
      }),
      lists(totpPath, () =>
        isHashicorp ? describedListResponse(methods.sorted(), dataOf) : listResponse(methods.keys(), false),
      ),
      writes(`${totpPath}/:method_id`, fields, ({ parameter, body }) => {
        const id = wellFormed(parameter("method_id"));
        if ((body.text("id") ?? id) !== id) {
          throw badRequest("the id differs from the one in the path");
        }
        replace(id, body);
      }),
      reads(`${totpPath}/:method_id`, ({ parameter }) => {
        const method = methods.find(wellFormed(parameter("method_id")));
        return method && dataResponse(dataOf(method));
      }),
      deletes(`${totpPath}/:method_id`, ({ parameter }) => {
        const id = wellFormed(parameter("method_id"));
        const enforcement = enforcements.all().find(({ methodIds }) => methodIds.includes(id));
        if (enforcement !== undefined) {
          throw new EngineFailure(
            `methodID is still used by an enforcement configuration with ID: ${enforcement.id}`,
          );
        }
        methods.delete(id);
      }),
    ],
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
      addEnforcement({ name, methodIds }) {
        for (const methodId of methodIds) {
          methods.get(methodId);
        }
        const id = randomUUID();
        const enforcement = { id, name: name ?? `enforcement_${id.slice(0, 8)}`, methodIds };
        return enforcements.set(enforcement);
      },
      removeEnforcement: (id) => enforcements.remove(id),
    },
    inspect: () => ({ totpMethods: methods.all(), enforcements: enforcements.all() }),
  };
}

/** @throws Refusal 404 for a malformed id: the service has no path for it */
function wellFormed(id: string): string {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) {
    throw unsupportedPath();
  }
  return id;
}
