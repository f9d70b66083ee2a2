import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import type * as Zod from "zod";
import { mountPath, path, type Path } from "../../base/path";
import { isResource, TriviumResource } from "../../resource/base";
import { commaSeparatedSet, nothingIsNull } from "../../resource/canonical";
import type { Validation } from "../../base/validation";
import { defineResourceBySchema, type Rule } from "../../resource/definition";
import { assertGetSupported } from "../../resource/get";
import type { SecretsClient } from "../client";
import { secretsDialects } from "../dialect";
import { mountDefinition, mountedId, readMountedId } from "../mount";
import { Turns } from "../../base/turns";
import { nameInPath } from "../../resource/schemas";
import { schedulerMountArgument } from "./usual-mount";

/** What a scheduler's token may do: what its policies say, or everything. */
export type TokenType = "client" | "management" | (string & {});

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
   * The names of the scheduler's policies that the role's tokens have: a list, or one text with commas; neither order
   * nor repetition counts. The policies must exist in the scheduler. Policies of a role of type `"management"`, and a role
   * of type `"client"` without any, are warned about; in the hashicorp dialect, where the products refuse them, so does
   * the preview. A change is made in place and counts for tokens that are issued later.
   *
   * @default none
   */
  policies?: pulumi.Input<string | pulumi.Input<string>[] | null | undefined>;
  /**
   * Whether the role's tokens count in all regions of the scheduler. A change is made in place.
   *
   * @default false
   */
  global?: pulumi.Input<boolean | null | undefined>;
  /**
   * Whether the role's tokens may do what their policies say (`"client"`) or everything (`"management"`). A change is
   * made in place, together with the policies.
   *
   * @default "client"
   */
  type?: pulumi.Input<TokenType | null | undefined>;
  /**
   * Take over the role of this name if there is one already, instead of failing. Counts at creation only; a change
   * does nothing.
   *
   * @default false
   */
  adopt?: pulumi.Input<boolean | null | undefined>;
}

/**
 * Which role is meant.
 *
 * @internal
 */
export interface RoleName {
  readonly mount: string;
  readonly name: string;
}

/**
 * A role as the service answers it; what an answer does not hold is missing.
 *
 * @internal
 */
export interface RoleState extends RoleName {
  readonly policies?: readonly string[];
  readonly global?: boolean;
  readonly type?: "client" | "management";
  readonly lease?: string;
}

/**
 * The path of a role.
 *
 * @internal
 */
export function rolePath({ mount, name }: RoleName): Path {
  return path`/${mountPath(mount)}/role/${name}`;
}

/**
 * A role, as messages name it.
 *
 * @internal
 */
export function describeRole({ mount, name }: RoleName): string {
  return `scheduler role ${JSON.stringify(name)} of the mount ${mount}`;
}

/** The documents call the type `token_type`, and real servers `type`; only these say whether it is global. */
function roleShape(z: Validation) {
  const type = z
    .enum(["client", "management"])
    .nullish()
    .transform((value) => value ?? undefined);
  return z.object({
    policies: z.union([z.array(z.string()), z.string().transform(split)]).nullish(),
    global: z.boolean().nullish(),
    type,
    token_type: type,
    lease: z.union([z.string(), z.number()]).nullish(),
  });
}

/**
 * Reads a role.
 *
 * @returns `undefined` when there is none of this name
 * @internal
 */
export async function readRole(client: SecretsClient, role: RoleName): Promise<RoleState | undefined> {
  const data = await client.read({
    summary: `read the ${describeRole(role)}`,
    path: rolePath(role),
    data: roleShape,
  });
  if (data === undefined) {
    return undefined;
  }
  const { policies, global, type = data.token_type, lease } = data;
  return {
    ...role,
    ...(policies === undefined ? {} : { policies: policies ?? [] }),
    ...(typeof global === "boolean" ? { global } : {}),
    ...(type === undefined ? {} : { type }),
    ...(lease === undefined || lease === null ? {} : { lease: String(lease) }),
  };
}

async function writeRole(
  client: SecretsClient,
  role: RoleName,
  fields: {
    readonly policies: readonly string[];
    readonly type: "client" | "management";
    readonly global?: boolean;
  },
): Promise<void> {
  const { policies, ...others } = fields;
  // There a role that becomes a management role has to lose policies that the program has never named, too.
  const isWithout = client.dialect.refusals === "of the products" && fields.type === "management";
  const names = isWithout ? [] : policies;
  await client.write({
    summary: `write the ${describeRole(role)}`,
    path: rolePath(role),
    body: { policies: names.join(","), ...others },
    data: (z) => z.unknown(),
  });
}

