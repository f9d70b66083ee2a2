import type * as pulumi from "@pulumi/pulumi";
import type * as Zod from "zod";
import { path } from "../../base/path";
import { outputForm, promiseForm } from "../../functions/call";
import { TriviumResource } from "../../resource/program/base";
import { defineResource, type Rule } from "../../resource/definition";
import type { InputsOf, ResultOf } from "../../functions/results";
import type { Desired, Validation } from "../../resource/fields/field";
import { defineFields, outputAs, snakeCase } from "../../resource/fields/field";
import {
  adopt,
  commaSeparated,
  flag,
  oneOf,
  pathName,
  commaSeparatedSet,
  nothingIsNull,
} from "../../resource/fields/kinds";
import type { SecretsClient } from "../client";
import { secretsDialects } from "../dialect";
import { schedulerMount } from "../mount";
import { MountedObjects, type MountedName } from "../mounted-objects";
import { secretsService } from "../service";

/** The permissions of a scheduler token: those of its policies, or all. */
export type TokenType = "client" | "management";

/** The arguments of a {@link Role}. */
export interface RoleArgs {
  /**
   * Where the scheduler engine is mounted, such as `teams/scheduler`. A change replaces the role.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: pulumi.Input<string | null | undefined>;
  /** The role's name on its mount. A change replaces the role. */
  name: pulumi.Input<string>;
  /**
   * The names of the scheduler's policies that the role's tokens have: a list, or one comma-separated string;
   * order and repetition do not matter. The policies must exist in the scheduler. Policies of a role of type
   * `"management"`, and a role of type `"client"` without policies, cause a warning; in the hashicorp
   * dialect, where the products reject them, an error. A change is made in place and applies to new tokens.
   *
   * @default none
   */
  policies?: pulumi.Input<string | pulumi.Input<string>[] | null | undefined>;
  /**
   * Whether the role's tokens are valid in all regions of the scheduler. A change is made in place.
   *
   * @default false
   */
  global?: pulumi.Input<boolean | null | undefined>;
  /**
   * Whether the role's tokens have the permissions of their policies (`"client"`) or all permissions
   * (`"management"`). A change is made in place, together with the policies.
   *
   * @default "client"
   */
  type?: pulumi.Input<TokenType | null | undefined>;
  /**
   * Adopt the role of this name if it already exists, instead of failing. Only used at creation; a later
   * change has no effect.
   *
   * @default false
   */
  adopt?: pulumi.Input<boolean | null | undefined>;
}

function policyNames(z: Validation): Zod.ZodType<string[], string[]> {
  return z.array(z.string().regex(/^[^,]+$/, "must be the name of a policy, without commas"));
}

const policiesOfType: Rule = {
  between: ["type", "policies"],
  check({ type, policies }, dialect) {
    const warning = !secretsDialects[dialect].checksPolicies;
    const some = Array.isArray(policies) && policies.length > 0;
    const reason =
      type === "management"
        ? `${warning ? "have no effect" : "must be empty"} when type is "management", whose tokens have all permissions`
        : warning
          ? 'is empty: tokens of type "client" then have no permissions'
          : 'must contain at least one policy when type is "client", whose tokens otherwise have no permissions';
    return some === (type === "management") && { argument: "policies", reason, warning };
  },
};

const roleName = { mount: schedulerMount, name: pathName({ replaces: true }) };

const fields = defineFields<RoleArgs, Role>(snakeCase)({
  ...roleName,
  policies: commaSeparated(policyNames, {
    canonical: nothingIsNull(commaSeparatedSet),
    cleared: [],
    whenNull: [],
    inResults: [],
    sentAsText: true,
    recomputedBy: ["type"],
    warning: (names) =>
      names.some((name) => /\s/.test(name))
        ? "contains a name with a space, which the scheduler does not accept"
        : undefined,
  }),
  // Only real servers return it.
  global: flag({ cleared: false, whenNull: undefined, mayBeMissing: true }),
  // Always sent: an omitted type may change the role's. Documented responses have it under the second name.
  type: oneOf(["client", "management"], {
    default: "client",
    wire: ["type", "token_type"],
    whenNull: undefined,
  }),
  adopt: adopt(),
  lease: outputAs((z) => z.union([z.string(), z.number().transform(String)]), { mayBeMissing: true }),
});

