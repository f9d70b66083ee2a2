import type { Table } from "../../table";
import { dataResponse } from "../responses";
import {
  deletes,
  type EngineEndpoint,
  type EngineRequest,
  reads,
  type SecretsArea,
  writes,
} from "../endpoint";
import { enterprise, FieldTable, text } from "../fields";
import { type DynamicRoleRecord, dynamicRoleFields } from "../objects";
import type { Records } from "../records";
import { parseLdif } from "./ldap/ldif";
import { listsFolders, nameOf } from "./names";
import { ldifFunctions } from "./template/functions";
import { renderTemplate } from "./template/template";
import type { DirectoryTraits } from "./traits";
import { type Data, dataOf } from "./template/values";
import type { DirectoryDynamicRolesSetup, IssuedAccountRecord } from "../types";
import type { MountStates } from "../mounts";
import { attempt, EngineFailure } from "../refusal";
import type { SecretsTraits } from "../traits";

const fieldsOf = ({ automates }: DirectoryTraits) =>
  new FieldTable<Omit<DynamicRoleRecord, "name">>({
    ...dynamicRoleFields,
    ...(automates ? { passwordPolicy: enterprise(text()) } : {}),
  });

export interface DynamicRolesState {
  readonly dynamicRoles: Table<DynamicRoleRecord>;
  readonly issuedAccounts: Table<IssuedAccountRecord>;
}

export function createDynamicRolesArea(
  records: Records,
  states: MountStates<DynamicRolesState>,
): SecretsArea<
  EngineEndpoint,
  "directoryDynamicRoles" | "directoryIssuedAccounts",
  DirectoryDynamicRolesSetup
> {
  const { traits, clock } = records;
  const path = "/role/:name";
  const roleFields = fieldsOf(records.directory);
  const roleOf = (request: EngineRequest): DynamicRoleRecord | undefined =>
    states.of(request.mount).dynamicRoles.find(nameOf(request, records));
  const requireLdif = (name: string, template: string): void =>
    checkLdif(name, template, clock.now(), traits);
  const list = listsFolders("/role", records, ({ mount }) => states.of(mount).dynamicRoles.keys());
  return {
    endpoints: [
      writes(path, [...(traits.repeatsRoleName ? ["role_name"] : []), ...roleFields.names], (request) => {
        // The products store the name as it was sent, and look it up in lower case.
        const name = nameOf(request, records) && request.parameter("name");
        request.body.requireSame("role_name", name);
        const role = { name, ...roleFields.read(request.body, roleOf(request)) };
        requireLdif("creation_ldif", role.creationLdif);
        requireLdif("deletion_ldif", role.deletionLdif);
        if (role.rollbackLdif !== "") {
          requireLdif("rollback_ldif", role.rollbackLdif);
        }
        states.of(request.mount).dynamicRoles.set(role);
      }),
      reads(path, (request) => {
        const role = roleOf(request);
        return role && dataResponse(roleFields.returned(role));
      }),
      deletes(path, (request) => states.of(request.mount).dynamicRoles.delete(nameOf(request, records))),
      ...(traits.listsDynamicRoles ? list : []),
    ],
    setup: {
      changeDirectoryDynamicRole: (name, change, mount) => states.at(mount).dynamicRoles.change(name, change),
      removeDirectoryDynamicRole: (name, mount) => states.at(mount).dynamicRoles.remove(name),
    },
    inspect: () => ({
      directoryDynamicRoles: states.inspect(({ dynamicRoles }) => dynamicRoles.all()),
      directoryIssuedAccounts: states.inspect(({ issuedAccounts }) => issuedAccounts.all()),
    }),
  };
}

type AccountTexts = Readonly<Record<"Username" | "Password" | "RoleName" | "DisplayName", string>>;

/** The members are in the order of the engine's struct. Times are milliseconds since 1970. */
export function accountData(texts: AccountTexts, issuedAt: number, expiresAt: number): Data {
  const { Username, Password, DisplayName, RoleName } = texts;
  // RFC 3339, without fractions of a second.
  const timeOf = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
  const secondsOf = (milliseconds: number): bigint => BigInt(Math.floor(milliseconds / 1_000));
  return dataOf("openldap.dynamicTemplateData", {
    Username,
    Password,
    DisplayName,
    RoleName,
    IssueTime: timeOf(issuedAt),
    IssueTimeSeconds: secondsOf(issuedAt),
    ExpirationTime: timeOf(expiresAt),
    ExpirationTimeSeconds: secondsOf(expiresAt),
  });
}

/** The service checks LDIF templates on write, but the template for user names only on use. */
function checkLdif(name: string, template: string, now: number, traits: SecretsTraits): void {
  if (template === "") {
    throw new EngineFailure(`missing ${name}`);
  }
  const texts = {
    Username: "testuser",
    Password: "testpass",
    RoleName: "testrolename",
    DisplayName: "testdisplayname",
  };
  const example = accountData(texts, now, now + 86_400_000);
  attempt(`invalid ${name}`, () => {
    const functions = ldifFunctions(() => now);
    const text = attempt("invalid template", () => renderTemplate(template, functions, example));
    if (attempt("LDIF is invalid", () => parseLdif(text, traits)).length === 0) {
      throw new EngineFailure("must specify at least one LDIF entry");
    }
  });
}
