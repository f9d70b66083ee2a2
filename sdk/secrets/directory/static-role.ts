import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { TriviumError } from "../../base/errors";
import { isResource, TriviumResource } from "../../resource/base";
import { duration, nothingIsNull } from "../../resource/canonical";
import { defineResourceBySchema } from "../../resource/definition";
import { assertGetSupported } from "../../resource/get";
import { wholeSeconds } from "../../resource/schemas";
import type { SecretsClient } from "../client";
import { mountArgument, mountDefinition, mountedId } from "../mount";
import { Turns } from "../../base/turns";
import { onDirectory } from "./failures";
import {
  canonicalEngineId,
  engineNameArgument,
  engineNameDefinition,
  noLongerExists,
  roleNameOf,
  usualMount,
} from "./names";
import { readStaticRole, staticRolePath } from "./static-role-wire";

/** The arguments of a {@link StaticRole}. */
export interface StaticRoleArgs {
  /**
   * Where the directory engine is mounted, such as `teams/ldap`. A change replaces the role.
   *
   * @default "ldap"
   */
  mount?: pulumi.Input<string | null | undefined>;
  /**
   * The role's name on its mount, sent and compared as written. In the hashicorp dialect case does not count: the
   * products keep it in lower case. A change replaces the role.
   */
  roleName: pulumi.Input<string>;
  /** The name of the directory's entry whose password is rotated. A change replaces the role. */
  username: pulumi.Input<string>;
  /**
   * The distinguished name of the entry; where it is given, the entry is not searched by `username`. A change
   * replaces the role.
   *
   * @default none
   */
  dn?: pulumi.Input<string | null | undefined>;
  /**
   * How often the password is rotated: seconds, or a duration such as `"24h"`; at least 5 seconds. A change is made
   * in place.
   */
  rotationPeriod: pulumi.Input<string | number>;
  /**
   * Leave the entry's password as it is when the role is created. Until its first rotation nobody can read it from
   * the service. Counts at creation only; a change does nothing.
   *
   * @default what the configuration says in skipStaticRoleImportRotation
   */
  skipImportRotation?: pulumi.Input<boolean | null | undefined>;
  /**
   * Take over the role of this name if there is one already, instead of failing. Its password is not rotated. Counts
   * at creation only; a change does nothing.
   *
   * @default false
   */
  adopt?: pulumi.Input<boolean | null | undefined>;
}

