import { runtime } from "@pulumi/pulumi";
import { ServiceError, TriviumError, unlessForbidden } from "../../base/errors";
import { type JsonValue, toJson } from "../../base/json";
import { mountPath, path } from "../../base/path";
import { processRedactor } from "../../base/redactor";
import { type Dialect, isProduct } from "../../base/settings";
import { outputForm, promiseForm } from "../../functions/call";
import { defineFunction, UnknownInPreview } from "../../functions/definition";
import { ReadableResource } from "../../resource/program/base";
import { defineResource, requiredWithout } from "../../resource/definition";
import type { InputsOf, ResultOf } from "../../functions/results";
import { field, Fields, type Kind, output, outputAs, snakeCase } from "../../resource/fields/field";
import { adopt, flag, isGiven, text } from "../../resource/fields/kinds";
import { seconds, secondsKind, writtenSeconds } from "../seconds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf, ValuesOf } from "../../resource/fields/rows";
import type { SecretsClient } from "../client";
import { MountedObjects, type MountedName } from "../mounted-objects";
import { secretsService } from "../service";
import { configurations } from "./config";
import { distinguishedName, dnText } from "./distinguished-name";
import { onDirectory } from "./failures";
import {
  automatedRows,
  automatedRules,
  type directoryMount,
  enterprise20,
  enterprise22,
  folderRows,
  isRotatedSince,
  roleFields,
  sentAfter,
  withoutOtherRotation,
  withSecret,
  rotationState,
} from "./names";

/** An empty or zero time, which the products return before the first rotation, is null. */
const lastRotation = outputAs(
  // The documentation does not say whether a time is a string or a number.
  (z) =>
    z
      .union([z.string(), z.number().transform(String)])
      .transform((time) => (/^$|^0001-01-01T/.test(time) ? undefined : time)),
  {
    wire: { documented: "last_svc_rotation", hashicorp: "last_vault_rotation" },
    nullable: true,
    recomputedBy: true,
  },
);

function rotationPeriodKind(dialect: Dialect): Kind<string | number, number> {
  if (isProduct[dialect]) {
    return secondsKind(dialect);
  }
  // According to the documentation a duration string; other rows also allow integers.
  const request = (value: number) => {
    const written = writtenSeconds(value);
    return typeof written === "number" ? `${written}s` : written;
  };
  return { ...secondsKind(dialect, 5), request };
}

const rows = {
  /**
   * Where the directory engine is mounted, such as `teams/ldap`. A change
   * replaces the role.
   *
   * @default "ldap"
   */
  mount: roleFields.mount,
  /**
   * The role's name on its mount, sent and compared as written. In the hashicorp dialect it is
   * case-insensitive: the products store it in lower case. A change replaces the role.
   */
  roleName: roleFields.roleName,
  /** The name of the directory entry whose password is rotated. A change replaces the role. */
  username: text({ least: 1, replaces: true }),
  /**
   * The distinguished name of the entry. If it is set, the entry is not looked up by `username`. Equivalent forms of a
   * name are equal. The output is empty or null if it is not set. A change replaces the role.
   *
   * @default none
   */
  dn: dnText({ optional: true, told: "kept", nullable: true, replaces: true }),
  /**
   * How often the password is rotated: seconds, or a duration such as `"24h"`; at least 5 seconds (10 in
   * Vault Enterprise). Required unless `rotationSchedule` is set; together with a schedule, only 0 is
   * allowed, which means no period. The output is in seconds. A change is made in place.
   */
  rotationPeriod: field(rotationPeriodKind, {
    optional: { hashicorp: true },
    cleared: 0,
    recomputedBy: ["rotationSchedule"],
    check(value, dialect) {
      if (!isProduct[dialect] || value === 0 || value >= 10) {
        return undefined;
      }
      const warning = "is less than 10 seconds, which Vault Enterprise rejects";
      return value < 5 ? "must be 5 seconds or more" : { warning };
    },
  }),
  /**
   * The name of the policy used to generate passwords. A change is made in place. Only in the hashicorp dialect: Vault
   * Enterprise 2.2.
   *
   * @default the configuration's
   */
  passwordPolicy: text({ ...enterprise22, cleared: "" }),
  /**
   * The entry's current password; required if the configuration sets `selfManaged`. Secret. It is sent when
   * the role is created and when the program's value changes. Other changes and `adopt` do not send it,
   * because it is obsolete once the service has rotated the password. The role's data never contains the
   * password, so drift is not detected. A change is made in place. Only in the hashicorp dialect: Vault
   * Enterprise 2.0.
   *
   * @default none
   */
  password: text({
    least: 1,
    only: enterprise20.only,
    optional: true,
    secret: true,
    told: "never",
  }),
  /**
   * Do not rotate the entry's password when the role is created. The service does not know the password until
   * the first rotation. Only used at creation; a later change has no effect.
   *
   * @default the value of `skipStaticRoleImportRotation` in the configuration
   */
  skipImportRotation: flag({ optional: true, local: "creation" }),
  /**
   * Adopt the role with this name if it already exists, instead of failing. Adoption does not rotate the
   * password. Only used at creation; a later change has no effect.
   *
   * @default false
   */
  adopt: adopt(),
  /** When the password was last rotated, as of the last update or refresh; null if it never was. */
  lastRotation,
  /**
   * When the password will be rotated next; null if the service does not return it. Only in the hashicorp dialect:
   * Vault Enterprise 2.0.
   */
  nextRotation: output(
    text({
      only: enterprise20.only,
      nullable: true,
      recomputedBy: true,
      wire: "next_vault_rotation",
    }),
  ),
};

