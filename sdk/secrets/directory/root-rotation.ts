import { secretsService } from "../service";
import type * as pulumi from "@pulumi/pulumi";
import { mountPath, path } from "../../base/path";
import { isResource, TriviumResource } from "../../resource/base";
import { defineResourceBySchema } from "../../resource/definition";
import type { SecretsClient } from "../client";
import { mountArgument, mountDefinition, mountedId, readMountedId } from "../mount";
import { readConfiguration } from "./config-wire";
import { onDirectory } from "./failures";
import { usualMount } from "./names";
import { sameTriggers, type Triggers, triggersArgument, triggersDefinition } from "../../resource/triggers";

/** The arguments of a {@link RootRotation}. */
export interface RootRotationArgs {
  /**
   * Where the directory engine is mounted, such as `teams/ldap`. A change replaces the rotation: the password is
   * rotated on the other mount.
   *
   * @default "ldap"
   */
  mount?: pulumi.Input<string | null | undefined>;
  /**
   * Any values: a change of one, also an added or a removed one, rotates the password again.
   *
   * @default rotated once
   */
  triggers?: pulumi.Input<Record<string, pulumi.Input<string | number | boolean>> | null | undefined>;
}

/**
 * Rotates the password of the entry that an engine binds as.
 *
 * @internal
 */
export async function rotateRootPassword(client: SecretsClient, mount: string): Promise<void> {
  await onDirectory(
    client,
    mount,
    () =>
      client.act({
        summary: `rotate the password that ${mount} binds with`,
        path: path`/${mountPath(mount)}/rotate-root`,
        data: (z) => z.unknown(),
      }),
    "The password may have been rotated already; to rotate it once more does no harm.",
  );
}

/** @internal */
export const rootRotationDefinition = defineResourceBySchema<SecretsClient>()({
  type: "secrets/directory:RootRotation",
  service: secretsService,
  shared: true,
  schema: (z) => ({
    mount: mountArgument(z, usualMount),
    triggers: triggersArgument(z),
  }),
  arguments: { mount: mountDefinition, triggers: triggersDefinition },
  outputs: { rotatedAt: {} },

  async create({ client }, { mount, triggers }) {
    await rotateRootPassword(client, mount);
    return { id: mountedId(mount), state: { mount, triggers: triggers ?? null, rotatedAt: new Date() } };
  },

  async read({ client }, id) {
    const { mount } = readMountedId(id, 0);
    // A configuration that is made again has a password that others know: it is to be rotated again.
    const configuration = await readConfiguration(client, mount);
    return configuration && { mount };
  },

  async update({ client }, id, { triggers }, _changed, known) {
    const { mount } = readMountedId(id, 0);
    if (sameTriggers(known.triggers, triggers)) {
      return known;
    }
    await rotateRootPassword(client, mount);
    return { mount, triggers: triggers ?? null, rotatedAt: new Date() };
  },

  delete: () => Promise.resolve(),
});

/**
 * Rotates the password of the entry that a directory engine binds as, when it is created and whenever a trigger
 * changes. From then on only the service knows the password, and `bindpass` of {@link Config} is dead; a change of
 * another argument of the configuration does not send it.
 *
 * Its id is the mount's path. Let it depend on the configuration: it has to come after it. Deletion does nothing,
 * as no password can be brought back. A refresh finds it gone when the configuration is gone, so that the password
 * of one that is made again is rotated again; nothing else can be seen of it.
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
 *
 * Documented under "Rotate root" in the secrets service's interface.
 */
export class RootRotation extends TriviumResource {
  /** @internal */
  static override readonly definition = rootRotationDefinition;

  /** Where the engine is mounted. */
  declare readonly mount: pulumi.Output<string>;
  /** The values whose change rotates the password again. */
  declare readonly triggers: pulumi.Output<Triggers | null | undefined>;
  /** When this program last had the password rotated: ISO 8601. */
  declare readonly rotatedAt: pulumi.Output<string>;

  /** Whether a value is such a rotation, also one that another copy of the library has made. */
  static override isInstance(value: unknown): value is RootRotation {
    return isResource(value, rootRotationDefinition);
  }

  /**
   * @param name the unique name of the resource in the program
   * @param args where to rotate, and when again
   * @throws {@link errors.InputError} when an option cannot work, such as `import`
   */
  constructor(name: string, args: RootRotationArgs = {}, options?: pulumi.CustomResourceOptions) {
    super(rootRotationDefinition, name, args, options);
  }
}
