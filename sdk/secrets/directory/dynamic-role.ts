import { path } from "../../base/path";
import { outputForm, promiseForm } from "../../functions/call";
import { ReadableResource } from "../../resource/program/base";
import { defineResource } from "../../resource/definition";
import type { InputsOf, ResultOf } from "../../functions/results";
import { Fields, snakeCase } from "../../resource/fields/field";
import { adopt, text, textComparedBy } from "../../resource/fields/kinds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf } from "../../resource/fields/rows";
import { limits } from "../leased";
import { MountedObjects } from "../mounted-objects";
import { secretsService } from "../service";
import { lifetime } from "../shared-rows";
import { decodeLdif, describeFindings, type TemplateKind } from "./lint-template";
import { directoryLists, type directoryMount, enterprise22, folderRows, roleFields } from "./names";

function template(kind: TemplateKind) {
  return {
    check(value: string) {
      const errors = describeFindings(value, kind, "error");
      if (errors) {
        return `is not a valid template: ${errors}`;
      }
      const doubts = describeFindings(value, kind, "warning");
      return doubts ? { warning: `might be wrong: ${doubts}` } : undefined;
    },
    told: "kept",
  } as const;
}

/** Base64 and plain text are equivalent, and so are all line endings and all surrounding white space. */
const ldif = textComparedBy((value) =>
  typeof value === "string" ? (decodeLdif(value) ?? value).replace(/\r\n?/g, "\n").trim() : value,
);

const rows = {
  /**
   * Where the directory engine is mounted, such as `teams/ldap`. A change replaces the role.
   *
   * @default "ldap"
   */
  mount: roleFields.mount,
  /**
   * The role's name on its mount, sent and compared as written. In the hashicorp dialect it is
   * case-insensitive: the products store it in lower case. A change replaces the role.
   */
  roleName: roleFields.roleName,
  /**
   * The template of the LDIF that creates an account, plain or as base64; the output is plain. Its entries
   * run in order up to the first error; then `rollbackLdif` runs. Templates are checked in previews:
   * `{{.Username}}`, `{{.Password}}` and so on. `{{.IssueTime}}` and `{{.ExpirationTime}}` are in RFC 3339
   * format (`2006-01-02T15:04:05Z07:00`), and can be slightly earlier than the times of the lease. A change
   * is made in place and applies to new accounts.
   */
  creationLdif: ldif({ least: 1, ...template("ldif") }),
  /**
   * The template of the LDIF that deletes an account when it expires, plain or as base64; the output is plain. Its
   * entries run in order, also after an error. A change is made in place and applies to new accounts.
   */
  deletionLdif: ldif({ least: 1, ...template("ldif") }),
  /**
   * The template of the LDIF that runs when `creationLdif` fails, plain or as base64; the output is plain,
   * and empty if there is none. Its entries run in order, also after an error. The service's documentation
   * recommends a rollback template. A change is made in place.
   *
   * @default none: entries that a failed creation has added are not removed
   */
  rollbackLdif: ldif({ cleared: "", ...template("ldif") }),
  /**
   * The template of account names, with `{{.RoleName}}`, `{{.DisplayName}}` and functions. Dashes and underscores in
   * these names stay unless the template removes them. The output is empty for the default. A change is made in place
   * and applies to new accounts.
   *
   * @default "v_{{.DisplayName}}_{{.RoleName}}_{{random 10}}_{{unix_time}}"
   */
  usernameTemplate: text({ cleared: "", ...template("username") }),
  /**
   * How long an account exists: seconds, or a duration such as `"1h"`. The output is in seconds; 0 if the
   * role does not set it. A change is made in place and applies to new accounts.
   *
   * @default the mount's, else the service's
   */
  defaultTtl: lifetime,
  /**
   * How long an account can exist, renewals included: seconds, or a duration such as `"24h"`. The mount's (or the
   * service's) maximum is the upper limit. The output is in seconds; 0 if the role does not set it. A change is
   * made in place.
   *
   * @default the mount's, else the service's
   */
  maxTtl: lifetime,
  /**
   * The name of the policy used to generate passwords. A change is made in place and applies to new accounts. Only in
   * the hashicorp dialect: Vault Enterprise 2.2.
   *
   * @default the configuration's
   */
  passwordPolicy: text({ ...enterprise22, cleared: "" }),
  /**
   * Adopt the role with this name if it already exists, instead of failing. Only used at creation; a later
   * change has no effect.
   *
   * @default false
   */
  adopt: adopt(),
};

const fields = new Fields(rows, snakeCase);

/** The arguments of a {@link DynamicRole}. */
export interface DynamicRoleArgs extends ArgsOf<typeof rows>, Named {}

/** @internal */
export const dynamicRoles = new MountedObjects({
  what: "dynamic role",
  idIs: "the mount's path and the role's name: `ldap/operators`",
  key: roleFields,
  list: (at) => ({ path: path`/${at}/role` }),
  otherLists: directoryLists,
  importedBy: "directory",
  path: (at, name) => path`/${at}/role/${name}`,
  fields,
  folds: "kept",
});

