import type * as Zod from "zod";
import { path } from "../../base/path";
import { outputForm, promiseForm } from "../../functions/call";
import { ReadableResource } from "../../resource/program/base";
import { defineResource, type Rule } from "../../resource/definition";
import type { InputsOf, ResultOf } from "../../functions/results";
import {
  defaulted,
  type Desired,
  Fields,
  outputAs,
  snakeCase,
  type Validation,
  type Given,
} from "../../resource/fields/field";
import { adopt, commaSeparated, flag, oneOf, pathName } from "../../resource/fields/kinds";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf } from "../../resource/fields/rows";
import type { SecretsClient } from "../client";
import { secretsDialects } from "../dialect";
import { schedulerMount, schedulerMountRows } from "../mount";
import { MountedObjects, type MountedName } from "../mounted-objects";
import { secretsService } from "../service";

/** The type of a scheduler token: `"client"` has the permissions of its policies, `"management"` has all. */
export type TokenType = (typeof TokenType)[keyof typeof TokenType];

/** The values of the type of this name, as generated programs write them. */
export const TokenType = {
  Client: "client",
  Management: "management",
} as const;

const tokenTypes: readonly TokenType[] = Object.values(TokenType);

function policyNames(z: Validation): Zod.ZodType<string[], string[]> {
  return z.array(z.string().regex(/^[^,]+$/, "must be the name of a policy, without commas"));
}

const policiesOfType: Rule<Given<typeof rows>> = {
  between: ["type", "policies"],
  check({ type, policies }, dialect) {
    const warning = !secretsDialects[dialect].checksPolicies;
    const some = (policies ?? []).length > 0;
    const reason =
      type === "management"
        ? `${warning ? "have no effect" : "must be empty"} when type is "management", whose tokens have all permissions`
        : warning
          ? 'is empty: tokens of type "client" then have no permissions'
          : 'must contain at least one policy when type is "client", whose tokens otherwise have no permissions';
    return some === (type === "management") && { argument: "policies", reason, warning };
  },
};

const roleRow = {
  /** The role's name. */
  name: pathName({ replaces: true }),
};

const roleName = { ...schedulerMountRows, ...roleRow };

const rows = {
  /**
   * Where the scheduler engine is mounted, such as `teams/scheduler`. A change replaces the role.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount: schedulerMount,
  /** The role's name on its mount. A change replaces the role. */
  name: roleName.name,
  /**
   * The names of the scheduler's policies that the role's tokens have: a list, or one comma-separated string.
   * Order and duplicates do not matter. The policies must exist in the scheduler. A role of type
   * `"management"` with policies, or one of type `"client"` without policies, causes a warning; in the
   * hashicorp dialect it causes an error, because the products reject such a role. A change is made in place
   * and applies to new tokens.
   *
   * @default none
   */
  policies: commaSeparated(policyNames, {
    cleared: [],
    recomputedBy: ["type"],
    check: (names) =>
      names.some((name) => /\s/.test(name)) && {
        warning: "contains a name with a space, which the scheduler does not accept",
      },
  }),
  /**
   * Whether the role's tokens are valid in all regions of the scheduler. The output is `undefined` if neither the program
   * nor the service sets it. A change is made in place.
   *
   * @default false
   */
  // Only real servers return it.
  global: flag({ cleared: false, told: "maybe", nullable: false }),
  /**
   * Whether the role's tokens have the permissions of their policies (`"client"`) or all permissions
   * (`"management"`). A change is made in place, together with the policies.
   *
   * @default "client"
   */
  // Always sent: an omitted type might change the role's type. Documented responses use the second name.
  type: defaulted(oneOf(tokenTypes, { wire: { documented: ["type", "token_type"] } }), "client"),
  /**
   * Adopt the role with this name if it already exists, instead of failing. Only used at creation; a later
   * change has no effect.
   *
   * @default false
   */
  adopt: adopt(),
  /** The role's lease, in the service's format; real servers do not return one. */
  lease: outputAs((z) => z.union([z.string(), z.number().transform(String)]), { told: "maybe" }),
};

const fields = new Fields(rows, snakeCase);

/** The arguments of a {@link Role}. */
export interface RoleArgs extends ArgsOf<typeof rows>, Named {}

/** @internal */
export const schedulerRoles = new MountedObjects({
  what: "scheduler role",
  idIs: "the mount and the role's name: `scheduler/deploy`",
  key: roleName,
  list: (at) => ({ path: path`/${at}/role` }),
  path: (at, name) => path`/${at}/role/${name}`,
  fields,
  importedBy: "scheduler",
});

