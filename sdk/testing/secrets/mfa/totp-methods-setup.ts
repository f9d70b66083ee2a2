import { randomUUID } from "node:crypto";
import type { Records } from "../records";
import { newEnforcement, type EnforcementRecord, type NewEnforcement } from "./enforcement-record";
import { defaultTotpSettings, type TotpMethodRecord, type TotpMethodSettings } from "./totp-method-record";

/** A TOTP method that somebody else made. */
export interface NewTotpMethod extends Partial<TotpMethodSettings> {
  readonly issuer: string;
  /** Default: a new one. */
  readonly id?: string;
}

/** Works behind a program's back. Every method throws an Error for what does not exist. */
export interface TotpMethodsSetup {
  /** The rules of the interface are not applied. */
  addTotpMethod(method: NewTotpMethod): TotpMethodRecord;
  /** Changes what is given; the rules of the interface are not applied. */
  changeTotpMethod(id: string, change: Partial<TotpMethodSettings>): TotpMethodRecord;
  /** Also from the enforcements that use it. Secrets that were generated with it stay. */
  removeTotpMethod(id: string): void;
  /** While it is there, none of its methods can be deleted over the interface. */
  addEnforcement(enforcement: NewEnforcement): EnforcementRecord;
  removeEnforcement(id: string): void;
}

export function createTotpMethodsSetup({ totpMethods, enforcements }: Records): TotpMethodsSetup {
  return {
    addTotpMethod: (method) => ({
      ...totpMethods.add({ id: randomUUID(), ...defaultTotpSettings, ...method }),
    }),
    changeTotpMethod: (id, change) => ({ ...totpMethods.set({ ...totpMethods.known(id), ...change }) }),
    removeTotpMethod(id) {
      totpMethods.remove(id);
      for (const enforcement of enforcements.all()) {
        const methodIds = enforcement.methodIds.filter((methodId) => methodId !== id);
        enforcements.set({ ...enforcement, methodIds });
      }
    },
    addEnforcement(enforcement) {
      for (const id of enforcement.methodIds) {
        totpMethods.known(id);
      }
      return structuredClone(enforcements.set(newEnforcement(enforcement)));
    },
    removeEnforcement(id) {
      enforcements.remove(id);
    },
  };
}
