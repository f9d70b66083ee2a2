import { randomUUID } from "node:crypto";
import type { Area } from "../../area";
import { dataAnswer, listAnswer, noContent } from "../answers";
import type { FixedEndpoint } from "../endpoint";
import type { Fields } from "../fields";
import type { Records } from "../records";
import { badRequest, failure, notFound, unsupportedPath } from "../refusal";
import type { EnforcementRecord } from "./enforcement-record";
import { readTotpMethod, totpMethodFields } from "./totp-method-form";
import { toTotpMethodData, type TotpMethodRecord } from "./totp-method-record";
import { createTotpMethodsSetup, type TotpMethodsSetup } from "./totp-methods-setup";

export interface TotpMethodsInspection {
  readonly totpMethods: readonly TotpMethodRecord[];
  readonly enforcements: readonly EnforcementRecord[];
}

/** Below which everything about TOTP lies. */
export const totpPath = "/identity/mfa/method/totp";

/** TOTP methods, and the enforcements that use them. */
export function createTotpMethodsArea(
  records: Records,
): Area<FixedEndpoint, TotpMethodsInspection, TotpMethodsSetup> {
  const { totpMethods, enforcements, dialect } = records;
  const fields = [...dialect.totpMethodIdFields, ...totpMethodFields];
  /** A method that is not there stays away, which the answer does not tell. */
  const replace = (id: string, settings: Fields): void => {
    if (totpMethods.find(id) !== undefined) {
      totpMethods.set({ id, ...readTotpMethod(settings) });
    }
  };

  return {
    endpoints: [
      {
        operation: "POST",
        path: totpPath,
        fields,
        handle({ fields: sent }) {
          const id = sent.text("id") ?? "";
          if (id !== "") {
            replace(id, sent);
            return noContent;
          }
          const method = totpMethods.set({ id: randomUUID(), ...readTotpMethod(sent) });
          return dataAnswer({ method_id: method.id });
        },
      },
      {
        operation: "LIST",
        path: totpPath,
        handle() {
          const methods = totpMethods.sorted();
          return listAnswer(
            methods.map(({ id }) => id),
            records.dialect.describesListed
              ? Object.fromEntries(methods.map((method) => [method.id, toTotpMethodData(method, dialect)]))
              : undefined,
          );
        },
      },
      {
        operation: "POST",
        path: `${totpPath}/:method_id`,
        fields,
        handle({ parameter, fields: sent }) {
          const id = wellFormed(parameter("method_id"));
          if ((sent.text("id") ?? id) !== id) {
            throw badRequest("the id differs from the one in the path");
          }
          replace(id, sent);
          return noContent;
        },
      },
      {
        operation: "GET",
        path: `${totpPath}/:method_id`,
        handle({ parameter }) {
          const method = totpMethods.find(wellFormed(parameter("method_id")));
          if (method === undefined) {
            throw notFound();
          }
          return dataAnswer(toTotpMethodData(method, dialect));
        },
      },
      {
        operation: "DELETE",
        path: `${totpPath}/:method_id`,
        handle({ parameter }) {
          const id = wellFormed(parameter("method_id"));
          const user = enforcements.all().find(({ methodIds }) => methodIds.includes(id));
          if (user !== undefined) {
            throw failure(`methodID is still used by an enforcement configuration with ID: ${user.id}`);
          }
          totpMethods.delete(id);
          return noContent;
        },
      },
    ],
    setup: createTotpMethodsSetup(records),
    inspect: () => ({ totpMethods: totpMethods.all(), enforcements: enforcements.all() }),
    clear() {
      totpMethods.clear();
      enforcements.clear();
    },
  };
}

/** @throws Refusal 404 for what cannot be the id of a method: the service has no path for it */
function wellFormed(id: string): string {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) {
    throw unsupportedPath();
  }
  return id;
}