const fields = new Fields({ ...rows, ...automatedRows }, snakeCase);

/** The arguments of a {@link StaticRole}. */
export interface StaticRoleArgs extends ArgsOf<typeof rows>, ArgsOf<typeof automatedRows> {}

/** @internal */
export const staticRoles = new MountedObjects({
  what: "static role",
  idIs: "the mount's path and the role's name: `ldap/payments`",
  key: roleFields,
  list: (at) => ({ path: path`/${at}/static-role`, isPlain: true }),
  path: (at, name) => path`/${at}/static-role/${name}`,
  fields,
  folds: "kept",
  importedBy: "directory",
});

/** The arguments that a role takes from its mount until they are set for the role. */
const ofMount = ["rotateOnRead", "rotateOnReadCooldown", "autoUnlock"];

const sameName = (one: JsonValue, other: JsonValue): boolean =>
  distinguishedName(one || null) === distinguishedName(other || null);

/** A `dn` can be empty or null. */
const hasValue = (_name: string, value: unknown): boolean => isGiven(value);

/** @internal */
export const staticRoleDefinition = defineResource(secretsService, fields)("secrets/directory:StaticRole", {
  ...staticRoles.behavior,
  rules: [
    ...automatedRules,
    requiredWithout("rotationPeriod", "rotationSchedule"),
    {
      between: ["rotationPeriod", "rotationSchedule"],
      check: ({ rotationPeriod, rotationSchedule }) =>
        rotationPeriod === 0 &&
        !isGiven(rotationSchedule) && {
          argument: "rotationPeriod",
          reason: "must be 5 seconds or more without rotationSchedule",
        },
    },
    {
      between: ["password", "dn"],
      byPresence: ["password", "dn"],
      check: ({ password, dn }) =>
        isGiven(password) &&
        !isGiven(dn) && {
          argument: "dn",
          reason: "is required if the configuration sets selfManaged",
          warning: true,
        },
    },
  ],
  // The entry changes, not the name, so both roles cannot exist at once.
  deleteBeforeReplace: ({ roleName }) =>
    `The replacement of the static role ${JSON.stringify(roleName)} changes the password of the entry that the new role manages, ` +
    "unless skipImportRotation is set.",
  // A write would recreate a deleted role.
  updatesWholeObject: true,

  async look(step, desired) {
    const { existing } = await staticRoles.behavior.look(step, desired);
    return { existing: withSecret(existing, "password", desired.password) };
  },

  recover: async (step, desired) =>
    withSecret(await staticRoles.behavior.recover(step, desired), "password", desired.password),

  async create({ client }, desired) {
    const skip_import_rotation = desired.skipImportRotation ?? undefined;
    // Not retried: creation rotates a password, and a second write is an update, which rejects skip_import_rotation.
    await onDirectory(client, desired.mount, () =>
      client.act({
        ...staticRoles.request("create", desired),
        body: { ...fields.in(client.dialect.name).request(desired, hasValue), skip_import_rotation },
      }),
    );
    return staticRoles.created(desired);
  },

  privateState: rotationState,
  rotated: {
    argument: "password",
    refuses(former, args) {
      const { username, dn, lastRotation } = former.outputs;
      const isSame = args.username === username && sameName(args.dn ?? null, toJson(dn) ?? null);
      return isSame && isRotatedSince(former, "lastRotation")
        ? `The service rotated the password of ${String(username)} at ${String(lastRotation)}. A replacement of the role would ` +
            "delete the only copy of it and write the obsolete password, so nothing was changed. Set a new password in the " +
            "directory and in the argument password."
        : undefined;
    },
  },

  async update(step, id, desired, changed, known) {
    const { client, managed, privateState } = step;
    const role = staticRoles.named(id, client.dialect.name);
    // Only an adopted role can differ here, and what the service does not return might already be as desired.
    const { username, dn } = known;
    if ((changed.has("username") && username !== undefined) || (changed.has("dn") && dn !== undefined)) {
      const manages = isGiven(dn) ? dn : username;
      throw new TriviumError(
        `The ${staticRoles.describe(role)} manages ${manages} and cannot be changed to manage another entry. Nothing was changed.`,
        { advice: "Use the current username and dn, or choose another roleName." },
      );
    }
    const names: ReadonlySet<string> = changed;
    const isOwn = (name: string): boolean => managed.has(name) || names.has(name);
    const values = withoutOtherRotation(desired, managed, changed);
    const isCleared = (name: string): boolean => names.has(name) || values !== desired;
    const isSent = (name: string, value: unknown): boolean =>
      value === ""
        ? isCleared(name)
        : isGiven(value) &&
          (name !== "password" || names.has(name)) &&
          (!ofMount.includes(name) || isOwn(name));
    await onDirectory(client, role.mount, () => staticRoles.write(client, role, values, isSent));
    if (changed.has("password")) {
      step.remember?.({ ...privateState, ...sentAfter(known.lastRotation) });
    }
    return role;
  },
});