type Rows = typeof rows;

async function writeRole(client: SecretsClient, role: MountedName<"name">, desired: Desired<Rows>) {
  // The products reject policies of a management role, even those that the program never set.
  const isWithout = client.dialect.checksPolicies && desired.type === "management";
  const policies = isWithout ? [] : (desired.policies ?? []);
  const body = { ...fields.in(client.dialect.name).request(desired), policies: policies.join(",") };
  await client.write({ ...schedulerRoles.request("write", role), body });
}

/** @internal */
export const roleDefinition = defineResource(secretsService, fields)("secrets/scheduler:Role", {
  ...schedulerRoles.behavior,
  rules: [policiesOfType],
  // Real servers and the documentation differ in what an update does to omitted fields.
  updatesWholeObject: true,

  async create({ client }, desired) {
    const { global = false } = desired;
    await writeRole(client, desired, { ...desired, global });
    return schedulerRoles.created(desired, { global });
  },

  async update({ client }, id, desired) {
    const role = schedulerRoles.named(id, client.dialect.name);
    await writeRole(client, role, desired);
    // Only unknown for an adopted role, for which no change was requested.
    const { global } = desired;
    return { ...role, ...(global === undefined ? {} : { global }) };
  },
});

export interface Role extends OutputsOf<typeof rows> {}

/**
 * A role of the scheduler engine (the Nomad engine of Vault or OpenBao). It defines the permissions of the
 * scheduler tokens that are issued for it. To issue a token, use {@link Token}.
 *
 * Its ID is the mount's path and the role's name: `scheduler/deploy`. A change applies to new tokens. Drift
 * in `global` is only detected if the service returns it, which is not documented; all other drift is
 * detected.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const deploy = new trivium.secrets.scheduler.Role("deploy", {
 *   name: "deploy",
 *   policies: ["job-submit", "node-read"],
 * });
 * ```
 */
export class Role extends ReadableResource<RoleArgs> {
  /** @internal */
  static override readonly definition = roleDefinition;
}

/** The arguments of {@link getRole}. */
export interface GetRoleArgs extends PlainArgsOf<typeof schedulerMountRows>, PlainArgsOf<typeof roleRow> {}

/** The arguments of {@link getRoleOutput}. */
export type GetRoleOutputArgs = InputsOf<GetRoleArgs>;

/**
 * A role of the scheduler engine, as functions return it; null for values that the service does not return.
 */
export type GetRoleResult = ResultOf<Role, "id">;

const getDefinition = schedulerRoles.reading<GetRoleResult>("secrets.scheduler.getRole");

/**
 * Reads a role of the scheduler engine.
 *
 * @example
 * ```typescript
 * const { policies } = await trivium.secrets.scheduler.getRole({ name: "deploy" });
 * ```
 *
 * @throws {@link errors.NotFoundError} if the mount has no role with this name
 */
export const getRole = promiseForm<GetRoleArgs, GetRoleResult>(getDefinition);

/**
 * Reads a role of the scheduler engine, with arguments that can be outputs of resources. In a preview that
 * creates one of these resources, or one in `dependsOn`, the result is unknown.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const getRoleOutput = outputForm<GetRoleOutputArgs, GetRoleResult>(getDefinition);

/** The arguments of {@link listRoles}. */
export interface ListRolesArgs extends PlainArgsOf<typeof schedulerMountRows>, Named {}

/** The arguments of {@link listRolesOutput}. */
export type ListRolesOutputArgs = InputsOf<ListRolesArgs>;

/** The result of {@link listRoles}. */
export interface ListRolesResult {
  /** The names of the roles, in the service's order. */
  readonly names: string[];
}

const listDefinition = schedulerRoles.listing("secrets.scheduler.listRoles");

/**
 * Lists the roles of the scheduler engine on a mount.
 *
 * @example
 * ```typescript
 * const { names } = await trivium.secrets.scheduler.listRoles();
 * ```
 *
 * @throws {@link errors.ServiceError} if the service returns an error
 */
export const listRoles = promiseForm<ListRolesArgs | undefined, ListRolesResult>(listDefinition);

/**
 * Lists the roles of the scheduler engine on a mount, with arguments that can be outputs of resources. In a
 * preview that creates one of these resources, or one in `dependsOn`, the result is unknown.
 *
 * @throws {@link errors.InputError} if the provider is not a {@link Provider}
 */
export const listRolesOutput = outputForm<ListRolesOutputArgs | undefined, ListRolesResult>(listDefinition);
