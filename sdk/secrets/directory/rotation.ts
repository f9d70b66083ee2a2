import type { ResourceBehavior } from "../../resource/definition";
import type { Triggers } from "../../base/json";
import { sameTriggers } from "../../resource/fields/kinds";
import type { Rows } from "../../resource/fields/rows";
import type { SecretsClient, SecretsRequest } from "../client";
import type { MountedName, MountedObjects } from "../mounted-objects";
import { failingRotations } from "./config";
import { onDirectory } from "./failures";

export async function rotate(client: SecretsClient, mount: string, request: SecretsRequest): Promise<void> {
  const ifLost = "The password might already have been rotated. It is safe to rotate it again.";
  await onDirectory(client, mount, () => client.act({ ...request, ifLost }));
}

/** Rotates a password of an object at creation and whenever a trigger changes. */
export function rotationByTrigger<Argument extends string, Table extends Rows>(
  objects: MountedObjects<Argument, Table>,
  rotatePassword: (client: SecretsClient, object: MountedName<Argument>) => Promise<void>,
): ResourceBehavior<
  SecretsClient,
  MountedName<Argument> & { readonly triggers?: Triggers | null | undefined }
> {
  const rotated = async (client: SecretsClient, id: string, triggers: Triggers | null = null) => {
    const object = objects.named(id, client.dialect.name);
    await rotatePassword(client, object);
    return { ...object, triggers, rotatedAt: new Date() };
  };
  return {
    rules: [
      {
        between: ["mount"],
        check({ mount, triggers }, _dialect, former, program) {
          const [fact] = program.told(failingRotations(String(mount)));
          const rotates = former === undefined || !sameTriggers(former.triggers, triggers);
          return (
            fact !== undefined &&
            rotates && { argument: "mount", reason: `has a configuration whose ${fact}`, warning: true }
          );
        },
      },
    ],

    identity: { idIsShared: true, canonicalId: objects.behavior.identity.canonicalId },

    async create({ client }, desired) {
      const id = objects.id(desired);
      return { id, state: await rotated(client, id, desired.triggers) };
    },

    async read({ client }, id) {
      const object = objects.named(id, client.dialect.name);
      return (await objects.readWritten(client, object)) && object;
    },

    update: async ({ client }, id, { triggers }, _changed, current) =>
      sameTriggers(current.triggers, triggers) ? current : rotated(client, id, triggers),

    // A former password cannot be restored.
    delete: () => Promise.resolve(),
  };
}
