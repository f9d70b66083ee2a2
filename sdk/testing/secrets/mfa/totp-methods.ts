import { randomUUID } from "node:crypto";
import type { Area } from "../../area";
import { dataAnswer, listAnswer, noContent } from "../answers";
import type { FixedEndpoint } from "../endpoint";
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
  const { totpMethods, enforcements } = records;
  /** A method that is not there stays away, which the answer does not tell. */
  const replace = (id: string, fields: Parameters<typeof readTotpMethod>[0]): void => {
    if (totpMethods.find(id) !== undefined) {
      totpMethods.set({ id, ...readTotpMethod(fields) });
    }
  };

  return {
    endpoints: [
      {
        operation: "POST",
        path: totpPath,
        fields: ["id", ...totpMethodFields],
        handle({ fields }) {
          const id = fields.text("id") ?? "";
          if (id !== "") {
            replace(id, fields);
            return noContent;
          }
          const method = totpMethods.set({ id: randomUUID(), ...readTotpMethod(fields) });
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
            Object.fromEntries(methods.map((method) => [method.id, toTotpMethodData(method)])),
          );
        },
      },
      {
        operation: "POST",
        path: `${totpPath}/:id`,
        fields: ["id", ...totpMethodFields],
        handle({ parameter, fields }) {
          const id = wellFormed(parameter("id"));
          if ((fields.text("id") ?? id) !== id) {
            throw badRequest("the id differs from the one in the path");
          }
          replace(id, fields);
          return noContent;
        },
      },
      {
        operation: "GET",
        path: `${totpPath}/:id`,
        handle({ parameter }) {
          const method = totpMethods.find(wellFormed(parameter("id")));
          if (method === undefined) {
            throw notFound();
          }
          return dataAnswer(toTotpMethodData(method));
        },
      },
      {
        operation: "DELETE",
        path: `${totpPath}/:id`,
        handle({ parameter }) {
          const id = wellFormed(parameter("id"));
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
