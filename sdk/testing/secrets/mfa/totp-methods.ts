import { randomUUID } from "node:crypto";
import type { Area } from "../../area";
import * as forms from "../../forms";
import { Table } from "../../table";
import { dataResponse, describedListResponse, listResponse } from "../responses";
import type { Body } from "../body";
import { deletes, lists, reads, writes, type FixedEndpoint } from "../endpoint";
import { type Field, FieldTable, integer, oneOf, requiredText, seconds } from "../fields";
import type { Records } from "../records";
import { badRequest, failure, unsupportedPath } from "../refusal";

/** How codes are computed. */
export interface TotpParameters {
  readonly issuer: string;
  /** Seconds that a code is good for. */
  readonly period: number;
  readonly algorithm: TotpAlgorithm;
  readonly digits: number;
}

export type TotpAlgorithm = "SHA1" | "SHA256" | "SHA512";

/** Everything that can be set on a TOTP method. */
export interface TotpMethodSettings extends TotpParameters {
  /** Bytes. */
  readonly keySize: number;
  /** Pixels; 0 for no barcode. */
  readonly qrSize: number;
  /** Periods that a code may be early or late. */
  readonly skew: number;
  readonly maxValidationAttempts: number;
}

/** A TOTP method. */
export interface TotpMethodRecord extends TotpMethodSettings {
  readonly id: string;
}

/** @param isHashicorp the documents name no limits but those of `digits` and `skew` */
function fieldsOf(isHashicorp: boolean): FieldTable<TotpMethodSettings> {
  const least = (limit: number, refusal: string): Pick<Field<number>, "rule"> =>
    isHashicorp ? { rule: [(value) => value >= limit, refusal] } : {};
  return new FieldTable<TotpMethodSettings>({
    issuer: requiredText("issuer must be set"),
    period: seconds({ initial: 30, ...least(1, "period must be greater than zero") }),
    keySize: integer({ initial: 20, ...least(1, "key_size must be greater than zero") }),
    qrSize: integer({ initial: 200, ...least(0, "qr_size must be zero or greater") }),
    algorithm: oneOf(["SHA1", "SHA256", "SHA512"], "unrecognized algorithm", { initial: "SHA1" }),
    digits: integer({
      initial: 6,
      rule: [(digits) => digits === 6 || digits === 8, "digits can only be 6 or 8"],
    }),
    skew: integer({ initial: 1, rule: [(skew) => skew === 0 || skew === 1, "skew must be 0 or 1"] }),
    maxValidationAttempts: integer({
      initial: 5,
      // Zero attempts would lock everybody out: the products take it as not sent.
      read: (body, name) => {
        const attempts = body.integer(name);
        return isHashicorp && attempts === 0 ? undefined : attempts;
      },
      ...least(0, "max_validation_attempts must be zero or greater"),
    }),
  });
}

/** A rule that logging in needs one of some methods; the documentation has no endpoint that makes one. */
export interface EnforcementRecord {
  readonly id: string;
  readonly name: string;
  /** Ids of the methods; none of them can be deleted over the interface. */
  readonly methodIds: readonly string[];
}

/** An enforcement to set up. */
export interface NewEnforcement {
  /** Default: `enforcement_` and the first part of its id. */
  readonly name?: string;
  /** Ids of existing TOTP methods. */
  readonly methodIds: readonly string[];
}

/** What a seed returns about one of its `enforcements`. */
export const enforcementForm = forms.object<NewEnforcement>({
  name: forms.name.optional(),
  methodIds: forms.names,
});

export interface TotpMethodsInspection {
  readonly totpMethods: readonly TotpMethodRecord[];
  readonly enforcements: readonly EnforcementRecord[];
}

/** A TOTP method that another client made. */
export interface NewTotpMethod extends Partial<TotpMethodSettings> {
  readonly issuer: string;
  /** Default: a new one. */
  readonly id?: string;
}

/** What a seed returns about one of its `totpMethods`. */
export const totpMethodForm = forms.object<NewTotpMethod>({
  id: forms.name.optional(),
  ...fieldsOf(false).forms(),
  issuer: forms.text,
});

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

/** Below which everything about TOTP lies. */
export const totpPath = "/identity/mfa/method/totp";

export function createTotpMethods(): Table<TotpMethodRecord> {
  return new Table("TOTP method", ({ id }) => id);
}

/** TOTP methods, and the enforcements that use them. */
export function createTotpMethodsArea(
  { isHashicorp }: Records,
  methods: Table<TotpMethodRecord>,
): Area<FixedEndpoint, TotpMethodsInspection, TotpMethodsSetup> {
  const methodFields = fieldsOf(isHashicorp);
  const enforcements = new Table<EnforcementRecord>("enforcement", ({ id }) => id);
  const fields = [...(isHashicorp ? [] : ["id"]), ...methodFields.names];
  /** A method that is not there stays away, which the response does not tell. */
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
        const user = enforcements.all().find(({ methodIds }) => methodIds.includes(id));
        if (user !== undefined) {
          throw failure(`methodID is still used by an enforcement configuration with ID: ${user.id}`);
        }
        methods.delete(id);
      }),
    ],
    setup: {
      addTotpMethod: (method) => ({ ...methods.add({ id: randomUUID(), ...methodFields.with(method) }) }),
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
          methods.known(methodId);
        }
        const id = randomUUID();
        const enforcement = { id, name: name ?? `enforcement_${id.slice(0, 8)}`, methodIds: [...methodIds] };
        return structuredClone(enforcements.set(enforcement));
      },
      removeEnforcement: (id) => enforcements.remove(id),
    },
    inspect: () => ({ totpMethods: methods.all(), enforcements: enforcements.all() }),
    clear() {
      methods.clear();
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
