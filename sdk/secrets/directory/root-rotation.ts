import type * as pulumi from "@pulumi/pulumi";
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
import { configurations, ObsoletePasswords } from "./config";
import { directoryMount, rotationRows } from "./names";
import { rotate, rotationByTrigger } from "./rotation";

const rows = {
  /**
   * Where the directory engine is mounted, such as `teams/ldap`. A change replaces the rotation: the password is
   * rotated on the other mount.
   *
   * @default "ldap"
   */
  mount: directoryMount.mount,
};

const fields = new Fields({ ...rows, ...rotationRows }, snakeCase);

/** The arguments of a {@link RootRotation}. */
export interface RootRotationArgs extends ArgsOf<typeof rows>, ArgsOf<typeof rotationRows> {}

/** @internal */
export async function rotateRootPassword(client: SecretsClient, { mount: at }: MountedName<never>) {
  const summary = `rotate the password that ${at} binds with`;
  // Even if it fails, because the password might have been rotated.
  client.sharedState(ObsoletePasswords).set(at, "rotated");
  await rotate(client, at, { summary, path: path`/${mountPath(at)}/rotate-root` });
}

/** @internal */
export const rootRotationDefinition = defineResource(secretsService, fields)(
  "secrets/directory:RootRotation",
  // Others know the password of a recreated configuration, so it must be rotated again.
  rotationByTrigger(configurations, rotateRootPassword),
);

export interface RootRotation extends OutputsOf<typeof rows>, OutputsOf<typeof rotationRows> {}

/**
 * Rotates the bind password of a directory engine (the LDAP engine of Vault or OpenBao): once when the
 * resource is created, and again whenever a trigger changes. From then on, only the service knows the
 * password. `bindpass` of {@link Config} is obsolete, and is not sent with changes of other arguments. The
 * entry that the engine binds as must be allowed to search entries and to change their passwords.
 *
 * Its ID is the mount's path. The resource must depend on the configuration. Deletion has no effect, because
 * a former password cannot be restored. If the configuration no longer exists, a refresh removes the rotation
 * from state, so that the password is rotated again once the configuration is recreated; no other drift is
 * detected.
 *
 * ## Example Usage
 *
 * ```typescript
 * import * as pulumi from "@pulumi/pulumi";
 * import * as trivium from "pulumi-trivium";
 *
 * const directory = new trivium.secrets.directory.Config("corporate", {
 *   binddn: "cn=admin,dc=example,dc=org",
 *   bindpass: new pulumi.Config().requireSecret("bindPassword"),
 * });
 *
 * const rotation = new trivium.secrets.directory.RootRotation(
 *   "corporate",
 *   { triggers: { quarter: "2026-1" } },
 *   { dependsOn: directory },
 * );
 * ```
 */
export class RootRotation extends TriviumResource<RootRotationArgs> {
  /** @internal */
  static override readonly definition = rootRotationDefinition;

  /**
   * @param name the unique name of the resource in the program
   * @param args where to rotate, and when to rotate again
   * @throws {@link errors.InputError} if an option is not supported, such as `import`
   */
  constructor(name: string, args: RootRotationArgs = {}, options?: pulumi.CustomResourceOptions) {
    super(name, args, options);
  }
}

/** The arguments of {@link rotateRoot}. */
export interface RotateRootArgs extends PlainArgsOf<typeof directoryMount>, Named {}

const definition = defineFunction(secretsService, directoryMount)(
  "secrets.directory.rotateRoot",
  rotateRootPassword,
);

/**
 * Rotates the bind password of a directory engine; from then on, only the service knows it. For scripts only:
 * in a program, use {@link RootRotation}.
 *
 * @example
 * ```typescript
 * await trivium.secrets.directory.rotateRoot({ mount: "teams/ldap" });
 * ```
 *
 * @throws {@link errors.TriviumError} if the engine has no configuration or is not allowed to change the
 * password; {@link errors.InputError} inside a Pulumi program
 */
export const rotateRoot = scriptForm<RotateRootArgs | undefined>(
  definition,
  "secrets.directory.RootRotation",
);
