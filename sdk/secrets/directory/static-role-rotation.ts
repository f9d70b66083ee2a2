import { mountPath, path } from "../../base/path";
import { scriptForm } from "../../functions/call";
import { defineFunction } from "../../functions/definition";
import { TriviumResource } from "../../resource/program/base";
import { defineResource } from "../../resource/definition";
import { Fields, snakeCase } from "../../resource/fields/field";
import type { ArgsOf, Named, OutputsOf, PlainArgsOf } from "../../resource/fields/rows";
import type { SecretsClient } from "../client";
import type { MountedName } from "../mounted-objects";
import { secretsService } from "../service";
import { roleFields, rotationRows } from "./names";
import { rotate, rotationByTrigger } from "./rotation";
import { staticRoles } from "./static-role";

const rows = {
  /**
   * Where the directory engine is mounted, such as `teams/ldap`. A change replaces the rotation.
   *
   * @default "ldap"
   */
  mount: roleFields.mount,
  /**
   * The name of the static role. A change replaces the rotation, which rotates the password of the other
   * role.
   */
  roleName: roleFields.roleName,
};

const fields = new Fields({ ...rows, ...rotationRows }, snakeCase);

/** The arguments of a {@link StaticRoleRotation}. */
export interface StaticRoleRotationArgs extends ArgsOf<typeof rows>, ArgsOf<typeof rotationRows> {}

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

export interface StaticRoleRotation extends OutputsOf<typeof rows>, OutputsOf<typeof rotationRows> {}

/**
 * Rotates the password of the entry of a static role of a directory engine (the LDAP engine of Vault or
 * OpenBao) outside its schedule: once when the resource is created, and again whenever a trigger changes.
 *
 * Its ID is the mount's path and the role's name: `ldap/payments`. Deletion has no effect. If the role no
 * longer exists, a refresh removes the rotation from state; no other drift is detected.
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
 */
export class StaticRoleRotation extends TriviumResource<StaticRoleRotationArgs> {
  /** @internal */
  static override readonly definition = staticRoleRotationDefinition;
}

/** The arguments of {@link rotateStaticRole}. */
export interface RotateStaticRoleArgs extends PlainArgsOf<typeof roleFields>, Named {}

const definition = defineFunction(secretsService, roleFields)(
  "secrets.directory.rotateStaticRole",
  rotateStaticRolePassword,
);

/**
 * Rotates the password of a static role's entry outside its schedule. For scripts only: in a program, use
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