/** @internal */
export const schedulerRoles = new MountedObjects({
  what: "scheduler role",
  key: roleName,
  list: (at) => path`/${at}/role`,
  path: (at, name) => path`/${at}/role/${name}`,
  fields,
  importedBy: "scheduler",
});

type Rows = typeof fields.rows;

async function writeRole(client: SecretsClient, role: MountedName<"name">, desired: Desired<Rows>) {
  // The products reject policies of a management role, also those that the program never gave.
  const isWithout = client.dialect.checksPolicies && desired.type === "management";
  const policies = isWithout ? [] : (desired.policies ?? []);
  await schedulerRoles.write(client, role, { ...desired, policies });
}

/** @internal */
export const roleDefinition = defineResource(secretsService, fields)("secrets/scheduler:Role", {
  ...schedulerRoles.behaviour,
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
    // Only unknown for an adopted role, of which nobody has requested a change.
    const { global } = desired;
    return { ...role, ...(global === undefined ? {} : { global }) };
  },
});

/**
 * A role of the scheduler engine, which defines the scheduler tokens that are issued for it. Use
 * {@link Token} to issue one.
 *
 * Its id is the mount and the name. A change applies to new tokens. Drift of `global` is not detected where
 * the service does not return it, which the documentation does not promise; all other drift is detected.
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
 *
 * Documented under "Scheduler role" in the secrets service's interface.
 */
export class Role extends TriviumResource {
  /** @internal */
  static override readonly definition = roleDefinition;

  /** Where the scheduler engine is mounted. */
  declare readonly mount: pulumi.Output<string>;
  /** The role's name. */
  declare readonly name: pulumi.Output<string>;
  /** The scheduler's policies that its tokens have. */
  declare readonly policies: pulumi.Output<string[]>;
  /**
   * Whether its tokens are valid in all regions; `undefined` if neither the program nor the service sets it.
   */
  declare readonly global: pulumi.Output<boolean | undefined>;
  /** What its tokens may do. */
  declare readonly type: pulumi.Output<TokenType>;
  /** The lease that the service names for the role, as it writes it; real servers name none. */
  declare readonly lease: pulumi.Output<string | undefined>;

  /**
   * Reads an existing role without managing it: it is never changed nor deleted.
   *
   * @param name the unique name of the resulting resource in the program
   * @param id the mount and the role's name: `scheduler/deploy`
   * @throws {@link errors.TriviumError} when the program runs with an SDK older than 3.268.0
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): Role {
    return Role.existing(name, id, options);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args the arguments of the role
   * @throws {@link errors.InputError} when an option is not supported, such as `import`
   */
  constructor(name: string, args: RoleArgs, options?: pulumi.CustomResourceOptions) {
    super(roleDefinition, name, args, options);
  }
}

/** The arguments of {@link getRole}. */
export interface GetRoleArgs {
  /**
   * Where the scheduler engine is mounted.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: string | null | undefined;
  /** The role's name. */
  name: string;
}

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
 * @throws {@link errors.NotFoundError} when there is no role of this name on the mount
 */
export const getRole = promiseForm<GetRoleArgs, GetRoleResult>(getDefinition);

/**
 * Reads a role of the scheduler engine, with arguments that may be outputs of resources. In a preview that
 * creates one of them, or one in `dependsOn`, the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export const getRoleOutput = outputForm<GetRoleOutputArgs, GetRoleResult>(getDefinition);

/** The arguments of {@link listRoles}. */
export interface ListRolesArgs {
  /**
   * Where the scheduler engine is mounted.
   *
   * @default "scheduler", in the hashicorp dialect "nomad"
   */
  mount?: string | null | undefined;
}

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
 * Lists the roles of the scheduler engine on a mount, with arguments that may be outputs of resources. In a
 * preview that creates one of them, or one in `dependsOn`, the result is unknown.
 *
 * @throws {@link errors.InputError} when the provider is not a {@link Provider}
 */
export const listRolesOutput = outputForm<ListRolesOutputArgs | undefined, ListRolesResult>(listDefinition);