export interface StaticRole extends OutputsOf<typeof rows>, OutputsOf<typeof automatedRows> {}

/**
 * A static role of a directory engine (the LDAP engine of Vault or OpenBao). The service rotates the password of an
 * existing entry as soon as the role is created (unless `skipImportRotation` or the configuration prevents it), and
 * then once per period.
 *
 * Its ID is the mount's path and the role's name, each part percent-encoded: `ldap/payments`. A change of
 * `username` or `dn` deletes the role before it is created again, which rotates the password of the other
 * entry. Deletion does not change the entry or its password. To read the password, use
 * {@link getStaticCredentials}. All drift is detected, except in `password` and in `skipImportRotation`,
 * which has no effect once the role exists.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const role = new trivium.secrets.directory.StaticRole("payments", {
 *   roleName: "payments",
 *   username: "svc-payments",
 *   dn: "cn=svc-payments,ou=users,dc=example,dc=org",
 *   rotationPeriod: "24h",
 * });
 *
 * export const password = trivium.secrets.directory.getStaticCredentialsOutput({ roleName: role.roleName }).password;
 * ```
 */
export class StaticRole extends ReadableResource<StaticRoleArgs> {
  /** @internal */
  static override readonly definition = staticRoleDefinition;
}

/** The arguments of {@link getStaticRole}. */
export interface GetStaticRoleArgs extends PlainArgsOf<typeof roleFields>, Named {}

/** The arguments of {@link getStaticRoleOutput}. */
export type GetStaticRoleOutputArgs = InputsOf<GetStaticRoleArgs>;

/** A static role as functions return it. */
export type GetStaticRoleResult = ResultOf<StaticRole, "id" | "password">;

const getDefinition = staticRoles.reading<GetStaticRoleResult>("secrets.directory.getStaticRole");

/**
 * Reads a static role.
 *
 * @example
 * ```typescript
 * const { lastRotation } = await trivium.secrets.directory.getStaticRole({ roleName: "payments" });
 * ```
 *
 * @throws {@link errors.NotFoundError} if the role does not exist
 */
export const getStaticRole = promiseForm<GetStaticRoleArgs, GetStaticRoleResult>(getDefinition);

/**
 * Reads a static role, with arguments that can be outputs of resources. In a preview that creates one of
 * these resources, or one in `dependsOn`, the result is unknown.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const getStaticRoleOutput = outputForm<GetStaticRoleOutputArgs, GetStaticRoleResult>(getDefinition);

/** The arguments of {@link listStaticRoles}. */
export interface ListStaticRolesArgs
  extends PlainArgsOf<typeof directoryMount>, PlainArgsOf<typeof folderRows> {}

/** The arguments of {@link listStaticRolesOutput}. */
export type ListStaticRolesOutputArgs = InputsOf<ListStaticRolesArgs>;

/** The result of {@link listStaticRoles}. */
export interface ListStaticRolesResult {
  /** The names of the roles, in the service's order, with their paths. */
  readonly names: string[];
}

const listDefinition = staticRoles.listing("secrets.directory.listStaticRoles", folderRows);

/**
 * Lists the static roles of a directory engine.
 *
 * @example
 * ```typescript
 * const { names } = await trivium.secrets.directory.listStaticRoles({});
 * ```
 *
 * @throws {@link errors.ServiceError} if the service returns an error
 */
export const listStaticRoles = promiseForm<ListStaticRolesArgs | undefined, ListStaticRolesResult>(
  listDefinition,
);