/** @internal */
export const dynamicRoleDefinition = defineResource(secretsService, fields)("secrets/directory:DynamicRole", {
  ...dynamicRoles.behavior,
  rules: [limits("maxTtl", "defaultTtl", "accounts")],
  // A write would create a deleted role again, with only a part of its fields.
  updatesWholeObject: true,

  async create({ client }, desired) {
    await dynamicRoles.write(client, desired, desired, (_name, value) => value !== "");
    return dynamicRoles.created(desired);
  },

  // The service keeps what a write omits.
  async update({ client }, id, desired, changed: ReadonlySet<string>) {
    const role = dynamicRoles.named(id, client.dialect.name);
    await dynamicRoles.write(client, role, desired, (name) => changed.has(name));
    return role;
  },
});

export interface DynamicRole extends OutputsOf<typeof rows> {}

/**
 * A dynamic role of a directory engine (the LDAP engine of Vault or OpenBao). The service creates an account
 * for each request for credentials, and deletes the account when the credentials expire.
 *
 * Its ID is the mount's path and the role's name, each part percent-encoded: `ldap/operators`. An update only
 * sends what has changed. To generate credentials, use {@link DynamicCredential}. Deletion does not affect
 * issued accounts, which exist until they expire. All drift is detected.
 *
 * Previews check templates with {@link lintTemplate}: the service accepts an invalid template and only fails
 * when credentials are requested. LDIF must not be indented: join its lines, or remove the indentation of a
 * template literal, for instance with the package `dedent`.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const account = "cn={{.Username}},ou=users,dc=example,dc=org";
 *
 * const role = new trivium.secrets.directory.DynamicRole("operators", {
 *   roleName: "operators",
 *   creationLdif: [
 *     `dn: ${account}`,
 *     "changetype: add",
 *     "objectClass: inetOrgPerson",
 *     "cn: {{.Username}}",
 *     "sn: {{.Username}}",
 *     "userPassword: {{.Password}}",
 *   ].join("\n"),
 *   deletionLdif: `dn: ${account}\nchangetype: delete`,
 *   rollbackLdif: `dn: ${account}\nchangetype: delete`,
 *   usernameTemplate: "ops_{{random 8 | lowercase}}",
 *   defaultTtl: "1h",
 *   maxTtl: "8h",
 * });
 * ```
 */
export class DynamicRole extends ReadableResource<DynamicRoleArgs> {
  /** @internal */
  static override readonly definition = dynamicRoleDefinition;
}

/** The arguments of {@link getDynamicRole}. */
export interface GetDynamicRoleArgs extends PlainArgsOf<typeof roleFields>, Named {}

/** The arguments of {@link getDynamicRoleOutput}. */
export type GetDynamicRoleOutputArgs = InputsOf<GetDynamicRoleArgs>;

/** A dynamic role as functions return it. */
export type GetDynamicRoleResult = ResultOf<DynamicRole, "id">;

const getDefinition = dynamicRoles.reading<GetDynamicRoleResult>("secrets.directory.getDynamicRole");

/**
 * Reads a dynamic role.
 *
 * @example
 * ```typescript
 * const { defaultTtl } = await trivium.secrets.directory.getDynamicRole({ roleName: "operators" });
 * ```
 *
 * @throws {@link errors.NotFoundError} if the role does not exist
 */
export const getDynamicRole = promiseForm<GetDynamicRoleArgs, GetDynamicRoleResult>(getDefinition);

/**
 * Reads a dynamic role, with arguments that can be outputs of resources. In a preview that creates one of
 * these resources, or one in `dependsOn`, the result is unknown.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const getDynamicRoleOutput = outputForm<GetDynamicRoleOutputArgs, GetDynamicRoleResult>(getDefinition);

/** The arguments of {@link listDynamicRoles}. */
export interface ListDynamicRolesArgs
  extends PlainArgsOf<typeof directoryMount>, PlainArgsOf<typeof folderRows> {}

/** The arguments of {@link listDynamicRolesOutput}. */
export type ListDynamicRolesOutputArgs = InputsOf<ListDynamicRolesArgs>;

/** The result of {@link listDynamicRoles}. */
export interface ListDynamicRolesResult {
  /** The names of the roles, in the service's order, with their paths. */
  readonly names: string[];
}

const listDefinition = dynamicRoles.listing("secrets.directory.listDynamicRoles", folderRows);

/**
 * Lists the dynamic roles of a directory engine, in the hashicorp dialect only: the documented service has no list of them.
 *
 * @throws {@link errors.TriviumError} in the documented dialect
 */
export const listDynamicRoles = promiseForm<ListDynamicRolesArgs | undefined, ListDynamicRolesResult>(
  listDefinition,
);

/**
 * Lists the dynamic roles of a directory engine, with arguments that can be outputs of resources. In a
 * preview that creates one of these resources, or one in `dependsOn`, the result is unknown.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const listDynamicRolesOutput = outputForm<
  ListDynamicRolesOutputArgs | undefined,
  ListDynamicRolesResult
>(listDefinition);