/** @internal */
export const staticRoleDefinition = defineResourceBySchema<SecretsClient>()({
  type: "secrets/directory:StaticRole",
  service: secretsService,
  identifiedBy: ["mount", "roleName"],
  deleteBeforeReplace: true,
  schema: (z, dialect) => ({
    mount: mountArgument(z, usualMount),
    roleName: engineNameArgument(z, dialect),
    username: z.string().min(1, "must not be empty"),
    dn: z.string().optional(),
    rotationPeriod: wholeSeconds(z).refine((seconds) => seconds >= 5, "must be at least 5 seconds"),
    skipImportRotation: z.boolean().optional(),
    adopt: z.boolean().optional(),
  }),
  arguments: {
    mount: mountDefinition,
    roleName: engineNameDefinition,
    username: { replaces: true },
    dn: { replaces: true, canonical: nothingIsNull() },
    rotationPeriod: { canonical: duration },
    skipImportRotation: { role: "creation" },
    adopt: { role: "creation" },
  },
  outputs: { lastRotation: {} },
  canonicalId: canonicalEngineId,
  // The entry changes, not the name: both roles cannot be there at once.

  // A write does not say whether it makes or changes: of two that make, the second has to see the first.
  inTurn: ({ client }, role, work) => client.part(Turns).run(staticRolePath(role), work),

  async find({ client }, { mount, roleName }) {
    const state = await readStaticRole(client, { mount, roleName });
    return state && { id: mountedId(mount, roleName), state: { ...state, mount, roleName } };
  },

  async create({ client }, desired) {
    const { mount, roleName, username, dn, rotationPeriod, skipImportRotation } = desired;
    // Creation rotates a password, and the second of two writes is a change, which refuses skip_import_rotation.
    await onDirectory(client, mount, () =>
      client.act({
        summary: `create the static role ${roleName} on ${mount}`,
        path: staticRolePath({ mount, roleName }),
        body: {
          username,
          ...(dn ? { dn } : {}),
          rotation_period: rotationPeriod,
          ...(typeof skipImportRotation === "boolean" ? { skip_import_rotation: skipImportRotation } : {}),
        },
        data: (z) => z.unknown(),
      }),
    );
    return { id: mountedId(mount, roleName), state: { mount, roleName } };
  },

  async read({ client }, id) {
    const role = roleNameOf(id, client.dialect.name);
    const state = await readStaticRole(client, role);
    return state && { ...state, ...role };
  },

  async update({ client }, id, { username, dn, rotationPeriod }, changed, known) {
    const role = roleNameOf(id, client.dialect.name);
    // Only a role that is taken over can differ here, and what the service does not say of it may be right.
    if (["username", "dn"].some((name) => changed.has(name) && known[name] !== undefined)) {
      const manages = typeof known.dn === "string" && known.dn !== "" ? known.dn : String(known.username);
      throw new TriviumError(
        `The static role ${role.roleName} of ${role.mount} manages ${manages}, and cannot be made to manage another ` +
          "entry. Nothing was changed.",
        { hint: "Give it the username and the dn that it has, or choose another roleName." },
      );
    }
    if ((await readStaticRole(client, role)) === undefined) {
      throw noLongerExists(`static role ${role.roleName} of ${role.mount}`);
    }
    await onDirectory(client, role.mount, () =>
      client.write({
        summary: `update the static role ${role.roleName} of ${role.mount}`,
        path: staticRolePath(role),
        body: { username, ...(dn ? { dn } : {}), rotation_period: rotationPeriod },
        data: (z) => z.unknown(),
      }),
    );
    return { ...role };
  },

  async delete({ client }, id) {
    const role = roleNameOf(id, client.dialect.name);
    await client.delete({
      summary: `delete the static role ${role.roleName} of ${role.mount}`,
      path: staticRolePath(role),
    });
  },
});

/**
 * A static role of a directory engine: the service rotates the password of an existing entry, at once when the role
 * is created (unless `skipImportRotation` or the configuration says otherwise) and then in every period.
 *
 * Its id is the mount's path and the role's name, each part percent-encoded: `ldap/payments`. A change
 * of `username` or `dn` deletes the role before it is made anew, which rotates the password of the other entry.
 * Deletion leaves the entry and its password as they are. The password is read with {@link getStaticCredentials}.
 * All drift is visible but that of `skipImportRotation`, which is over once the role exists.
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
 *
 * Documented under "Static role" in the secrets service's interface.
 */
export class StaticRole extends TriviumResource {
  /** @internal */
  static override readonly definition = staticRoleDefinition;

  /** Where the engine is mounted. */
  declare readonly mount: pulumi.Output<string>;
  /** The role's name; in the hashicorp dialect in lower case. */
  declare readonly roleName: pulumi.Output<string>;
  /** The name of the entry whose password is rotated. */
  declare readonly username: pulumi.Output<string>;
  /** The distinguished name of the entry; empty or null when none was given. */
  declare readonly dn: pulumi.Output<string | null>;
  /** How often the password is rotated, in seconds. */
  declare readonly rotationPeriod: pulumi.Output<number>;
  /** When the password was last rotated, as of the last update or refresh; null when it never was. */
  declare readonly lastRotation: pulumi.Output<string | null>;

  /**
   * Reads an existing role without managing it: it is never changed nor deleted.
   *
   * @param name the unique name of the resulting resource in the program
   * @param id the mount's path and the role's name: `ldap/payments`
   * @throws {@link errors.TriviumError} when the program runs with an SDK older than 3.268.0
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): StaticRole {
    assertGetSupported("secrets.directory.StaticRole");
    return new StaticRole(name, undefined, { ...options, id });
  }

  /** Whether a value is such a role, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is StaticRole {
    return isResource(value, staticRoleDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args what the role is to be
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: StaticRoleArgs, options?: pulumi.CustomResourceOptions);
  /** @internal */
  constructor(name: string, args: StaticRoleArgs | undefined, options?: pulumi.CustomResourceOptions);
  constructor(name: string, args: StaticRoleArgs | undefined, options?: pulumi.CustomResourceOptions) {
    super(staticRoleDefinition, name, args, options);
  }
}