/**
 * Lists the static roles of a directory engine, with arguments that can be outputs of resources. In a preview
 * that creates one of these resources, or one in `dependsOn`, the result is unknown.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const listStaticRolesOutput = outputForm<ListStaticRolesOutputArgs | undefined, ListStaticRolesResult>(
  listDefinition,
);

/** The arguments of {@link getStaticCredentials}. */
export interface GetStaticCredentialsArgs extends PlainArgsOf<typeof roleFields>, Named {}

/** The arguments of {@link getStaticCredentialsOutput}. */
export type GetStaticCredentialsOutputArgs = InputsOf<GetStaticCredentialsArgs>;

const credentialRows = {
  /** The name of the entry. */
  username: text(),
  /** The distinguished name of the entry; empty or null if the role has none. */
  dn: text({ nullable: true }),
  /** The current password; `undefined` before the first rotation, when the service does not know it. */
  password: text({ told: "maybe" }),
  /** The previous password; empty or null if the service does not know one. */
  lastPassword: text({ nullable: true }),
  /** When the password was last rotated, in the service's format. */
  lastRotation,
  /** How often the password is rotated, in seconds; null for a role with a schedule. */
  rotationPeriod: seconds({ nullable: true }),
  /** The number of seconds until the next rotation; null if the service does not return it. */
  ttl: seconds({ nullable: true }),
  /** Whether this read has rotated the password. Only in the hashicorp dialect: Vault Enterprise 2.2. */
  rotatedOnRead: flag({ only: "hashicorp", told: "maybe" }),
};

const credentials = new Fields(credentialRows, snakeCase);

/** The credentials of a static role's entry. */
export interface GetStaticCredentialsResult extends ValuesOf<typeof credentialRows> {}

/** Reading the credentials of some roles rotates the password, which a preview must not do. */
async function assertReadOnly(client: SecretsClient, role: MountedName<"roleName">): Promise<void> {
  const mayRotate = unlessForbidden({ rotateOnRead: true });
  const own = (await staticRoles.read(client, role).catch(mayRotate))?.rotateOnRead;
  if (own ?? (await configurations.read(client, role).catch(mayRotate))?.rotateOnRead) {
    const text = `Reading the credentials of the ${staticRoles.describe(role)} might rotate the password, which a preview must not do.`;
    throw new UnknownInPreview(text, {
      advice: "Use getStaticCredentialsOutput, whose result is unknown in a preview.",
    });
  }
}

async function readCredentials(client: SecretsClient, role: MountedName<"roleName">) {
  const what = staticRoles.describe(role);
  if (runtime.isDryRun() && client.dialect.rotatesOnRead) {
    await assertReadOnly(client, role);
  }
  const request = client.get<typeof credentialRows, GetStaticCredentialsResult>({
    what,
    summary: `read the credentials of the ${what}`,
    path: path`/${mountPath(role.mount)}/static-cred/${role.roleName}`,
    listed: staticRoles.listed(role),
    fields: credentials,
    known: {},
  });
  const result = await request.catch((error: unknown) => {
    const isUnknown = ServiceError.isInstance(error) && /unknown role/i.test(error.messages.join());
    throw isUnknown ? staticRoles.missing(role) : error;
  });
  const password = result.password || undefined;
  processRedactor.register(password, result.lastPassword ?? undefined);
  return { ...result, password };
}

const credentialsDefinition = defineFunction(secretsService, roleFields)(
  "secrets.directory.getStaticCredentials",
  readCredentials,
  { secret: true },
);

/**
 * Reads the password of a static role's entry. The password stays the same until its next rotation. If the
 * role rotates the password on every read (`rotateOnRead`), a call in a preview is rejected, because it would
 * change the password. With `skipImportRotation`, the service does not know the password before the first
 * rotation: wait, or rotate the password with {@link StaticRoleRotation} in a program or
 * {@link rotateStaticRole} in a script.
 *
 * @example
 * ```typescript
 * const { username, password } = await trivium.secrets.directory.getStaticCredentials({ roleName: "payments" });
 * ```
 *
 * @throws {@link errors.NotFoundError} if the role does not exist
 */
export const getStaticCredentials = promiseForm<GetStaticCredentialsArgs, GetStaticCredentialsResult>(
  credentialsDefinition,
);

/**
 * Reads the password of a static role's entry, with arguments that can be outputs of resources. The result is
 * secret. In a preview that creates one of these resources, or one in `dependsOn`, the result is unknown. If
 * the role rotates the password on every read, the result is unknown in every preview.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const getStaticCredentialsOutput = outputForm<
  GetStaticCredentialsOutputArgs,
  GetStaticCredentialsResult
>(credentialsDefinition);