function split(names: string): string[] {
  return names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

function policiesArgument(z: Validation): Zod.ZodType<string[], string | string[]> {
  const name = z.string().regex(/^[^,]+$/, "must be a policy's name, without commas");
  return z
    .union(
      [z.string().transform(split), z.array(z.string())],
      "must be a list of names, or one text with commas",
    )
    .pipe(z.array(name))
    .transform((names) => [...new Set(names)]);
}

const policiesOfType: Rule = {
  between: ["type", "policies"],
  check({ type, policies }, dialect) {
    const argument = "policies";
    const warning = secretsDialects[dialect].refusals === "documented";
    const some = Array.isArray(policies) && policies.length > 0;
    if (type === "management") {
      const reason = warning
        ? 'have no effect when type is "management": its tokens may do everything'
        : 'must be empty when type is "management": it may do everything';
      return some && { argument, reason, warning };
    }
    const reason = warning
      ? 'names no policy: tokens of type "client" then may do nothing'
      : 'must name at least one policy when type is "client"';
    return !some && { argument, reason, warning };
  },
};

function roleOf(id: string): RoleName {
  const { mount, names } = readMountedId(id, 1);
  return { mount, name: names[0] ?? "" };
}

/** @internal */
export const roleDefinition = defineResourceBySchema<SecretsClient>()({
  type: "secrets/scheduler:Role",
  service: secretsService,
  identifiedBy: ["mount", "name"],
  schema: (z, dialect) => ({
    mount: schedulerMountArgument(z, dialect),
    name: nameInPath(z),
    policies: policiesArgument(z).optional(),
    global: z.boolean().optional(),
    // Also sent when the program does not say: a type that is left out may change the role's.
    type: z.enum(["client", "management"]).default("client"),
    adopt: z.boolean().optional(),
  }),
  arguments: {
    mount: mountDefinition,
    name: { replaces: true },
    policies: {
      canonical: nothingIsNull(commaSeparatedSet),
      cleared: [],
      warning: (names) =>
        Array.isArray(names) && names.some((name) => /\s/.test(String(name)))
          ? "has a name with a space, which the scheduler does not take"
          : undefined,
    },
    global: { cleared: false },
    type: {},
    adopt: { role: "creation" },
  },
  outputs: { lease: { optional: true } },
  rules: [policiesOfType],
  // Real servers and the documents differ in what an update does to fields that it does not name.
  updatesWholeObject: true,

  // A write makes a role or changes the one that is there, without saying which.
  inTurn: ({ client }, role, work) => client.part(Turns).run(rolePath(role), work),

  async find({ client }, { mount, name }) {
    const state = await readRole(client, { mount, name });
    return state && { id: mountedId(mount, name), state: { ...state } };
  },

  async create({ client }, { mount, name, policies = [], global = false, type }) {
    await writeRole(client, { mount, name }, { policies, global, type });
    return { id: mountedId(mount, name), state: { mount, name, global } };
  },

  async read({ client }, id) {
    const state = await readRole(client, roleOf(id));
    return state && { ...state };
  },

  async update({ client }, id, { policies = [], type, global }, _changed, known) {
    const role = roleOf(id);
    const answered = typeof known.global === "boolean" ? known.global : undefined;
    const now = global ?? answered;
    // Only of a role that was taken over can it be unknown: then nobody has asked for a change.
    await writeRole(client, role, { policies, type, ...(now === undefined ? {} : { global: now }) });
    return { ...role, ...(now === undefined ? {} : { global: now }) };
  },

  async delete({ client }, id) {
    const role = roleOf(id);
    await client.delete({ summary: `delete the ${describeRole(role)}`, path: rolePath(role) });
  },
});

/**
 * A role of the scheduler engine: what kind of scheduler token is issued to whoever asks for one of it. Use
 * {@link Token} to have one issued.
 *
 * Its id is the mount and the name. A change counts for tokens that are issued later. Drift of `global` cannot be seen
 * where the service does not answer it, which the documents do not promise; all else can.
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
  /** Whether its tokens count in all regions; `undefined` when neither the program nor the service has said. */
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
    assertGetSupported("secrets.scheduler.Role");
    return new Role(name, undefined, { ...options, id });
  }

  /** Whether a value is a role, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is Role {
    return isResource(value, roleDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args what the role is to be
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: RoleArgs, options?: pulumi.CustomResourceOptions);
  /** @internal */
  constructor(name: string, args: RoleArgs | undefined, options?: pulumi.CustomResourceOptions);
  constructor(name: string, args: RoleArgs | undefined, options?: pulumi.CustomResourceOptions) {
    super(roleDefinition, name, args, options);
  }
}
