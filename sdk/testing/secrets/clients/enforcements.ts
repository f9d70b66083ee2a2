import type { Area } from "../../area";
import type { Body } from "../body";
import { deletes, lists, reads, writes, productArea, type FixedEndpoint } from "../endpoint";
import type { Records } from "../records";
import { badRequest } from "../refusal";
import { dataResponse, listResponse } from "../responses";
import type { EnforcementRecord } from "../types";

const path = "/identity/mfa/login-enforcement";
const withName = ":name(^\\w[\\w.-]*$)";

/**
 * Whose logins the enforcement applies to, with the error if one does not exist: vault/identity/mfa.go of OpenBao
 * 2.6.2.
 */
const subjects = {
  authMethodAccessors: ["auth_method_accessors", "one of the auth method accessors provided is invalid"],
  authMethodTypes: ["auth_method_types", "one of the auth method types provided is invalid"],
  identityGroupIds: ["identity_group_ids", "one of the provided group ids doesn't exist"],
  identityEntityIds: ["identity_entity_ids", "one of the provided entity ids doesn't exist"],
} as const;

type Subject = keyof typeof subjects;

const subjectNames = Object.keys(subjects) as Subject[];
const fields = ["mfa_method_ids", ...subjectNames.map((subject) => subjects[subject][0])];

/** The documentation has no endpoints for enforcements. */
export function createEnforcementsArea(records: Records): Area<FixedEndpoint, object, object> {
  const { enforcements, entities, mounts, mfaMethods } = records;
  const named = (name: string): EnforcementRecord | undefined =>
    enforcements.all().find((enforcement) => enforcement.name === name);
  const exists: Readonly<Record<Subject, (item: string) => boolean>> = {
    authMethodAccessors: (accessor) => mounts.authMethods().some((method) => method.accessor === accessor),
    authMethodTypes: (type) => mounts.authMethods().some((method) => method.type === type),
    identityGroupIds: () => false,
    identityEntityIds: (id) => entities.find(id) !== undefined,
  };
  const write = (name: string, body: Body): void => {
    const methodIds = body.strings("mfa_method_ids");
    if (methodIds === undefined) {
      throw badRequest("missing method ids");
    }
    const methods = mfaMethods.flatMap(({ described }) => described());
    if (!methodIds.every((id) => methods.some((method) => method.id === id))) {
      throw badRequest("one of the provided method ids doesn't exist");
    }
    const sent = subjectNames.flatMap((subject) => {
      const [field, refusal] = subjects[subject];
      const items = body.strings(field);
      if (items?.every(exists[subject]) === false) {
        throw badRequest(refusal);
      }
      return items === undefined ? [] : [[subject, items] as const];
    });
    if (sent.length === 0) {
      const all = subjectNames.map((subject) => subjects[subject][0]).join(", ");
      throw badRequest(`One of ${all} must be specified`);
    }
    // Members that were not sent keep their values.
    const present = named(name) ?? records.addEnforcement({ name, methodIds });
    const given: Partial<EnforcementRecord> = Object.fromEntries(sent);
    enforcements.set({ ...present, methodIds, ...given });
  };
  return productArea(records, [
    lists(path, () => {
      const all = enforcements.all();
      const list = listResponse(
        all.map(({ name }) => name),
        true,
      );
      const key_info = Object.fromEntries(
        all.map((enforcement) => [enforcement.name, describe(enforcement)]),
      );
      return list && dataResponse({ key_info, keys: Object.keys(key_info) });
    }),
    reads(`${path}/${withName}`, ({ parameter }) => {
      const enforcement = named(parameter("name"));
      return enforcement && dataResponse(describe(enforcement));
    }),
    writes(`${path}/${withName}`, fields, ({ parameter, body }) => {
      write(parameter("name"), body);
      return undefined;
    }),
    deletes(`${path}/${withName}`, ({ parameter }) =>
      enforcements.delete(named(parameter("name"))?.id ?? ""),
    ),
  ]);
}

function describe(enforcement: EnforcementRecord): Record<string, unknown> {
  return {
    id: enforcement.id,
    name: enforcement.name,
    namespace_id: "root",
    namespace_path: "",
    mfa_method_ids: enforcement.methodIds,
    ...Object.fromEntries(subjectNames.map((subject) => [subjects[subject][0], enforcement[subject]])),
  };
}
