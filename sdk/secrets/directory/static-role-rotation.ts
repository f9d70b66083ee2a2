import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { mountPath, path } from "../../base/path";
import { isResource, TriviumResource } from "../../resource/base";
import { defineResourceBySchema } from "../../resource/definition";
import type { SecretsClient } from "../client";
import { mountArgument, mountDefinition, mountedId } from "../mount";
import { onDirectory } from "./failures";
import {
  canonicalEngineId,
  engineNameArgument,
  engineNameDefinition,
  type RoleName,
  roleNameOf,
  usualMount,
} from "./names";
import { staticRoles } from "./static-role";
import { sameTriggers, type Triggers, triggersArgument, triggersDefinition } from "../../resource/triggers";

/** The arguments of a {@link StaticRoleRotation}. */
export interface StaticRoleRotationArgs {
  /**
   * Where the directory engine is mounted, such as `teams/ldap`. A change replaces the rotation.
   *
   * @default "ldap"
   */
  mount?: pulumi.Input<string | null | undefined>;
  /** The name of the static role. A change replaces the rotation: the other role is rotated. */
  roleName: pulumi.Input<string>;
  /**
   * Any values: a change of one, also an added or a removed one, rotates the password again.
   *
   * @default rotated once
   */
  triggers?: pulumi.Input<Record<string, pulumi.Input<string | number | boolean>> | null | undefined>;
}

/**
 * Rotates the password of a static role's entry, out of its turn.
 *
 * @internal
 */
export async function rotateStaticRolePassword(
  client: SecretsClient,
  { mount, roleName }: RoleName,
): Promise<void> {
  await onDirectory(
    client,
    mount,
    () =>
      client.act({
        summary: `rotate the password of the static role ${roleName} of ${mount}`,
        path: path`/${mountPath(mount)}/rotate-role/${roleName}`,
        data: (z) => z.unknown(),
      }),
    "The password may have been rotated already; to rotate it once more does no harm.",
  );
}

/** @internal */
export const staticRoleRotationDefinition = defineResourceBySchema<SecretsClient>()({
  type: "secrets/directory:StaticRoleRotation",
  service: secretsService,
  shared: true,
  schema: (z, dialect) => ({
    mount: mountArgument(z, usualMount),
    roleName: engineNameArgument(z, dialect),
    triggers: triggersArgument(z),
  }),
  arguments: { mount: mountDefinition, roleName: engineNameDefinition, triggers: triggersDefinition },
  outputs: { rotatedAt: {} },
  canonicalId: canonicalEngineId,

  async create({ client }, { mount, roleName, triggers }) {
    await rotateStaticRolePassword(client, { mount, roleName });
    return {
      id: mountedId(mount, roleName),
      state: { mount, roleName, triggers: triggers ?? null, rotatedAt: new Date() },
    };
  },

  async read({ client }, id) {
    const role = roleNameOf(id, client.dialect.name);
    const state = await staticRoles.read(client, role);
    return state && { ...role };
  },

  async update({ client }, id, { triggers }, _changed, known) {
    const role = roleNameOf(id, client.dialect.name);
    if (sameTriggers(known.triggers, triggers)) {
      return known;
    }
    await rotateStaticRolePassword(client, role);
    return { ...role, triggers: triggers ?? null, rotatedAt: new Date() };
  },

  delete: () => Promise.resolve(),
});

/**
 * Rotates the password of a static role's entry out of its turn, when it is created and whenever a trigger changes.
 *
 * Its id is the mount's path and the role's name: `ldap/payments`. Deletion does nothing. A refresh
 * finds it gone when the role is gone; nothing else can be seen of it.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as trivium from "pulumi-trivium";
 *
 * const role = new trivium.secrets.directory.StaticRole("payments", {
 *   roleName: "payments",
 *   username: "svc-payments",
 *   rotationPeriod: "30d",
 *   skipImportRotation: true,
 * });
 *
 * const rotation = new trivium.secrets.directory.StaticRoleRotation("payments", {
 *   roleName: role.roleName,
 *   triggers: { incident: "2026-014" },
 * });
 * ```
 *
 * Documented under "Rotate static role" in the secrets service's interface.
 */
export class StaticRoleRotation extends TriviumResource {
  /** @internal */
  static override readonly definition = staticRoleRotationDefinition;

  /** Where the engine is mounted. */
  declare readonly mount: pulumi.Output<string>;
  /** The role's name; in the hashicorp dialect in lower case. */
  declare readonly roleName: pulumi.Output<string>;
  /** The values whose change rotates the password again. */
  declare readonly triggers: pulumi.Output<Triggers | null | undefined>;
  /** When this program last had the password rotated: ISO 8601. */
  declare readonly rotatedAt: pulumi.Output<string>;

  /** Whether a value is such a rotation, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is StaticRoleRotation {
    return isResource(value, staticRoleRotationDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args which role to rotate, and when again
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: StaticRoleRotationArgs, options?: pulumi.CustomResourceOptions) {
    super(staticRoleRotationDefinition, name, args, options);
  }
}
