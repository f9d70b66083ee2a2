import type * as pulumi from "@pulumi/pulumi";
import type { Triggers } from "../../base/json";
import { mountPath, path } from "../../base/path";
import { scriptForm } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { TriviumResource } from "../../resource/program/base";
import { defineResource } from "../../resource/definition";
import { defineFields, output, snakeCase } from "../../resource/fields/field";
import { text, triggers } from "../../resource/fields/kinds";
import type { SecretsClient } from "../client";
import type { MountedName } from "../mounted-objects";
import { secretsService } from "../service";
import { roleFields } from "./names";
import { rotate, rotationByTrigger } from "./rotation";
import { staticRoles } from "./static-role";

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
   * Arbitrary values: any change rotates the password again.
   *
   * @default rotated once
   */
  triggers?: pulumi.Input<Record<string, pulumi.Input<string | number | boolean>> | null | undefined>;
}

const fields = defineFields<StaticRoleRotationArgs, StaticRoleRotation>(snakeCase)({
  ...roleFields,
  triggers: triggers(),
  rotatedAt: output(text({ place: "library", recomputedBy: ["triggers"] })),
});

/** @internal */
export function rotateStaticRolePassword(client: SecretsClient, role: MountedName<"roleName">) {
  return rotate(client, role.mount, {
    summary: `rotate the password of the ${staticRoles.describe(role)}`,
    path: path`/${mountPath(role.mount)}/rotate-role/${role.roleName}`,
  });
}

/** @internal */
export const staticRoleRotationDefinition = defineResource(secretsService, fields)(
  "secrets/directory:StaticRoleRotation",
  rotationByTrigger(staticRoles, rotateStaticRolePassword),
);

/**
 * Rotates the password of a static role's entry outside its schedule, when it is created and whenever a
 * trigger changes.
 *
 * Its id is the mount's path and the role's name: `ldap/payments`. Deletion has no effect. A refresh removes
 * it from state when the role no longer exists; no other drift is detected.
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

  /** The mount of the engine. */
  declare readonly mount: pulumi.Output<string>;
  /** The role's name; in the hashicorp dialect in lower case. */
  declare readonly roleName: pulumi.Output<string>;
  /** The values whose change rotates the password again. */
  declare readonly triggers: pulumi.Output<Triggers | null | undefined>;
  /** When this resource last rotated the password: ISO 8601. */
  declare readonly rotatedAt: pulumi.Output<string>;

  /**
   * @param name the unique name of the resource in the program
   * @param args which role to rotate, and when again
   * @throws {@link errors.InputError} when an option is not supported, such as `import`
   */
  constructor(name: string, args: StaticRoleRotationArgs, options?: pulumi.CustomResourceOptions) {
    super(staticRoleRotationDefinition, name, args, options);
  }
}

/** The arguments of {@link rotateStaticRole}. */
export interface RotateStaticRoleArgs {
  /** Where the directory engine is mounted. Default: `ldap`. */
  mount?: string | null | undefined;
  /** The static role's name. In the hashicorp dialect it is case-insensitive. */
  roleName: string;
}

const definition = defineFunction(secretsService, roleFields)(
  "secrets.directory.rotateStaticRole",
  rotateStaticRolePassword,
);

/**
 * Rotates the password of a static role's entry outside its schedule. For scripts: a program uses
 * {@link StaticRoleRotation}.
 *
 * @example
 * ```typescript
 * await trivium.secrets.directory.rotateStaticRole({ roleName: "payments" });
 * ```
 *
 * @throws {@link errors.TriviumError} if the role does not exist or the directory rejects the request;
 * {@link errors.InputError} inside a Pulumi program
 */
export const rotateStaticRole = scriptForm<RotateStaticRoleArgs>(
  definition,
  "secrets.directory.StaticRoleRotation",
);
